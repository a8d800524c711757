"""Automatic synchronisation of loops in loops that use slots in turns: no race, whatever they count."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.passes.happens_before import races
from tests.passes.kernels import lowered, plus, times

from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.fold import binary, compare
from tl_ascend.ir.text import kernel_text
from tl_ascend.passes import sync_ids


class Rings:
    """Loops over rows with loops over columns in them, whose tiles have slots."""

    def __init__(self, seed: int) -> None:
        self.rng, self.b = random.Random(seed), KernelBuilder()
        self.gm = [self.b.tensor(n, (64, 4096), "float32") for n in "AB"]
        self.limits = self.b.tensor("L", (8,), "int32")
        self.extents = [self.b.var(n, "shape", 1) for n in "MN"]
        self.b.launch(1)
        self.slots = [self.rng.choice([2, 2, 2, 3, 4]) for _ in range(3)]
        self.tiles = [
            self.b.alloc(f"t{n}", (slots, 64), "float32", "UB")
            for n, slots in enumerate(self.slots)
        ]
        self.row = self.b.alloc("row", (64,), "float32", "UB")

    def extent(self) -> Any:
        kind = self.rng.randrange(4)
        if kind == 0:
            return self.rng.choice(self.extents)
        if kind == 1:
            return binary("//", plus(self.rng.choice(self.extents), 1), 2)
        return self.rng.choice([1, 2, 3, 4, 5])

    def slot(self, tile: int, count: Any, ahead: int = 0) -> Any:
        turn = binary("%", plus(count, ahead), self.slots[tile])
        return self.b.part(self.tiles[tile], turn, (0, 64))

    def place(self, count: Any) -> Any:
        gm = self.rng.choice(self.gm)
        return self.b.part(gm, self.rng.randrange(3), (times(count, 64), 64))

    def step(self, tile: int, count: Any, last: Any) -> None:
        """One of the things that an iteration does."""
        kind, now = self.rng.randrange(8), self.slot(tile, count)
        other = self.slot(self.rng.randrange(3), count)
        if kind < 2:
            self.b.op("copy", self.place(count), now)
        elif kind == 2:
            with self.b.when(compare("<", plus(count, 1), last)):
                self.b.op("copy", self.place(plus(count, 1)), self.slot(tile, count, 1))
        elif kind < 5:
            self.b.op("tile.add", other, other, now)
        elif kind == 5:
            self.b.op("tile.exp", self.row, now)
        else:
            self.b.op("copy", now, self.place(count))

    def loop(self, name: str, outer: Any = None) -> None:
        extent = self.extent()
        tiles = [self.rng.randrange(3) for _ in range(self.rng.randrange(2, 5))]
        with self.b.loop(name, extent) as var:
            count, last = var, extent
            if outer is not None and self.rng.random() < 0.3:
                count, last = plus(times(outer, extent), var), times(plus(outer, 1), extent)
            if self.rng.random() < 0.1:
                with self.b.when(compare(">", var, load(self.limits, 3))):
                    self.b.leave()
            for tile in tiles:
                self.step(tile, count, last)

    def whole(self) -> None:
        with self.b.loop("o", self.extent()) as outer:
            for name in "ijk"[: self.rng.randrange(1, 4)]:
                if self.rng.random() < 0.4:
                    self.b.op("copy", self.place(0), self.slot(self.rng.randrange(3), 0))
                if self.rng.random() < 0.2:
                    self.b.op("tile.exp", self.row, self.slot(self.rng.randrange(3), 0))
                self.loop(name, outer)
        if self.rng.random() < 0.3:
            self.loop("l")


def check(seed: int) -> None:
    maker = Rings(seed)
    maker.whole()
    kernel, _ = lowered(maker.b.build(sync=True, planning=True))
    assert races(kernel, seed, runs=4) == [], f"seed {seed}\n{kernel_text(kernel)}"


@pytest.mark.parametrize("group", range(4))
def test_slots_in_turns_of_loops_in_loops_have_no_race(group: int) -> None:
    for seed in range(group * 25, group * 25 + 25):
        check(seed)


def test_nor_have_they_where_ids_are_short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync_ids, "FLAG_IDS", 4)
    for seed in range(200, 230):
        check(seed)
