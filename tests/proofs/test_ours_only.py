"""Kernels that upstream's compiler refuses and ours does not are proved like all others."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest
from tests.emit import support
from tests.proofs import ascendc
from tests.proofs.twin import the_twin

pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")
SEEDS = 10

HEAD = """\
import tilelang
import tilelang.language as T

KEY = tilelang.PassConfigKey


@tilelang.jit(pass_configs={KEY.TL_ASCEND_AUTO_SYNC: True, KEY.TL_ASCEND_MEMORY_PLANNING: True})
def factory():
    @T.prim_func
    def main(x: T.Tensor((8, 64), "float32"), y: T.Tensor((8, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
"""
THREE_LOOPS = """
a = T.alloc_ub((8, 64), "float32")
b = T.alloc_ub((2, 4, 64), "float32")
T.copy(x, a)
for i, j, k in T.Parallel(2, 4, 64):
    b[i, j, k] = a[i * 4 + j, k] + T.float32(j * k)
for i in T.serial(2):
    T.copy(b[i, 0:4, 0:64], y[i * 4 : i * 4 + 4, 0:64])
"""
TWO_BROADCASTS = """
column = T.alloc_ub((8,), "float32")
row = T.alloc_ub((64,), "float32")
b = T.alloc_ub((8, 64), "float32")
T.copy(x[1, 0:8], column)
T.copy(x[0, :], row)
for i, j in T.Parallel(8, 64):
    b[i, j] = column[i] * row[j]
T.copy(b, y)
"""


def test_they_agree(tmp_path: Path) -> None:
    bodies = {"loops": THREE_LOOPS, "broadcasts": TWO_BROADCASTS}
    for name, body in bodies.items():
        inside = textwrap.indent(body.strip(), " " * 12)
        text = f"{HEAD}{inside}\n\n    return main\n\n\nfactory()\n"
        (tmp_path / f"{name}.py").write_text(text)
    kernels = list(ascendc.of_files([str(tmp_path / f"{name}.py") for name in bodies]))
    outcomes = [outcome.text for _, _, outcome in ascendc.proved_all(the_twin(), kernels, SEEDS)]
    assert outcomes == ["agrees"] * 2
