"""Tiles in L1 that are put together by copies: what none of them fills is 0 for products, and what one
has filled the next ones leave alone, up to the blocks that they write."""

from __future__ import annotations

from pathlib import Path
from textwrap import indent

import numpy as np
import pytest
from tests.emit import support
from tests.proofs import ascendc
from tests.proofs.twin import the_twin

import tl_ascend

HEAD = """\
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[3], pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True})
def make():
    @T.prim_func
    def main(
        A: T.Tensor((40, 64), "float16"),
        B: T.Tensor((24, 64), "float16"),
        E: T.Tensor((64, 64), "float16"),
        O: T.Tensor((3, 64, 64), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            t = T.alloc_L1((64, 64), "float16")
            e = T.alloc_L1((64, 64), "float16")
            ring = T.alloc_L1((2, 64, 64), "float16")
            p = T.alloc_L0C((64, 64), "float32")
            T.copy(E, e)
"""
TAIL = "\n    return main\n\n\nmake()\n"


def shown(at: object, tile: str = "t") -> str:
    """What a tile holds, as a product finds it."""
    return f"T.gemm_v0({tile}, e, p, init=True)\nT.copy(p, O[{at}, :, :])\n"


def turns(body: str, tile: str = "t", count: int = 3) -> str:
    return f"for n in T.serial({count}):\n" + indent(body + shown("n", tile), "    ")


BOTH = "T.copy(A[0:32, :], t[0:32, :])\nT.copy(B[0:16, :], t[32:48, :])\n"
BODIES = {
    "rows": "T.copy(A, t[0:40, :])\n" + shown(0),
    "columns": "T.copy(A[:, 0:48], t[0:40, 0:48])\n" + shown(0),
    "at the end of a tensor": "T.copy(A[8, 16], t[0:48, 0:48])\n" + shown(0),
    "two parts": BOTH + shown(0),
    "all parts": "T.copy(A[0:32, :], t[0:32, :])\nT.copy(A[8, 0], t[32:64, :])\n" + shown(0),
    "two parts, the later first": "T.copy(B[0:16, :], t[48:64, :])\n"
    "T.copy(A, t[0:40, :])\nT.copy(B[0:8, :], t[40:48, :])\n" + shown(0),
    "turns": turns("T.copy(A[n * 16, 0], t[0:16, :])\n"),
    "turns of two parts": turns(
        "T.copy(A[n * 16, 0], t[0:16, :])\nT.copy(B[n * 16, 0], t[16:32, :])\n"
    ),
    "slots": turns("T.copy(A[n * 16, 0], ring[n % 2, 0:16, :])\n", "ring[n % 2, :, :]"),
    "a tile that had more": "T.copy(E, t)\n" + shown(0) + BOTH + shown(1),
    "in a branch": turns(
        "if n == 1:\n    T.copy(B[0:16, :], t[0:16, :])\nelse:\n    T.copy(A[0:32, :], t[0:32, :])\n"
    ),
    "beside what stays": "T.copy(E, t)\n" + turns("T.copy(A[n * 16, 0], t[0:16, :])\n", count=2),
    "a part of blocks": "T.copy(E[0:32, :], t[0:32, :])\nT.copy(E[32:64, :], t[32:64, :])\n"
    "T.copy(A[0:10, 0:10], t[0:10, 0:10])\n" + shown(0),
}
A, B = (
    np.random.default_rng(seed).integers(1, 9, (rows, 64)).astype(np.float16)
    for seed, rows in ((1, 40), (2, 24))
)
E = np.eye(64, dtype=np.float16)


def wanted(name: str) -> np.ndarray:
    """What the products of a body give; None in place of those that it does not make."""
    found = np.zeros((3, 64, 64), np.float32)
    two = np.concatenate((A[:32], B[:16]))
    if name in ("rows", "columns"):
        found[0, :40, : 64 if name == "rows" else 48] = A[:, : 64 if name == "rows" else 48]
    elif name == "at the end of a tensor":
        found[0, :32, :48] = A[8:, 16:]
    elif name.startswith("two parts"):
        whole = np.concatenate((A, B[:8], B[:16]))
        found[0, : len(two)] = two
        found[0] = whole if "later" in name else found[0]
    elif name == "all parts":
        found[0] = np.concatenate((A[:32], A[8:]))
    elif name == "a part of blocks":
        found[0], found[0, :10, :16], found[0, :10, :10] = E, 0, A[:10, :10]
    elif name == "a tile that had more":
        found[0], found[1, :48] = E, two
    else:
        for n in range(3):
            _turn(found[n], name, n)
    return found


def _turn(tile: np.ndarray, name: str, n: int) -> None:
    a, b = A[n * 16 : n * 16 + 16], B[n * 16 : n * 16 + 16]
    if name == "in a branch":
        a = B[:16] if n == 1 else A[:32]
    if name == "beside what stays":
        tile[:] = E
    tile[: len(a)] = a
    if name == "turns of two parts":
        tile[16 : 16 + len(b)] = b


def made(name: str) -> int:
    """How many products a body makes."""
    return 3 if name.startswith(("turns", "slots", "in a")) else BODIES[name].count("O[")


def written(folder: Path, name: str) -> str:
    path = folder / f"{name}.py"
    path.write_text(HEAD + indent(BODIES[name], " " * 12) + TAIL)
    return str(path)


@pytest.mark.parametrize("name", BODIES)
def test_what_no_copy_fills_is_zero(name: str, tmp_path: Path) -> None:
    kernel = tl_ascend.load(written(tmp_path, name))
    found = np.zeros((3, 64, 64), np.float32)
    tl_ascend.evaluate(kernel, A, B, E, found)
    count = 2 if name == "beside what stays" else made(name)
    np.testing.assert_array_equal(found[:count], wanted(name)[:count])


@pytest.mark.skipif(not support.GXX, reason="needs g++")
def test_programs_give_what_the_kernels_give(tmp_path: Path) -> None:
    kernels = list(ascendc.of_files([written(tmp_path, name) for name in BODIES]))
    outcomes = [o.text for _, _, o in ascendc.proved_all(the_twin(), kernels, 6)]
    assert dict(zip(BODIES, outcomes, strict=True)) == dict.fromkeys(BODIES, "agrees")
