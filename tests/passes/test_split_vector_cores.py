"""threads=2: each vector core has half of every tile in the UB."""

from __future__ import annotations

from pathlib import Path
from textwrap import dedent

import pytest

from tl_ascend.driver.check import Checker, KernelReport
from tl_ascend.driver.files import Files
from tl_ascend.ir.expr import free_vars
from tl_ascend.ir.nodes import Alloc, Kernel, Region, TileOp, walk_stmts

SOURCE = dedent(
    """\
    import tilelang.language as T

    CONFIGS = {"tl.ascend_auto_cv_combine": True}

    def make(rows, threads):
        import tilelang

        @T.prim_func
        def main(A: T.Tensor((1024, 64), "float32"), B: T.Tensor((1024, 64), "float32")):
            with T.Kernel(8, threads=threads, is_npu=True) as cid:
                a = T.alloc_shared((rows, 64), "float32")
                T.copy(A[cid * 128, 0], a)
                T.tile.add(a, a, 1.0)
                T.copy(a, B[cid * 128, 0])

        return tilelang.compile(main, out_idx=[1], pass_configs=CONFIGS)

    """
)


def checked(tmp_path: Path, call: str) -> KernelReport:
    files = Files()
    path = str(tmp_path / "k.py")
    files.set_text(path, SOURCE + call + "\n")
    (report,) = Checker(files).check(path).kernels
    return report


def copies(kernel: Kernel) -> list[tuple[Region, Region]]:
    found = [s for s in walk_stmts(kernel.body) if isinstance(s, TileOp) and s.op == "copy"]
    return [(s.args[0], s.args[1]) for s in found]  # type: ignore[misc]


def shape_of(kernel: Kernel, name: str) -> tuple[object, ...]:
    (buffer,) = {r.buffer for pair in copies(kernel) for r in pair if r.buffer.name == name}
    return kernel.place(buffer).shape


@pytest.mark.parametrize(("threads", "rows"), [(2, 64), (1, 128)])
def test_tiles_keep_half_of_their_rows(tmp_path: Path, threads: int, rows: int) -> None:
    lowered = checked(tmp_path, f"make(128, {threads})").lowered
    assert lowered is not None and shape_of(lowered, "a") == (rows, 64)


def test_copies_start_at_the_half_of_their_core(tmp_path: Path) -> None:
    lowered = checked(tmp_path, "make(128, 2)").lowered
    assert lowered is not None and lowered.launch is not None
    for source, target in copies(lowered):
        tensor = source if source.buffer.scope == "GM" else target
        assert lowered.launch.subblock in free_vars(tensor.starts[0])
        assert tensor.extents[0] == 64


def test_a_tile_of_one_row_is_not_divided(tmp_path: Path) -> None:
    lowered = checked(tmp_path, "make(1, 2)").lowered
    assert lowered is not None and shape_of(lowered, "a") == (1, 64)


def decided(tmp_path: Path, body: str) -> dict[str, str]:
    """What is told of the share of each tile."""
    start = SOURCE.index("            T.tile.add")
    path = str(tmp_path / "k.py")
    files = Files()
    lines = "".join(f"            {line}\n" for line in body.splitlines())
    end = SOURCE.index("            T.copy(a, B")
    files.set_text(path, SOURCE[:start] + lines + SOURCE[end:] + "make(64, 2)\n")
    (report,) = Checker(files).check(path).kernels
    assert report.lowered is not None
    names = {
        s.buffer.span: s.buffer.name
        for s in walk_stmts(report.lowered.body)
        if isinstance(s, Alloc)
    }
    shares = [reason for reason in report.lowered.reasons if reason.topic == "share"]
    return {names[r.span]: f"{r.decision}: {r.because}" for r in shares}


VECTOR = 'c = T.alloc_shared((64,), "float32")\nT.copy(A[0, 0:64], c)\n'
PARALLEL = "for i, j in T.Parallel(64, 64):\n    "


def test_a_vector_along_the_columns_is_whole(tmp_path: Path) -> None:
    found = decided(tmp_path, f"{VECTOR}{PARALLEL}a[i, j] = a[i, j] + c[j]")
    assert found["a"].startswith("32 of 64 rows")
    assert found["c"] == (
        "the whole tile on each vector core: it is indexed with j, where i is the row"
    )


def test_a_vector_of_rows_is_divided(tmp_path: Path) -> None:
    body = 'c = T.alloc_shared((64,), "float32")\nT.reduce_max(a, c, dim=-1)\n'
    found = decided(tmp_path, f"{body}{PARALLEL}a[i, j] = a[i, j] - c[i]")
    assert all(found[name].startswith("32 of 64 rows") for name in "ac")


def test_a_reduction_of_the_rows_leaves_its_tiles_whole(tmp_path: Path) -> None:
    body = 'c = T.alloc_shared((64,), "float32")\nT.reduce_max(a, c, dim=0)'
    found = decided(tmp_path, body)
    why = "the whole tile on each vector core: T.reduce_max does not keep to half of the rows"
    assert found == {"a": why, "c": why}
