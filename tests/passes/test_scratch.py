"""Hidden scratch: size, type and place."""

from __future__ import annotations

import pytest
from tests.passes.kernels import lowered

from tl_ascend.ir.build import KernelBuilder
from tl_ascend.ir.nodes import Buffer, Kernel, TileOp, walk_stmts
from tl_ascend.passes.scratch import scratch_bytes


def calls(kernel: Kernel) -> list[TileOp]:
    return [s for s in walk_stmts(kernel.body) if isinstance(s, TileOp)]


def one(name: str, kind: str, shape: tuple[int, ...], *more: object) -> int:
    """The scratch of one call with a destination and a source of the same shape."""
    b = KernelBuilder()
    b.launch(1)
    dst, src = (b.alloc(n, shape, kind, "UB") for n in ("dst", "src"))
    b.op(name, dst, src, *more)
    kernel, _ = lowered(b.build())
    return scratch_bytes(calls(kernel)[0])


@pytest.mark.parametrize(
    ("name", "kind", "more", "size"),
    [
        ("tile.sin", "float32", (), 2 * 16384),
        ("tile.cos", "float16", (), 2 * 8192),
        ("tile.sigmoid", "float32", (), 16384),
        ("tile.round", "float32", (4096,), 16384),
        ("tile.clamp_max", "float32", (1.0, 4096), 16384),
        ("tile.exp", "float32", (), 0),
    ],
)
def test_size_of_a_whole_tile(name: str, kind: str, more: tuple[object, ...], size: int) -> None:
    assert one(name, kind, (64, 64), *more) == size


def test_small_tiles_get_what_the_library_asks_for() -> None:
    assert one("tile.sin", "float32", (8,)) == 768
    assert one("tile.sigmoid", "float32", (8,)) == 256


def test_rows_of_a_reduction_are_whole_blocks() -> None:
    b = KernelBuilder()
    b.launch(1)
    tile = b.alloc("tile", (16, 20), "float16", "UB")
    out = b.alloc("out", (16,), "float16", "UB")
    b.op("reduce_max", tile, out)
    kernel, _ = lowered(b.build())
    assert scratch_bytes(calls(kernel)[0]) == 16 * 64


def test_a_repeated_column_has_a_block_for_each_row() -> None:
    b = KernelBuilder()
    b.launch(1)
    wide = b.alloc("wide", (64, 8), "float32", "UB")
    column = b.alloc("column", (64, 1), "float32", "UB")
    line = b.alloc("line", (1, 8), "float32", "UB")
    b.op("tile.broadcast", wide, column)
    b.op("tile.broadcast", wide, line)
    kernel, _ = lowered(b.build())
    assert [scratch_bytes(call) for call in calls(kernel)] == [64 * 32, 64 * 8]


def test_blended_blocks_have_room_for_every_weight_of_the_tile() -> None:
    """CANN spreads all of it, also what no step takes."""
    b = KernelBuilder()
    b.launch(1)
    source, out = (b.alloc(n, (256,), "float16", "UB") for n in ("source", "out"))
    offsets = b.alloc("offsets", (32,), "uint32", "UB")
    few, many = (b.alloc(f"w{n}", (n,), "float16", "UB") for n in (16, 128))
    for weights in (few, many):
        b.op("tile.bilinear_interpolation", out, source, offsets, weights, 128, 2, False, 1, 128, 2)
    kernel, _ = lowered(b.build())
    sizes = [scratch_bytes(call) for call in calls(kernel)]
    assert sizes == [4 * 512, 4 * 8 * 32 + 128 * 32]


def sorting() -> Kernel:
    b = KernelBuilder()
    b.launch(1)
    values = b.alloc("values", (100,), "float32", "UB")
    halves = b.alloc("halves", (64,), "float16", "UB")
    pairs = b.alloc("pairs", (256,), "float32", "UB")
    best = b.alloc("best", (64,), "float16", "UB")
    b.op("tile.topk", best, halves, 8, 64)
    b.op("tile.sort", pairs, values, 100)
    b.op("tile.topk", pairs, values, 8, 100)
    b.op("tile.merge_sort", pairs, values, values)
    return lowered(b.build())[0]


def test_sorting_has_scratch_of_its_own_type() -> None:
    """Whole groups of 32: eight times the elements for a sort, four for the greatest of floats."""
    kernel = sorting()
    tiles = {buffer.name: (str(buffer.dtype), buffer.shape) for buffer in kernel.scratch}
    assert tiles == {
        "tmp_ub_1": ("float16", (8 * 64,)),
        "tmp_ub_2": ("float32", (8 * 128,)),
        "tmp_ub": ("uint8", (1024,)),
    }
    used = [call.extra[0].buffer.name for call in calls(kernel)]
    assert used == ["tmp_ub_1", "tmp_ub_2", "tmp_ub_2", "tmp_ub"]
    assert calls(kernel)[2].extra[0].extents == (4 * 128,)


def test_scratch_shares_one_tile() -> None:
    b = KernelBuilder()
    b.launch(1)
    tile = b.alloc("tile", (64,), "float32", "UB")
    other = b.alloc("other", (64,), "float32", "UB")
    b.op("tile.sin", other, tile)
    b.op("tile.sigmoid", other, tile)
    kernel, _ = lowered(b.build())
    (scratch,) = kernel.scratch
    assert isinstance(scratch, Buffer) and scratch.shape == (768,)
    assert [call.extra[0].extents for call in calls(kernel)] == [(768,), (256,)]
