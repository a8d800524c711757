"""The order in which T.Persistent walks its domain."""

from __future__ import annotations

from itertools import product

import pytest

from tl_ascend.frontend.kernel_frames import coordinates, group_of


@pytest.mark.parametrize(
    ("domain", "group"),
    [((4, 16), 8), ((3, 8), 8), ((2, 4), 8), ((5, 12), 8), ((7,), 8), ((2, 3, 6), 4)],
)
def test_every_tile_has_one_position(domain: tuple[int, ...], group: int) -> None:
    total = 1
    for extent in domain:
        total *= extent
    found = [tuple(coordinates(domain, position, group)) for position in range(total)]
    assert sorted(found) == sorted(product(*map(range, domain)))


def test_rows_come_before_the_next_group_of_columns() -> None:
    found = [tuple(coordinates((2, 4), position, 2)) for position in range(8)]
    first_group = [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert found == [*first_group, *((row, column + 2) for row, column in first_group)]


def test_a_group_divides_the_columns() -> None:
    assert [group_of(columns, 8) for columns in (16, 12, 4, 7)] == [8, 6, 4, 7]
