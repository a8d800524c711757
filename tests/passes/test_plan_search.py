"""Whatever a linear scan can place with an author's addresses in the way, the planner places, too."""

from __future__ import annotations

import random
from dataclasses import dataclass

import pytest

from tl_ascend.ir.liveness import Life
from tl_ascend.ir.nodes import Break, Buffer
from tl_ascend.passes.plan_memory import Item, meet, plan
from tl_ascend.source.span import Home, Span
from tl_ascend.target.dtypes import BY_NAME
from tl_ascend.target.hardware import Capacity

LIMIT, BLOCK = 6136 * 32, 32
NOWHERE = Span(Home("", ""), 0)


@dataclass(frozen=True)
class Piece:
    """Bytes that are wanted from one moment to another; `at`: where the author puts them."""

    size: int
    begin: int
    end: int
    at: int | None = None


def scanned(pieces: list[Piece]) -> bool:
    """By first use: behind what has begun so far, else in the lowest gap of what is alive."""
    places: list[tuple[int, Piece]] = []
    for piece in sorted(pieces, key=lambda piece: piece.begin):
        behind = max((at + one.size for at, one in places), default=0)
        known = [(one.at, one) for one in pieces if one.at is not None]
        rivals = [
            (at, one)
            for at, one in {*places, *known}
            if one is not piece and one.begin <= piece.end and piece.begin <= one.end
        ]
        gaps = sorted({0, *(at + one.size for at, one in rivals)})
        tried = [behind, *gaps] if piece.at is None else [piece.at]
        place = next((at for at in tried if _free(at, piece, rivals)), None)
        if place is None:
            return False
        places.append((place, piece))
    return True


def _free(at: int, piece: Piece, rivals: list[tuple[int, Piece]]) -> bool:
    end = at + piece.size
    return end <= LIMIT and all(end <= low or low + one.size <= at for low, one in rivals)


def crowded(seed: int) -> list[Piece]:
    """Tiles that fill most of the memory, one to three of them at addresses of the author's."""
    rng = random.Random(seed)
    count = rng.randint(5, 14)
    ends = [rng.randint(n, min(n + 6, count)) for n in range(count)]
    sizes = [rng.randint(1, rng.choice((1200, 2400, 3600))) * BLOCK for _ in range(count)]
    own = rng.sample(range(count), rng.randint(1, 3))
    return [
        Piece(
            sizes[n],
            2 * n,
            2 * ends[n] + 1,
            rng.randrange(0, LIMIT - sizes[n] + 1, BLOCK) if n in own else None,
        )
        for n in range(count)
    ]


def items_of(pieces: list[Piece]) -> list[Item]:
    items = []
    for n, piece in enumerate(pieces):
        buffer = Buffer(f"b{n}", n, (piece.size,), BY_NAME["uint8"], "UB", NOWHERE)
        use = Break(NOWHERE)
        span = (piece.begin, piece.end)
        life = Life(buffer, piece.begin, span, span, use, use)
        fixed = piece.at is not None
        items.append(Item(buffer, piece.size, life, n, piece.size, piece.at, fixed))
    return items


@pytest.mark.parametrize("first", range(0, 4000, 1000))
def test_what_a_linear_scan_places_fits(first: int) -> None:
    placed = 0
    for seed in range(first, first + 1000):
        pieces = crowded(seed)
        if sum(piece.size for piece in pieces) <= LIMIT or not scanned(pieces):
            continue
        placed += 1
        items = items_of(pieces)
        assert plan(items, Capacity(LIMIT, LIMIT, BLOCK)), f"seed {seed}: {pieces}"
        for n, one in enumerate(items):
            assert one.address is not None and one.end <= LIMIT, f"seed {seed}"
            for other in items[:n]:
                apart = one.address >= other.end or other.address >= one.end  # type: ignore[operator]
                assert apart or not meet(one, other, sound=True), f"seed {seed}"
    assert placed > 20
