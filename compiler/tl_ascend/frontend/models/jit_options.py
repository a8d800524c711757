"""Options of `tilelang.jit` and `tilelang.compile` with values that upstream refuses, or does not know.

They are told where they stand; the kernel goes on to be evaluated as if they were not given.
"""

from __future__ import annotations

import ast
import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.frontend.machine import Machine
from tl_ascend.frontend.values import Unknown
from tl_ascend.source.span import Span
from tl_ascend.source.units import span_of
from tl_ascend.target.hardware import PLATFORMS

# Source: tile-ai/tilelang-ascend 95acbd7f, tilelang/transform/pass_config.py
PASS_CONFIG_KEYS = {
    "TL_ASCEND_AUTO_SYNC": "tl.ascend_auto_sync",
    "TL_ASCEND_MEMORY_PLANNING": "tl.ascend_memory_planning",
    "TL_ASCEND_AUTO_CV_COMBINE": "tl.ascend_auto_cv_combine",
    "TL_ASCEND_AUTO_CV_SYNC": "tl.ascend_auto_cross_core_sync",
    "TL_SIMPLIFY": "tl.Simplify",
    "TL_DYNAMIC_ALIGNMENT": "tl.dynamic_alignment",
    "TL_DISABLE_DYNAMIC_TAIL_SPLIT": "tl.disable_dynamic_tail_split",
    "TL_DISABLE_WARP_SPECIALIZED": "tl.disable_warp_specialized",
    "TL_DISABLE_TMA_LOWER": "tl.disable_tma_lower",
    "TL_CONFIG_INDEX_BITWIDTH": "tl.config_index_bitwidth",
    "TL_DISABLE_SAFE_MEMORY_ACCESS": "tl.disable_safe_memory_legalize",
    "TL_DEBUG_MERGE_SHARED_MEMORY_ALLOCATIONS": "tl.debug_merge_shared_memory_allocations",
    "TIR_ENABLE_EQUIV_TERMS_IN_CSE": "tir.enable_equiv_terms_in_cse_tir",
    "TIR_DISABLE_CSE": "tir.disable_cse_tir",
    "TIR_SIMPLIFY": "tir.Simplify",
    "TIR_DISABLE_STORAGE_REWRITE": "tir.disable_storage_rewrite",
    "TIR_DISABLE_VECTORIZE": "tir.disable_vectorize",
    "TIR_USE_ASYNC_COPY": "tir.use_async_copy",
    "TIR_ENABLE_DEBUG": "tir.enable_debug",
    "TIR_MERGE_STATIC_SMEM": "tir.merge_static_smem",
    "TIR_ADD_LOWER_PASS": "tir.add_lower_pass",
    "TIR_NOALIAS": "tir.noalias",
    "CUDA_KERNELS_OUTPUT_DIR": "cuda.kernels_output_dir",
}
_OPTIONS = frozenset(PASS_CONFIG_KEYS.values())
_OF_ASCEND = "tl.ascend_"  # those that are True or False
_PLATFORMS = ("auto", *PLATFORMS)
_BACKENDS = ("cython", "ctypes", "dlpack")


@dataclass(frozen=True, slots=True)
class _Wrong:
    """What is told of an option."""

    option: str
    text: str
    notes: tuple[str, ...] = ()
    severity: Severity | None = None
    name: str = "unknown-api"


def tell_wrong_options(
    m: Machine, node: ast.AST, settings: Mapping[str, Any], spans: Mapping[str, Span]
) -> None:
    """Report the values that upstream does not take; those that are not known count as right."""
    if m.tolerant or m.doubtful:
        return
    for wrong in _wrong(settings):
        span = spans.get(wrong.option, span_of(node))
        m.say(wrong.name, span, wrong.text, wrong.notes, (), wrong.severity)


def _wrong(settings: Mapping[str, Any]) -> Iterator[_Wrong]:
    yield from _configs(settings.get("pass_configs"))
    platform = settings.get("platform", "auto")
    if isinstance(platform, str) and platform not in _PLATFORMS:
        near = _near(platform.upper(), _PLATFORMS)
        text = f"there is no platform {platform!r}: they are {', '.join(_PLATFORMS)}{near}"
        note = "Upstream's compiler takes every other word than A5 for A2 or A3, and says nothing."
        yield _Wrong("platform", text, (note,), Severity.WARNING)
    backend = settings.get("execution_backend", _BACKENDS[0])
    if isinstance(backend, str) and backend not in _BACKENDS:
        near = _near(backend.lower(), _BACKENDS)
        text = f"there is no execution backend {backend!r}: they are {', '.join(_BACKENDS)}{near}"
        yield _Wrong(
            "execution_backend", text, ("Python raises AssertionError where it is compiled.",)
        )
    for option in ("out_idx", "workspace_idx"):
        positions = settings.get(option)
        if _no_positions(positions):
            text = f"{option} is the position of a parameter, or a list of positions, not {positions!r}"
            note = "Python raises an error where the kernel is compiled."
            name = "out-idx" if option == "out_idx" else "workspace"
            yield _Wrong(option, text, (note,), Severity.ERROR, name)


def _configs(configs: Any) -> Iterator[_Wrong]:
    if isinstance(configs, (list, tuple, set, str, int)):
        text = f"pass_configs is a dictionary of options and their values, not {configs!r}"
        yield _Wrong("pass_configs", text)
    for name, value in configs.items() if isinstance(configs, dict) else ():
        if not isinstance(name, str) or not name.startswith("tl."):
            continue
        if name not in _OPTIONS:
            text = f"there is no option {name!r}{_near(name, _OPTIONS)}"
            yield _Wrong("pass_configs", text)
        elif name.startswith(_OF_ASCEND) and isinstance(value, str):
            yield _Wrong("pass_configs", f"{name} is True or False, not {value!r}")


def _near(word: str, words: Collection[str]) -> str:
    near = difflib.get_close_matches(word, words, 1)
    return f"; did you mean {near[0]!r}?" if near else ""


def _no_positions(value: Any) -> bool:
    if isinstance(value, (str, float)):
        return True
    parts: Iterable[Any] = value if isinstance(value, (list, tuple)) else ()
    return any(isinstance(part, (str, float)) and not isinstance(part, Unknown) for part in parts)
