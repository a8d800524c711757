"""Proofs see every expression of scalars: with another one a program gives something else."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.emit import support
from tests.proofs import ascendc, common, mutate_scalars
from tests.proofs.pto.wheel import headers

pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")

KERNEL = """
import tilelang.language as T

rows = T.symbolic("rows")


@T.prim_func
def main(
    x: T.Tensor((rows, 64), "float32"),
    s: T.float32,
    t: T.float32,
    n: T.int32,
    m: T.int32,
    step: T.int32,
    off: T.int32,
    count: T.int32,
    y: T.Tensor((rows, 64), "float32"),
    z: T.Tensor((512,), "int32"),
):
    with T.Kernel(T.ceildiv(rows, 24), is_npu=True) as (cid, vid):
        a = T.alloc_ub((12, 64), "float32")
        b = T.alloc_ub((16,), "int32")
        with T.Scope("V"):
            T.copy(x[cid * 24 + vid * 12, 0], a)
            T.barrier_all()
            T.tile.mul(a, a, s - 1.0)
            T.barrier_all()
            if cid < count:
                T.tile.add(a, a, s * t + 1.0)
            T.barrier_all()
            T.copy(a, y[cid * 24 + vid * 12, 0])
            T.barrier_all()
            for i in T.serial(16):
                b[i] = n * i - m // 2 + (i * step) % n + T.max(n, m - i)
            T.barrier_all()
            T.copy(b, z[off:off+16])
            T.barrier_all()
            z[100 + 2 * step + off] = n - m
"""


def _survivors(machine: mutate_scalars.Machine, folder: Path, share: int) -> list[str]:
    path = folder / "k.py"
    path.write_text(KERNEL)
    ((name, report),) = ascendc.of_files([str(path)])
    outcomes = mutate_scalars.mutated(machine, name, report, share)
    assert isinstance(outcomes, dict), outcomes
    assert sum(text.startswith("seen") for text in outcomes.values()) >= 100 // share
    return [what for what, text in outcomes.items() if text.startswith("survives")]


def test_no_changed_expression_survives_on_the_twin(tmp_path: Path) -> None:
    machine = mutate_scalars.OnTwin(tmp_path)
    assert _survivors(machine, tmp_path, 2) == []


def test_no_changed_expression_survives_on_the_simulator(tmp_path: Path) -> None:
    found = headers()
    if isinstance(found, str):
        pytest.skip(found)
    machine = mutate_scalars.OnSimulator(tmp_path, found)
    assert _survivors(machine, tmp_path, 4) == []


def test_only_what_comes_of_floats_may_be_one_off(tmp_path: Path) -> None:
    """Where there is a tensor of floats beside it, an integer that is wrong is wrong."""
    path = tmp_path / "k.py"
    path.write_text(KERNEL)
    ((_, report),) = ascendc.of_files([str(path)])
    assert not common.rounds(report.kernel)
    path.write_text(KERNEL.replace("n - m", 'T.cast(s * t, "int32")'))
    ((_, report),) = ascendc.of_files([str(path)])
    assert common.rounds(report.kernel)
