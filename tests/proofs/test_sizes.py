"""Numbers that proofs choose for symbolic sizes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.proofs import ascendc, common, sizes

KERNEL = """
import tilelang.language as T

rows, width, rooms = T.symbolic("rows"), T.symbolic("width"), T.symbolic("rooms")


@T.prim_func
def main(
    x: T.Tensor((rows, width), "float32"),
    room: T.Tensor((rooms, width), "float32"),
    y: T.Tensor((rows, width), "float32"),
):
    with T.Kernel(rows * 4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 32), "float32")
        with T.Scope("V"):
            for at in T.serial(width // 32):
                T.copy(x[cid // 4, at * 32], a)
                T.barrier_all()
                T.copy(a, room[cid, at * 32])
                T.barrier_all()
                T.copy(a, y[cid // 4, at * 32])
                T.barrier_all()
"""


def test_each_size_is_a_number_that_its_uses_allow(tmp_path: Path) -> None:
    """One number for all would leave no room for four blocks a row."""
    path = tmp_path / "k.py"
    path.write_text(KERNEL)
    ((name, report),) = ascendc.of_files([str(path)])
    trial = common.evaluated(name, report)
    assert isinstance(trial, common.Trial), trial
    found = {var.name: size for var, size in trial.sizes.items()}
    assert len(set(found.values())) == 3 and found["width"] > 64
    assert found["rooms"] >= 4 * found["rows"]
    assert sizes.bytes_of(report.kernel, trial.sizes) <= sizes.SMALL


DIVIDED = """
import tilelang.language as T

rows = T.symbolic("rows")


@T.prim_func
def main(x: T.Tensor((rows, 64), "float32"), y: T.Tensor((rows, 64), "float32")):
    with T.Kernel(T.ceildiv(rows, 24), is_npu=True) as (cid, vid):
        a = T.alloc_ub((12, 64), "float32")
        with T.Scope("V"):
            base = cid * 24 + vid * 12
            todo = T.min(12, rows - base)
            if todo > 0:
                T.copy(x[base : base + todo, 0:64], a[0:todo, 0:64])
                T.barrier_all()
                T.copy(a[0:todo, 0:64], y[base : base + todo, 0:64])
"""


def test_sizes_leave_a_tail_behind_the_parts_that_they_are_divided_into(tmp_path: Path) -> None:
    """One row would be one block, and a multiple would have no tail."""
    path = tmp_path / "k.py"
    path.write_text(DIVIDED)
    ((name, report),) = ascendc.of_files([str(path)])
    trial = common.evaluated(name, report)
    assert isinstance(trial, common.Trial), trial
    (rows,) = trial.sizes.values()
    assert rows > 48 and rows % 12


def test_sizes_that_take_too_long_are_not_the_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "k.py"
    path.write_text(DIVIDED)
    ((name, report),) = ascendc.of_files([str(path)])
    slow, tame = sizes.choices(report.kernel)[0], common._tame

    def late(*given: Any) -> Any:
        return f"{common.TAKES} 40 s" if given[-1] == slow else tame(*given)

    monkeypatch.setattr(common, "_tame", late)
    trial = common.evaluated(name, report)
    assert isinstance(trial, common.Trial) and trial.sizes != slow


HALVES = """
import tilelang.language as T

width = T.symbolic("width")


@T.prim_func
def main(x: T.Tensor((2, width), "float32"), y: T.Tensor((2, width), "float32")):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 32), "float32")
        with T.Scope("V"):
            for at in T.serial(T.ceildiv(width // 2, 32)):
                T.copy(x[vid, cid * (width // 2) + at * 32], a)
                T.barrier_all()
                T.tile.mul(a, a, 2.0 - cid)
                T.barrier_all()
                T.copy(a, y[vid, cid * (width // 2) + at * 32])
                T.barrier_all()
"""


def test_sizes_with_which_blocks_write_to_places_of_others_are_none(tmp_path: Path) -> None:
    """The last part of the first half reaches into the second one unless parts fit."""
    path = tmp_path / "k.py"
    path.write_text(HALVES)
    ((name, report),) = ascendc.of_files([str(path)])
    first = next(iter(sizes.choices(report.kernel)[0].values()))
    assert first // 2 % 32
    trial = common.evaluated(name, report)
    assert isinstance(trial, common.Trial), trial
    (width,) = trial.sizes.values()
    assert width // 2 % 32 == 0
