"""Names in `T.Parallel` loops, and tiles for them and for intermediate results."""

from __future__ import annotations

from typing import Any

import pytest
from tests.passes.kernels import plus
from tests.passes.parallel_loops import Loop

from tl_ascend.ir.build import load, type_of
from tl_ascend.ir.expr import Call, Var
from tl_ascend.ir.fold import binary, compare, select
from tl_ascend.ir.nodes import Let


def test_a_name_outlives_what_its_value_was_read_from() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        value = Var("t", k.b.uid(), "let", None, None, type_of("float32"))
        k.b.add(Let(value, load(k.a, i, j), k.b.span()))
        k.set(k.a, i, j)(load(k.c, i, j))
        k.set(k.c, i, j)(value)

    text, said = k.over(body)
    assert said == []
    assert text.splitlines() == [
        "copy_ub_to_ub(a, t_tmp_0)",
        "copy_ub_to_ub(c, a)",
        "copy_ub_to_ub(t_tmp_0, c)",
    ]


def test_a_name_whose_value_stays_needs_no_tile() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        value = k.b.let("t", load(k.a, i, j))
        k.set(k.a, i, j)(plus(value, 1.0))
        k.set(k.c, i, j)(load(k.a, i, j))

    text, _ = k.over(body)
    assert "tmp" not in text


@pytest.mark.parametrize("uses", [1, 2, 3])
@pytest.mark.parametrize("room", [True, False])
def test_what_several_statements_need_is_computed_once_where_there_is_room(
    uses: int, room: bool
) -> None:
    k = Loop()
    if not room:
        crowd(k, 4096)

    def body(i: Any, j: Any) -> None:
        value = Var("t", k.b.uid(), "let", None, None, type_of("float32"))
        k.b.add(Let(value, Call("exp", (load(k.a, i, j),), value.type), k.b.span()))
        for target, operand in list(((k.c, 1.0), (k.x, 2.0), (k.a, 3.0)))[:uses]:
            k.set(target, i, j)(plus(value, operand))

    text, _ = k.over(body)
    assert text.count("Exp(") == (1 if room else uses)


def test_numbers_that_several_loops_of_a_nest_need_are_made_once() -> None:
    k = Loop()

    def body(i: Any, j: Any) -> None:
        k.b.store(k.c, (i, j), plus(load(k.a, i, j), j))
        k.b.store(k.x, (i, j), plus(load(k.x, i, j), j))

    text, _ = k.over(body)
    assert text.count("CreateVecIndex") == 1 and text.startswith(
        "CreateVecIndex(c_tmp_0, 0.0)\nfor"
    )


ROOM = 192 * 1024 - 256


def crowd(k: Loop, left: int, own: int = 3 * 32 * 64 * 4) -> None:
    """Leave so many bytes of the UB to other tiles than those of the loop, `own`, and a large one."""
    large = k.tile("large", ((ROOM - own - left) // 4,))
    k.b.blocks[0].insert(-3, k.b.blocks[0].pop())
    k.b.op("tile.fill", large, 0.0)


CHOICE = "a choice between two values has no vector form there"
SIZES = {
    8704: ("", 3),
    6000: ("2 pieces of 16 rows", 3),
    450: ("32 pieces of 1 row", 3),
    40: ("lowered to 2048 scalar operations", 0),
}


@pytest.mark.parametrize("left", SIZES)
def test_loops_are_done_in_pieces_where_tiles_for_all_do_not_fit(left: int) -> None:
    said, calls = SIZES[left]
    k = Loop()
    crowd(k, left)
    text, findings = k.over(
        lambda i, j: k.set(k.c, i, j)(
            select(compare(">", load(k.a, i, j), 0.0), plus(load(k.x, i, j), 1.0), load(k.a, i, j))
        )
    )
    assert {finding.name for finding in findings} == {"parallel-not-vectorised"}
    assert any(f.message.endswith(CHOICE) for f in findings) == (calls > 0)
    if said:
        assert any(said in finding.message for finding in findings)
    assert sum(text.count(name) for name in ("Adds(", "CompareScalar(", "Select(")) == calls


@pytest.mark.parametrize(
    ("extent", "left"), [(1024, 3000), (1000, 3000), (4096, 1024), (4096, 100)]
)
def test_a_long_row_is_done_in_parts(extent: int, left: int) -> None:
    k = Loop()
    a, c = k.tile("s", (extent,)), k.tile("u", (extent,))
    for _ in range(2):
        k.b.blocks[0].insert(-3, k.b.blocks[0].pop())
    crowd(k, left, 2 * extent * 4)
    text, findings = k.over(lambda i: k.set(c, i)(binary("/", 2.0, load(a, i))), (extent,))
    fits = left >= 4 * 32
    assert ("Div(u[" in text) == fits
    assert {finding.name for finding in findings} == {"parallel-not-vectorised"}
    if fits:
        assert text.count("Div(u[") == (2 if extent % 512 else 1)


@pytest.mark.parametrize("upstream", ["snapshot", "none"])
def test_tiles_that_upstream_makes_too_are_told_where_they_do_not_fit(upstream: str) -> None:
    k = Loop()
    crowd(k, 4096)
    text, findings = k.over(
        lambda i, j: k.set(k.c, i, j)(
            binary("+", plus(load(k.a, i, j), 1.0), plus(load(k.x, i, j), 2.0))
        ),
        upstream=upstream,
    )
    names = [finding.name for finding in findings]
    assert names == ["ub-overflow" if upstream == "snapshot" else "parallel-not-vectorised"]


def test_statements_that_read_what_others_write_elsewhere_are_not_taken_in_turns() -> None:
    """In pieces, the second one would read old elements behind the piece."""
    k = Loop()
    crowd(k, 2048)

    def body(i: Any, j: Any) -> None:
        k.set(k.c, i, j)(binary("/", 1.0, load(k.a, i, j)))
        k.set(k.x, i, j)(binary("/", 2.0, load(k.c, binary("-", 31, i), j)))

    text, findings = k.over(body)
    assert "piece" not in text
    assert any("do not fit" in finding.message for finding in findings)


def test_tiles_of_loops_that_follow_each_other_may_share_bytes() -> None:
    """What counts is what is needed at one time."""
    k = Loop()
    names = [k.tile(f"t{n}", (64 * 256,)) for n in range(4)]
    for _ in names:
        k.b.blocks[0].insert(-3, k.b.blocks[0].pop())
    for one, other in zip(names, names[1:], strict=False):
        k.b.op("tile.exp", other, one)
    text, findings = k.over(
        lambda i, j: k.set(k.c, i, j)(binary("/", 2.0, load(k.a, i, j))), planning=True
    )
    assert "Div(c, c_tmp_0, a)" in text and "for" not in text
    assert all("lowered" not in finding.message for finding in findings)


@pytest.mark.parametrize("left", [9000, 2500, 600])
def test_the_outermost_of_three_loops_is_taken_turn_by_turn(left: int) -> None:
    k = Loop()
    cube = k.tile("cube", (4, 8, 64))
    k.b.blocks[0].insert(-3, k.b.blocks[0].pop())
    crowd(k, left, 4 * 8 * 64 * 4)
    text, findings = k.over(
        lambda i, j, n: k.set(cube, i, j, n)(binary("/", 2.0, load(cube, i, j, n))), (4, 8, 64)
    )
    assert "Div(" in text and "for k in" not in text
    assert all(f.name.startswith("parallel-") for f in findings)
    pieces = [f for f in findings if "pieces of" in f.message]
    assert len(pieces) == {9000: 0, 2500: 0, 600: 2}[left]
