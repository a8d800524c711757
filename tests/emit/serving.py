"""The examples of kernels that serve models: small instances of them, inputs, and what numpy says.

Each states an instance of itself for this (`# tl: instance`) and has a function `reference`, which takes
the inputs and gives the last tensor.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
from tests.emit import support
from tests.proofs.common import Trial

from tl_ascend.driver.check import KernelReport
from tl_ascend.ir.nodes import Buffer

EXAMPLES = support.HERE.parents[1] / "examples"


@lru_cache
def reports(path: Path) -> tuple[KernelReport, ...]:
    """The kernels of an example."""
    return support.report(str(path)).kernels


@dataclass(frozen=True)
class Case:
    """`inputs`: makes them. `tolerance`: relative and absolute. `which`: of the stated instances."""

    name: str
    inputs: Callable[[], list[Any]]
    tolerance: float
    which: int = 0

    @property
    def path(self) -> Path:
        return EXAMPLES / f"{self.name}.py"

    @property
    def title(self) -> str:
        return f"{self.name}_{self.which}"

    def report(self) -> KernelReport:
        """The stated instance."""
        return [k for k in reports(self.path) if k.origin == "stated"][self.which]

    def want(self) -> np.ndarray:
        """What the last tensor must hold. A reference knows its instance by the shapes."""
        reference = reference_of(self.path)
        names = reference.__code__.co_varnames[: reference.__code__.co_argcount]
        inputs = self.inputs()
        stated = {n: v for n, v in self._options().items() if n in names[len(inputs) :]}
        made: np.ndarray = reference(*inputs, **stated)
        return made

    def _options(self) -> dict[str, Any]:
        text = self.report().instance
        call = ast.parse(f"f({text})", mode="eval").body
        assert isinstance(call, ast.Call)
        return {k.arg or "": ast.literal_eval(k.value) for k in call.keywords}

    def trial(self) -> Trial:
        """The arguments of the program before and after: inputs, the result, scratch."""
        report = self.report()
        assert report.lowered is not None
        before, after = self.inputs(), [*self.inputs(), self.want()]
        for param in report.lowered.params[len(before) :]:
            assert isinstance(param.value, Buffer)
            before.append(np.full(param.value.shape, 7, param.value.dtype.name))  # type: ignore[arg-type]
        after += [None] * (len(before) - len(after))
        return Trial(self.title, report, tuple(before), tuple(after))


def reference_of(path: Path) -> Callable[..., Any]:
    """The function `reference` of an example, which only needs numpy; the example itself needs more."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    (found,) = (n for n in tree.body if isinstance(n, ast.FunctionDef) and n.name == "reference")
    names: dict[str, Any] = {"np": np}
    exec(compile(ast.Module([found], []), str(path), "exec"), names)
    made: Callable[..., Any] = names["reference"]
    return made


def normal(*shape: int, seed: int, dtype: Any = np.float16) -> np.ndarray:
    return np.random.default_rng(seed).standard_normal(shape).astype(dtype)


def rms_norm_rope() -> list[Any]:
    angles = normal(16, 32, seed=2, dtype=np.float32) * 3
    positions = np.random.default_rng(3).integers(0, 16, 7).astype(np.int32)
    gamma = normal(2, 32, seed=4, dtype=np.float32)
    return [normal(7, 8, 64, seed=1), gamma, np.cos(angles), np.sin(angles), positions]


def quantised_gemm() -> list[Any]:
    random = np.random.default_rng(1)
    a, b = (random.integers(-128, 128, (size, 160)).astype(np.int8) for size in (150, 96))
    scales = (random.random(shape, np.float32) / 100 for shape in ((150,), (1, 96)))
    return [a, b, *scales]


def topk_selector() -> list[Any]:
    lengths = np.array([320, 1, 40, 130], np.int32)
    q, k = normal(4, 16, 64, seed=1), normal(4, 320, 64, seed=2)
    return [q, k, normal(4, 16, seed=3, dtype=np.float32), lengths]


def flash_attention() -> list[Any]:
    q, k, v = ((1, 2, 72, 64), (1, 1, 136, 64), (1, 1, 136, 64))
    return [normal(*shape, seed=seed) for seed, shape in enumerate((q, k, v))]


def causal_attention() -> list[Any]:
    q, k, v = ((1, 2, 80, 64), (1, 2, 112, 64), (1, 2, 112, 64))
    return [normal(*shape, seed=seed) for seed, shape in enumerate((q, k, v))]


def sparse_mla_decode() -> list[Any]:
    random = np.random.default_rng(5)
    pages = random.permutation(4).reshape(2, 2).astype(np.int32)
    chosen = np.array([random.permutation(64) for _ in range(4)], np.int32).reshape(2, 128)
    chosen[0, 60:90] = -1
    return [normal(2, 32, 576, seed=1), normal(4, 32, 576, seed=2), pages, chosen]


CASES = (
    Case("rms_norm_rope", rms_norm_rope, 2e-3),
    Case("quantised_gemm", quantised_gemm, 1e-3),
    Case("quantised_gemm", quantised_gemm, 1e-3, which=1),
    Case("flash_attention", flash_attention, 2e-3),
    Case("flash_attention", causal_attention, 2e-3, which=1),
    Case("sparse_mla_decode", sparse_mla_decode, 3e-3),
    Case("topk_selector", topk_selector, 0),
)
