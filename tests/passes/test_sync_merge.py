"""Where flags between two pipes are more than ids, some serve for two."""

from __future__ import annotations

from typing import Any

import pytest
from tests.passes.kernels import plus
from tests.passes.test_sync_in_turns import flags, idle, synced

from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.fold import binary, compare
from tl_ascend.ir.nodes import Kernel, TileOp, walk_stmts
from tl_ascend.passes.summary import sync_counts

MANY = 16


def inputs(
    slots: list[int], authors: int = 0, order: int = 1, leave: bool = False, inner: int = 0
) -> KernelBuilder:
    """Iterations that load many tiles, each in turns, and use them one after the other. `authors`:
    so many ids between the pipes are the author's; `order`: -1 where they are used last first;
    `leave`: the loop may be left in its midst; `inner`: rows are taken by a loop in it."""
    b, n = KernelBuilder(), len(slots)
    a, c = b.tensor("A", (MANY, n, 64), "float32"), b.tensor("C", (MANY, 64), "float32")
    limits = b.tensor("L", (8,), "int32")
    b.launch(1)
    tiles = [b.alloc(f"t{at}", (slot, 64), "float32", "UB") for at, slot in enumerate(slots)]
    out = b.alloc("out", (2, 64), "float32", "UB")
    for event in range(authors):
        b.op("set_flag", "v", "mte2", event)
        b.op("wait_flag", "v", "mte2", event)
        b.op("set_flag", "mte2", "v", event)
        b.op("wait_flag", "mte2", "v", event)

    def row(k: Any) -> None:
        parts = [
            b.part(tile, binary("%", k, slot), (0, 64))
            for tile, slot in zip(tiles, slots, strict=True)
        ]
        for at, part in enumerate(parts):
            b.op("copy", b.part(a, k, at, (0, 64)), part)
        if leave:
            with b.when(compare(">", k, plus(load(limits, 3), 100))):
                b.leave()
        result = b.part(out, binary("%", k, 2), (0, 64))
        b.op("tile.exp", result, parts[::order][0])
        for part in parts[::order][1:]:
            b.op("tile.add", result, result, part)
        b.op("copy", result, b.part(c, k, (0, 64)))

    if inner:
        with b.loop("i", MANY // inner) as i, b.loop("k", inner) as k:
            row(plus(binary("*", i, inner), k))
    else:
        with b.loop("k", MANY) as k:
            row(k)
    return b


def overlaps(kernel: Kernel, inputs: int) -> bool:
    """True where no more is lost than the first load and the last result, and a full barrier
    nowhere."""
    return sync_counts(kernel)["barrier_all"] == 0 and idle(kernel) <= inputs + 1


@pytest.mark.parametrize("count", [3, 4, 5, 6, 7, 8, 11])
def test_any_number_of_double_buffers_overlaps(count: int) -> None:
    assert overlaps(synced(inputs([2] * count)), count)


@pytest.mark.parametrize("slots", [[3, 3, 3], [2, 3, 2, 3, 2], [4, 4, 2], [2, 2, 2, 2, 2, 3]])
def test_so_do_buffers_of_different_depth(slots: list[int]) -> None:
    assert overlaps(synced(inputs(slots)), len(slots))


@pytest.mark.parametrize("authors", [3, 5, 6])
def test_so_they_do_beside_ids_of_the_author(authors: int) -> None:
    assert overlaps(synced(inputs([2, 2, 2], authors)), 3)


def test_so_they_do_in_a_loop_that_may_be_left() -> None:
    assert overlaps(synced(inputs([2] * 6, leave=True)), 6)


def test_those_used_last_first_are_all_there_before_any_is_used() -> None:
    kernel = synced(inputs([2] * 6, order=-1))
    assert sync_counts(kernel)["barrier_all"] == 0
    assert idle(kernel) < 6 * MANY / 2


def test_a_flag_for_two_says_what_it_orders() -> None:
    kernel = synced(inputs([2] * 6))
    calls = [s for s in walk_stmts(kernel.body) if isinstance(s, TileOp) and s.op == "set_flag"]
    loads = " ".join(c.reason for c in calls if c.args[:2] == ("MTE2", "V"))
    assert all(f"V reads t{at}" in loads for at in range(6))


def test_where_ids_do_nothing_is_merged() -> None:
    kernel = synced(inputs([2, 2, 2]))
    sets = {call[1:] for call in flags(kernel) if call[:3] == ("set_flag", "MTE2", "V")}
    assert len(sets) == 3
