"""Numbers that proofs choose for symbolic sizes."""

from __future__ import annotations

from pathlib import Path

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
    assert len(set(found.values())) == 3 and found["width"] % 32 == 0
    assert found["rooms"] >= 4 * found["rows"]
    assert sizes.bytes_of(report.kernel, trial.sizes) <= sizes.SMALL
