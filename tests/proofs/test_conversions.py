"""Conversions on the twin: every pair of types and every mode, copies, and element-wise stores."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.emit import support
from tests.proofs import ascendc
from tests.proofs.twin import the_twin

from tl_ascend.target.conversions import CONVERSIONS

pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")

KINDS = "int8 uint8 int16 uint16 int32 uint32 int64 float16 bfloat16 float32".split()
HEAD = """\
import tilelang
import tilelang.language as T

CONFIGS = {"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True}


"""
FACTORY = """\
@tilelang.jit(out_idx={outputs}, pass_configs=CONFIGS)
def of_{source}():
    @T.prim_func
    def main(A: T.Tensor((2, 64), "{source}"), {params}):
        with T.Kernel(1, threads=1, is_npu=True) as cid:
            a = T.alloc_ub((2, 64), "{source}")
            T.copy(A, a)
{body}
    return main


of_{source}()
"""
CAST = 'T.tile.cast(o{at}, a, "{mode}", 128)'
COPY = "T.copy(a, o{at})"
STATED = 'for i, j in T.Parallel(2, 64):\n                o{at}[i, j] = T.cast(a[i, j], "{target}")'
# By the scalar unit, also of numbers beyond the range of the target.
SINGLE = (
    "for i, j in T.grid(2, 64):\n"
    '                o{at}[i, j] = T.cast(T.cast(a[i, j], "float32") * 300, "{target}")'
)
MERE = "for i, j in T.Parallel(2, 64):\n                o{at}[i, j] = a[i, j]"


def kernel(source: str, parts: list[tuple[str, str, str]]) -> str:
    """A kernel that converts tiles of one type, each into a tile of its own. `parts`: the type, the
    statement and the mode."""
    lines, params = [], []
    for at, (target, text, mode) in enumerate(parts):
        params.append(f'O{at}: T.Tensor((2, 64), "{target}")')
        lines.append(f'o{at} = T.alloc_ub((2, 64), "{target}")')
        lines += [text.format(at=at, mode=mode, target=target), f"T.copy(o{at}, O{at})"]
    body = "".join(f"            {line}\n" for line in lines)
    outputs = list(range(1, len(parts) + 1))
    return FACTORY.format(outputs=outputs, source=source, params=", ".join(params), body=body)


def kernels(text: str) -> str:
    """One for each type of sources. Of element-wise stores every second states its conversion."""
    pairs = {pair: CONVERSIONS.get(pair, ()) for pair in ((a, b) for a in KINDS for b in KINDS)}
    made = [HEAD]
    for source in KINDS:
        targets = {b: sorted(modes) for (a, b), modes in pairs.items() if a == source}
        if text is CAST:
            parts = [(b, text, mode) for b, modes in targets.items() for mode in modes]
        elif text is COPY:
            parts = [(b, text, "") for b, modes in targets.items() if modes or b == source]
        else:
            open_ends = ("int32", "int64") if text is SINGLE else ()
            left = enumerate((b for b in targets if b not in open_ends), KINDS.index(source))
            parts = [(b, MERE if at % 2 and text is STATED else text, "") for at, b in left]
        if parts:
            made.append(kernel(source, parts))
    return "\n\n".join(made)


@pytest.mark.parametrize(
    "text", [CAST, COPY, STATED, SINGLE], ids=["cast", "copy", "stored", "single"]
)
def test_all_conversions_agree(text: str, tmp_path: Path) -> None:
    path = tmp_path / "case.py"
    path.write_text(kernels(text), encoding="utf-8")
    proofs = list(ascendc.of_files([str(path)]))
    assert len(proofs) > 6
    for name, _, outcome in ascendc.proved_all(the_twin(), proofs, 2, least=-2):
        assert outcome.text == "agrees", (name, outcome.text)
