"""Where hints go when the text changes. `^` under a line marks a hint behind that column."""

from __future__ import annotations

import random
import time

import pytest

from tl_ascend.ide.model import Hint
from tl_ascend.ide.shift import row_before, shift_hints
from tl_ascend.source.span import Position

MARK = "‸"


def parse(marked: str) -> tuple[str, tuple[Hint, ...]]:
    """A text and the hints that its marks stand for."""
    hints, lines = [], []
    for row, line in enumerate(marked.split("\n"), 1):
        while MARK in line:
            column = line.index(MARK)
            line = line.replace(MARK, "", 1)
            hints.append(Hint(Position(row, column), f"{row}", "values", "tip"))
        lines.append(line)
    return "\n".join(lines), tuple(hints)


def show(text: str, hints: tuple[Hint, ...]) -> str:
    """The text with marks."""
    lines = text.split("\n")
    for hint in sorted(hints, key=lambda hint: hint.position, reverse=True):
        row, column = hint.position.row - 1, hint.position.column
        lines[row] = lines[row][:column] + MARK + lines[row][column:]
    return "\n".join(lines)


@pytest.mark.parametrize(
    ("before", "after"),
    [
        # elsewhere
        ("a‸\nb‸\nc‸", "a‸\nb‸\nc‸"),
        ("a‸\nb‸", "new\na‸\nb‸"),
        ("a‸\nb‸", "a‸\nnew\nnew\nb‸"),
        ("a‸\nold\nb‸", "a‸\nb‸"),
        ("a‸\nb‸\nc‸", "a‸\nc‸"),
        # behind the hint on its line
        ("size‸ = 4", "size‸ = 42"),
        ("size‸ = 4", "size‸"),
        ("size‸ = 4", "size‸= 4"),
        # the token itself
        ("size‸ = 4", "sizes = 4"),
        ("size‸ = 4", "siz = 4"),
        ("size‸ = 4", " = 4"),
        ("f(x)‸", "f(x"),
        # before the hint on its line
        ("copy(a, b)‸", "copy(aa, b)‸"),
        ("copy(a, b)‸", "    copy(a, b)‸"),
        ("x = size‸", "xy = size‸"),
        ("x = size‸", "x = mysize"),
        ("x = size‸", "x = my size‸"),
        ("a‸ = b‸ + c‸", "a‸ = bb + c‸"),
        # both at once
        ("copy(a, b)‸  # x", "copy(aa, b)  # y"),
        # several lines, each for itself
        ("a‸ = 1\nb‸ = 2\nc‸ = 3", "a‸ = 10\nb‸ = 20\nc‸ = 30"),
        ("a‸\nb‸\nc‸\nd‸", "x\nb‸\nc‸\ny"),
        ("a‸ = 1\nmid‸\nb‸ = 2", "a‸ = 3\nnew\nmid‸\nb‸ = 4"),
        # lines broken and joined
        ("a‸ = f(x)‸", "a‸ =\nf(x)‸"),
        ("a‸ =\nf(x)‸", "a‸ = f(x)‸"),
        ("a‸ = 1", "a‸ = 1\n"),
        ("one‸ two‸ three‸", "one‸\ntwo\nthree‸"),
        # line ends of all kinds, and what is none
        ("a‸\r\nb‸", "new\r\na‸\r\nb‸"),
        ("a\x0c‸\nb‸", "new\na\x0c‸\nb‸"),
        # nothing left
        ("a‸\nb‸", ""),
        ("é‸ = 1", "é‸ = 12"),
    ],
)
def test_hints_go_with_their_tokens(before: str, after: str) -> None:
    text, hints = parse(before)
    new_text, _ = parse(after)
    assert show(new_text, shift_hints(hints, text, new_text)) == after


def test_nothing_else_changes() -> None:
    hint = Hint(Position(1, 1), "label", "buffers", "tip")
    (moved,) = shift_hints((hint,), "a", "\na")
    assert moved == Hint(Position(2, 1), "label", "buffers", "tip")
    assert shift_hints((), "a", "b") == ()
    assert shift_hints((hint,), "a", "a") == (hint,)


def test_places_stay_inside_the_text() -> None:
    """Whatever the edit is: rows exist, columns fit, and the token before the hint is the same."""
    dice = random.Random("shift")
    alphabet = "ab = (\n"
    for _ in range(3000):
        text = "".join(dice.choices(alphabet, k=dice.randrange(40)))
        lines = text.split("\n")
        places = [
            Position(row, column)
            for row, line in enumerate(lines, 1)
            for column in range(1, len(line) + 1)
        ]
        hints = tuple(Hint(place, lines[place.row - 1], "values") for place in places)
        start = dice.randrange(len(text) + 1)
        end = min(len(text), start + dice.randrange(6))
        new = text[:start] + "".join(dice.choices(alphabet, k=dice.randrange(6))) + text[end:]
        new_lines = new.split("\n")
        for hint in shift_hints(hints, text, new):
            line = new_lines[hint.position.row - 1]
            assert 0 < hint.position.column <= len(line)
            assert line[hint.position.column - 1] in hint.label


def test_rows_of_an_older_text() -> None:
    assert row_before("a\nb\nc", "a\nnew\nb\nc", 1) == 1
    assert row_before("a\nb\nc", "a\nnew\nb\nc", 2) is None
    assert row_before("a\nb\nc", "a\nnew\nb\nc", 4) == 3
    assert row_before("a", "a\nb", 9) is None


def test_a_large_file_is_quick() -> None:
    lines = [f"name{number} = {number}" for number in range(20_000)]
    hints = tuple(Hint(Position(row, 4), "x", "values") for row in range(1, 20_001, 10))
    old = "\n".join(lines)
    new = "\n".join(line.replace("=", "==") for line in lines)
    began = time.process_time()
    assert len(shift_hints(hints, old, "\n" + old)) == len(hints)
    shift_hints(hints, old, new)
    assert time.process_time() - began < 1.0
