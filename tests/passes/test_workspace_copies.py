"""Copies between the cores lead through GM, wherever they stand."""

from __future__ import annotations

from dataclasses import replace

from tests.passes.cores import disorder
from tests.passes.happens_before import races
from tests.passes.kernels import lowered, memory, named, plus, times
from tests.passes.test_split_cores import sides

from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.fold import compare
from tl_ascend.ir.nodes import Kernel, TileOp, walk_stmts
from tl_ascend.ir.text import kernel_text
from tl_ascend.passes.workspace_copies import AUTO_GM
from tl_ascend.target.hardware import PLATFORMS

ALL = {"combine": True, "sync": True, "planning": True, "cv_sync": True}


def start(threads: int | None = None) -> KernelBuilder:
    """A kernel with tiles in every memory: l1 (filled), l0, ub and half (float16)."""
    b = KernelBuilder()
    a = b.tensor("A", (64, 64), "float16")
    b.tensor("C", (64, 64), "float32")
    b.launch(4, threads)
    rows = 64 if threads == 2 else 32
    l1, _ = b.alloc("l1", (64, 64), "float16", "L1"), b.alloc("l0", (64, 64), "float32", "L0C")
    b.alloc("ub", (rows, 64), "float32", "UB")
    b.alloc("half", (rows, 64), "float16", "UB")
    b.alloc("p1", (64, 64), "float16", "L1")
    b.op("copy", a, l1)
    return b


def tile(b: KernelBuilder, name: str) -> object:
    found = next(s for s in b.blocks[0] if getattr(getattr(s, "buffer", None), "name", "") == name)
    return found.buffer  # type: ignore[union-attr]


def checked(b: KernelBuilder, **options: object) -> tuple[Kernel, dict[str, list[str]]]:
    kernel, findings = lowered(b.build(**{**ALL, **options}))  # type: ignore[arg-type]
    assert findings == []
    assert disorder(kernel) == [] and races(kernel) == []
    calls = {
        side: [op for op in ops if "flag" not in op and "barrier" not in op]
        for side, ops in sides(kernel).items()
    }
    return kernel, calls


def test_the_accumulator_reaches_the_ub() -> None:
    b = start()
    l1, l0, ub = tile(b, "l1"), tile(b, "l0"), tile(b, "ub")
    vid = b.frame.subblock  # type: ignore[union-attr]
    b.op("gemm_v0", l1, l1, l0, init=True)
    b.op("copy", b.part(l0, (times(vid, 32), 32), (0, 64)), ub)
    b.op("tile.fill", tile(b, "half"), 1.0)
    b.op("tile.exp", ub, ub)
    kernel, calls = checked(b)
    assert calls["C"] == ["copy_gm_to_l1", "gemm_v0", "copy_l0c_to_gm"]
    # Read directly before the first use, not where the author wrote the copy.
    assert calls["V"] == ["Fill", "copy_gm_to_ub", "Exp"]
    workspace = named(kernel, "workspace_1")
    assert workspace.shape == (4, 64, 64) and workspace.dtype.name == "float32"
    assert kernel.params[-1].value is workspace and memory(kernel, "workspace_1") == "GM"
    assert kernel.attrs[AUTO_GM] == (2,)
    text = kernel_text(kernel)
    assert "copy_l0c_to_gm(l0, workspace_1[cid, :, :])" in text  # both halves at once
    assert "copy_gm_to_ub(workspace_1[cid, vid * 32:vid * 32 + 32, :], ub)" in text


def test_the_type_is_that_of_the_destination() -> None:
    b = start()
    l1, l0, half = tile(b, "l1"), tile(b, "l0"), tile(b, "half")
    b.op("gemm_v0", l1, l1, l0, init=True)
    b.op("copy", b.part(l0, (0, 32), (0, 64)), half, enable_relu=True)
    b.op("tile.exp", half, half)
    kernel, _ = checked(b)
    assert named(kernel, "workspace_1").dtype.name == "float16"
    relu = {
        s.form: s.args[2]
        for s in walk_stmts(kernel.body)
        if isinstance(s, TileOp)
        if s.form in ("copy_l0c_to_gm", "copy_gm_to_ub")
    }
    assert relu == {"copy_l0c_to_gm": True, "copy_gm_to_ub": False}


def test_indices_from_the_end_keep_their_parameter() -> None:
    b = start()
    l0, ub = tile(b, "l0"), tile(b, "ub")
    b.op("copy", b.part(l0, (0, 32), (0, 64)), ub)
    b.op("copy", ub, b.part(b.params[1].value, (0, 32), (0, 64)))
    kernel, _ = lowered(b.build(out=(-1,), **ALL))
    assert kernel.options.out_idx == (1,)


