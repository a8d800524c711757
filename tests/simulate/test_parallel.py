"""T.Parallel: loops that run on arrays give what they give step by step."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.simulate.support import draw, kernel, tensor

import tl_ascend
from tl_ascend.ir.nodes import Block, For, Kernel, blocks_of, walk_stmts, with_blocks
from tl_ascend.simulate.parallel import vectorised

TILES = """
a = T.alloc_ub((8, 32), "{kind}")
b = T.alloc_ub((8, 32), "{kind}")
c = T.alloc_ub((32, 8), "{kind}")
r = T.alloc_ub((32,), "{kind}")
T.copy(A, a)
T.copy(A, b)
T.copy(B, c)
T.copy(A[0, 0:32], r)
"""
LOOPS = {
    "elements": "for i, j in T.Parallel(8, 32):\n    b[i, j] = a[i, j] * 2 + c[j, i]",
    "rows": "for i, j in T.Parallel(8, 32):\n    b[i, j] = a[i, j] - r[j]",
    "choice": "for i, j in T.Parallel(8, 32):\n    b[i, j] = T.if_then_else(i > 3, a[i, j], r[j])",
    "edge": "for i, j in T.Parallel(8, 32):\n"
    "    b[i, j] = T.if_then_else(j > 0, a[i, j - 1], a[i, 0])",
    "branch": "for i, j in T.Parallel(8, 32):\n    if a[i, j] > j:\n        b[i, j] = r[i]\n"
    "    else:\n        b[i, j] = a[i, 31 - j]",
    "stages": "for i, j in T.Parallel(8, 32):\n    b[i, j] = a[i, j] + 1\n    b[i, j] = b[i, j] * 3",
    "inner": "for i in T.Parallel(8):\n    for k in T.serial(32):\n        r[i] = r[i] + a[i, k]",
    "let": "for i, j in T.Parallel(8, 32):\n    k = (i * 5 + j) % 32\n    b[i, j] = a[i, k]",
    "whole": "for i, j in T.Parallel(8, 32):\n    b[i, j] = a[i, j] // 3 + a[i, j] % 3",
}
SERIAL = {
    "shift": "for i, j in T.Parallel(8, 31):\n    b[i, j + 1] = b[i, j] + 1",
    "sum": "for i, j in T.Parallel(8, 32):\n    r[i] = r[i] + a[i, j]",
    "same": "for i, j in T.Parallel(8, 32):\n    r[(i + j) % 8] = a[i, j]",
}


def made(loop: str, kind: str) -> tuple[Kernel, list[np.ndarray]]:
    arrays = [draw(8, 32, dtype=kind), draw(32, 8, seed=2, dtype=kind)]
    arrays += [np.zeros((8, 32), kind), np.zeros(32, kind)]
    params = ", ".join(tensor(name, array) for name, array in zip("ABCD", arrays, strict=True))
    body = TILES.format(kind=kind) + loop + "\nT.copy(b, C)\nT.copy(r, D)"
    return kernel(body, params), arrays


def step_by_step(block: Block) -> Block:
    """The same statements with plain loops."""
    out = []
    for stmt in block:
        if isinstance(stmt, For) and stmt.kind == "parallel":
            stmt = replace(stmt, kind="serial")
        inner = tuple(map(step_by_step, blocks_of(stmt)))
        out.append(with_blocks(stmt, inner) if inner else stmt)
    return tuple(out)


CASES = [
    (name, kind)
    for name in (*LOOPS, *SERIAL)
    for kind in ("float32", "int32", "float16")
    if name != "whole" or kind == "int32"
]


@pytest.mark.parametrize(("name", "kind"), CASES)
def test_arrays_and_steps_agree(name: str, kind: str) -> None:
    whole, arrays = made({**LOOPS, **SERIAL}[name], kind)
    others = [array.copy() for array in arrays]
    tl_ascend.evaluate(whole, *arrays)
    tl_ascend.evaluate(replace(whole, body=step_by_step(whole.body)), *others)
    for array, other in zip(arrays, others, strict=True):
        np.testing.assert_array_equal(array, other)


def outermost(whole: Kernel) -> For:
    return next(s for s in walk_stmts(whole.body) if isinstance(s, For) and s.kind == "parallel")


@pytest.mark.parametrize("name", LOOPS)
def test_independent_loops_run_on_arrays(name: str) -> None:
    assert vectorised(outermost(made(LOOPS[name], "int32")[0])) is not None


@pytest.mark.parametrize("name", SERIAL)
def test_dependent_loops_do_not(name: str) -> None:
    assert vectorised(outermost(made(SERIAL[name], "int32")[0])) is None
