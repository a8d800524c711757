"""Loops over rows as several loops, so that one barrier does for all rows."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import pytest
from tests.passes.happens_before import races
from tests.passes.interpret import result_of
from tests.passes.kernels import lowered, plus

from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.build import KernelBuilder, load, type_of
from tl_ascend.ir.expr import Call
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import For, Kernel, TileOp, regions_of, walk_stmts
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.pipeline import lower

ROWS = 12
Rows = Callable[[Any, Any], Any]  # part of a tile, row


def kernel(body: Callable[[KernelBuilder, list[Any], Rows, Any], None], **options: Any) -> Kernel:
    """Tiles that come from GM, a loop over their rows, and what it leaves goes to GM."""
    b = KernelBuilder()
    gm = [b.tensor(n, (ROWS + 4, 64), "float32") for n in "ABC"]
    b.launch(1)
    tiles = [b.alloc(n, (ROWS + 4, 64), "float32", "UB") for n in "xyz"]
    for place, tile in zip(gm, tiles, strict=True):
        b.op("copy", place, tile)
    with b.loop("i", options.pop("rows", ROWS)) as i:
        body(b, tiles, lambda tile, row: b.part(tile, (row, 1), (0, 64)), i)
    for place, tile in zip(gm, tiles, strict=True):
        b.op("copy", tile, place)
    return b.build(**{"sync": True, **options})


def shape(kernel: Kernel) -> list[str]:
    """Loops, vector calls and barriers of the vector unit, in order; in brackets what is in loops."""
    found: list[str] = []

    def visit(block: Any) -> None:
        for stmt in block:
            if isinstance(stmt, For):
                found.append("(")
                visit(stmt.body)
                found.append(")")
            elif isinstance(stmt, TileOp) and stmt.op == "pipe_barrier":
                found.append("|")
            elif isinstance(stmt, TileOp) and stmt.op.startswith("tile."):
                found.append(stmt.op.removeprefix("tile."))

    visit(kernel.body)
    return found


def two(first: Any, second: Any) -> Callable[..., None]:
    """`y[i + first] = exp(x[i]); z[i] = ln(y[i + second])`."""

    def body(b: KernelBuilder, tiles: list[Any], row: Rows, i: Any) -> None:
        x, y, z = tiles
        b.op("tile.exp", row(y, plus(i, first)), row(x, i))
        b.op("tile.ln", row(z, i), row(y, plus(i, second)))

    return body


def test_one_barrier_does_for_all_rows() -> None:
    result, _ = lowered(kernel(two(0, 0)))
    assert " ".join(shape(result)) == "( exp ) | ( ln )"
    assert races(result) == []
    (reason,) = (reason for reason in result.reasons if reason.topic == "parts")
    assert reason.decision == "2 loops"


def test_what_a_later_row_needs_of_an_earlier_one_may_come_sooner() -> None:
    result, _ = lowered(kernel(two(1, 0)))
    assert " ".join(shape(result)) == "( exp ) | ( ln )"
    assert races(result) == []


def test_what_a_later_row_overwrites_comes_later() -> None:
    result, _ = lowered(kernel(two(0, 1)))
    assert shape(result).count("(") == 1
    assert races(result) == []


def total(b: KernelBuilder, tiles: list[Any], row: Rows, i: Any) -> None:
    x, y, z = tiles
    b.op("tile.exp", row(y, i), row(x, i))
    b.op("tile.add", row(z, 0), row(z, 0), row(y, i))


def slots(b: KernelBuilder, tiles: list[Any], row: Rows, i: Any) -> None:
    x, y, z = tiles
    b.op("tile.exp", row(y, binary("%", i, 2)), row(x, i))
    b.op("tile.ln", row(z, i), row(y, binary("%", i, 2)))


def scaled(b: KernelBuilder, tiles: list[Any], row: Rows, i: Any) -> None:
    x, y, z = tiles
    b.op("tile.mul", row(y, i), row(x, i), load(x, plus(i, 1), 0))
    b.op("tile.exp", row(x, i), row(y, i))
    b.op("tile.add", row(z, i), row(z, i), load(x, plus(i, 2), 1))


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (total, "parted, it would touch z in another order"),
        (slots, "iterations use places of y in turns"),
    ],
)
def test_a_loop_that_would_need_a_barrier_in_each_row_stays(body: Any, why: str) -> None:
    result, _ = lowered(kernel(body))
    assert shape(result).count("(") == 1
    assert races(result) == []
    (reason,) = (reason for reason in result.reasons if reason.topic == "parts")
    assert (reason.decision, reason.because) == ("one loop", why)


def rows_times(first: Any, second: Any, kind: str) -> Callable[..., None]:
    """`y[i] = x[i] * s[i + first]` and then what has to wait for it. `kind`: whether `s` stays as it is,
    is what the loop works on, or is written by it at `second`."""

    def body(b: KernelBuilder, tiles: list[Any], row: Rows, i: Any) -> None:
        x, y, z = tiles
        of = x if kind == "worked on" else z
        b.op("tile.mul", row(y, i), row(x, i), load(of, plus(i, first), 0))
        b.op("tile.exp", row(y, i), row(y, i))
        if kind != "stays":
            b.op("tile.ln", row(of, plus(i, second)), row(y, i))

    return body


@pytest.mark.parametrize("kind", ["stays", "worked on", "written"])
@pytest.mark.parametrize(("first", "second"), [(0, 0), (1, 0), (0, 1), (0, 2), (2, 0)])
def test_scalars_of_rows_are_read_as_they_were(first: int, second: int, kind: str) -> None:
    before = kernel(rows_times(first, second, kind))
    parted = lower(before, LowerOptions(), Report(), until="part-loops")
    plain = lower(before, LowerOptions(), Report(), until="scalar-cache")
    assert result_of(parted) == result_of(plain)
    result, _ = lowered(before)
    assert races(result) == []
    # A row that is written before its scalar is read stays before it.
    assert (shape(result).count("(") == 1) is (kind != "stays" and first < second)


def test_what_was_written_before_it_is_read_as_a_scalar_is_waited_for_once() -> None:
    def body(b: KernelBuilder, tiles: list[Any], row: Rows, i: Any) -> None:
        x, y, z = tiles
        b.op("tile.exp", row(y, i), row(x, i))
        b.op("tile.mul", row(z, i), row(x, i), load(y, i, 0))

    result, _ = lowered(kernel(body))
    assert " ".join(shape(result)) == "( exp ) ( mul )"
    assert races(result) == []


def test_a_loop_whose_length_is_read_anew_stays() -> None:
    b = KernelBuilder()
    b.launch(1)
    x, y = (b.alloc(n, (ROWS, 64), "float32", "UB") for n in "xy")
    many = b.alloc("many", (64,), "int32", "UB")
    with b.loop("i", load(many, 0)) as i:
        b.op("tile.exp", b.part(y, (i, 1), (0, 64)), b.part(x, (i, 1), (0, 64)))
        b.op("tile.ln", b.part(y, (i, 1), (0, 64)), b.part(y, (i, 1), (0, 64)))
        b.op("tile.fill", b.part(many, (i, 1)), 1)
    result, _ = lowered(b.build(sync=True))
    assert shape(result).count("(") == 1
    (reason,) = (reason for reason in result.reasons if reason.topic == "parts")
    assert reason.because == "it changes how often it is run"


def test_calls_that_need_no_order_stay_in_one_loop() -> None:
    def body(b: KernelBuilder, tiles: list[Any], row: Rows, i: Any) -> None:
        x, y, z = tiles
        b.op("tile.exp", row(y, i), row(x, i))
        b.op("tile.ln", row(z, i), row(x, i))
        b.op("tile.add", row(x, i), row(y, i), row(z, i))

    result, _ = lowered(kernel(body))
    assert " ".join(shape(result)) == "( exp ln ) | ( add )"


def test_the_loop_of_an_author_who_synchronises_stays() -> None:
    result, _ = lowered(kernel(two(0, 0), sync=False))
    assert " ".join(shape(result)) == "( exp ln )"


@pytest.mark.parametrize("seed", range(40))
def test_random_rows_give_what_they_gave(seed: int) -> None:
    rng = random.Random(seed)

    def body(b: KernelBuilder, tiles: list[Any], row: Rows, i: Any) -> None:
        for _ in range(rng.randrange(2, 5)):
            out, one, other = (rng.choice(tiles) for _ in range(3))
            places = [rng.choice([i, i, i, plus(i, 1), 0]) for _ in range(3)]
            kind = rng.choice(["tile.add", "tile.mul", "tile.exp"])
            parts = [row(t, p) for t, p in zip((out, one, other), places, strict=True)]
            if rng.random() < 0.3:
                parts[2] = load(other, places[2], rng.randrange(2))
            b.op(kind, *(parts[:2] if kind == "tile.exp" else parts))

    before = kernel(body, rows=rng.choice([2, 3, ROWS]), planning=bool(seed % 2))
    parted = lower(before, LowerOptions(), Report(), until="part-loops")
    plain = lower(before, LowerOptions(), Report(), until="scalar-cache")
    assert result_of(parted) == result_of(plain)
    assert races(lowered(before)[0], seed) == []
    assert sum(isinstance(s, TileOp) for s in walk_stmts(parted.body)) == sum(
        isinstance(s, TileOp) for s in walk_stmts(plain.body)
    )


def rows_of(value: Any, columns: int = 64) -> Kernel:
    """`for i, j in T.Parallel: x[i, j] = value(x, y, s, i, j)`."""
    b = KernelBuilder()
    gm = [b.tensor(n, (ROWS, 64), "float32") for n in "AB"]
    single = b.tensor("S", (16,), "float32")
    b.launch(1)
    x, y = (b.alloc(n, (ROWS, 64), "float32", "UB") for n in "xy")
    s = b.alloc("s", (16,), "float32", "UB")
    for place, tile in ((gm[0], x), (gm[1], y), (single, s)):
        b.op("copy", place, tile)
    with b.loop("i", ROWS, kind="parallel") as i, b.loop("j", columns, kind="parallel") as j:
        b.store(x, (i, j), value(x, y, s, i, j))
    b.op("copy", x, gm[0])
    return lowered(b.build(sync=True, planning=True))[0]


def _chain(x: Any, y: Any, s: Any, i: Any, j: Any) -> Any:
    scaled = binary("-", binary("*", load(x, i, j), 0.5), load(s, i))
    return binary("+", Call("exp", (scaled,), type_of("float32")), load(y, i, j))


def test_calls_without_an_operand_of_their_row_are_one_for_all_rows() -> None:
    result = rows_of(_chain)
    assert shape(result) == "mul | ( sub ) | exp | add".split()
    assert races(result) == []
    whole = [s for s in walk_stmts(result.body) if isinstance(s, TileOp) and s.form == "Exp"]
    assert [region.extents for call in whole for region in regions_of(call)] == [(ROWS, 64)] * 2
    told = {reason.topic: f"{reason.decision}: {reason.because}" for reason in result.reasons}
    assert told["parts"].startswith("one loop and 3 calls on all rows: ")
    assert told["rows"].endswith("Adds takes one number a call, and each row has its own s[i]")


def test_rows_that_do_not_lie_one_behind_the_other_stay_rows() -> None:
    assert shape(rows_of(_chain, columns=32)) == "( mul ) | ( sub ) | ( exp ) | ( add )".split()