def test_threads_2_moves_each_half() -> None:
    b = start(threads=2)
    l1, l0, ub, half = (tile(b, name) for name in ("l1", "l0", "ub", "half"))
    p1 = tile(b, "p1")
    b.op("gemm_v0", l1, l1, l0, init=True)
    b.op("copy", l0, ub)
    b.op("copy", ub, half)
    b.op("copy", half, p1)
    b.op("gemm_v0", p1, l1, l0, init=True)
    kernel, calls = checked(b)
    assert calls["C"] == ["copy_gm_to_l1", "gemm_v0", "copy_l0c_to_gm", "copy_gm_to_l1", "gemm_v0"]
    text = kernel_text(kernel)
    assert "copy_gm_to_ub(workspace_1[cid, vid * 32:vid * 32 + 32, :], ub)" in text
    assert "copy_ub_to_gm(half, workspace_2[cid, vid * 32:vid * 32 + 32, :])" in text
    assert "copy_gm_to_l1(workspace_2[cid, :, :], p1)" in text


def test_a_tile_filled_in_pieces_is_read_once_for_all_its_uses() -> None:
    b = start()
    l1, l0, half, p1 = (tile(b, name) for name in ("l1", "l0", "half", "p1"))
    vid = b.frame.subblock  # type: ignore[union-attr]
    with b.loop("k", 3):
        with b.loop("i", 32) as i:
            b.op("tile.fill", half, 1.0)
            b.op("copy", b.part(half, i, (0, 64)), b.part(p1, plus(times(vid, 32), i), (0, 64)))
        b.op("gemm_v0", p1, l1, l0, init=True)
        with b.loop("j", 2):
            b.op("gemm_v0", p1, l1, l0)
    _, calls = checked(b)
    assert calls["C"] == ["copy_gm_to_l1", "For", "copy_gm_to_l1", "gemm_v0", "For", "gemm_v0"]


def test_uses_in_both_branches_and_after_are_served() -> None:
    b = start()
    l1, l0, half, p1 = (tile(b, name) for name in ("l1", "l0", "half", "p1"))
    with b.loop("k", 4) as k:
        with b.when(compare(">", k, 1)):
            b.op("copy", half, b.part(p1, (0, 32), (0, 64)))
            b.op("gemm_v0", p1, l1, l0)
        with b.otherwise():
            b.op("gemm_v0", p1, l1, l0)
    b.op("gemm_v0", p1, l1, l0)
    kernel, findings = lowered(b.build(combine=True, sync=True, planning=True))
    assert findings == []
    cube = [op for op in sides(kernel)["C"] if op in ("If", "copy_gm_to_l1", "gemm_v0")]
    # Each use has the newest image: the first branch's, an earlier iteration's, the loop's.
    assert cube[1:] == ["If", *["copy_gm_to_l1", "gemm_v0"] * 3]


def test_a_copy_in_a_loop_with_the_use_outside() -> None:
    b = start()
    l1, l0, ub = tile(b, "l1"), tile(b, "l0"), tile(b, "ub")
    with b.loop("k", 4):
        b.op("gemm_v0", l1, l1, l0, init=True)
        b.op("copy", b.part(l0, (0, 32), (0, 64)), ub)
    b.op("tile.exp", ub, ub)
    _, calls = checked(b)
    assert calls["V"] == ["For", "copy_gm_to_ub", "Exp"]


def test_the_authors_barrier_stands_behind_the_whole_copy() -> None:
    b = start()
    l0, ub = tile(b, "l0"), tile(b, "ub")
    b.op("copy", b.part(l0, (0, 32), (0, 64)), ub)
    b.op("barrier_all")
    b.op("tile.exp", ub, ub)
    kernel, _ = lowered(b.build(combine=True))
    assert sides(kernel)["V"] == ["copy_gm_to_ub", "barrier_all", "Exp"]


def test_the_authors_scopes_each_get_their_half() -> None:
    b = start()
    l1, l0, ub = tile(b, "l1"), tile(b, "l0"), tile(b, "ub")
    with b.scope("C"):
        b.op("gemm_v0", l1, l1, l0, init=True)
        b.op("copy", b.part(l0, (0, 32), (0, 64)), ub)
    with b.scope("V"):
        with b.loop("k", 2) as k:
            with b.when(compare(">", load(b.alloc("n", (), "int32", "var")), k)):
                b.op("tile.exp", ub, ub)
    kernel, _ = lowered(b.build())
    assert sides(kernel)["V"][-2:] == ["copy_gm_to_ub", "Exp"]
    assert sides(kernel)["C"] == ["gemm_v0", "copy_l0c_to_gm"]


def test_a_platform_with_the_path_keeps_the_copy() -> None:
    b = start()
    l0, ub = tile(b, "l0"), tile(b, "ub")
    b.op("copy", b.part(l0, (0, 32), (0, 64)), ub)
    kernel = replace(b.build())
    after, _ = lowered(kernel, platform=PLATFORMS["A5"])
    assert len(after.params) == 2 and AUTO_GM not in after.attrs
    assert "copy_l0c_to_ub" in [s.form for s in walk_stmts(after.body) if isinstance(s, TileOp)]
