"""Automatic synchronisation of kernels without sense: no race, no flag without an id."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.passes.happens_before import races
from tests.passes.kernels import lowered, plus, times

from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.fold import binary, compare, logic
from tl_ascend.ir.nodes import Block, Kernel, TileOp, blocks_of, with_blocks
from tl_ascend.ir.text import kernel_text
from tl_ascend.passes import sync_ids
from tl_ascend.passes.summary import sync_counts
from tl_ascend.passes.sync_ids import taken_ids
from tl_ascend.passes.sync_tree import FLAGS
from tl_ascend.target.hardware import Pipe


class Maker:
    """Kernels of one core without sense but with every kind of statement."""

    def __init__(self, seed: int) -> None:
        self.rng, self.b = random.Random(seed), KernelBuilder()
        self.gm = [self.b.tensor(n, (64, 256), "float32") for n in "AB"]
        self.b.launch(4)
        self.cube = self.rng.random() < 0.3
        scopes = ("L1", "L1", "L0C", "L0C") if self.cube else ("UB",) * 4
        kinds = ("float16", "float16", "float32", "float32") if self.cube else ("float32",) * 4
        self.tiles = [
            self.b.alloc(f"t{n}", (4, 64), kinds[n], scopes[n]) for n in range(len(scopes))
        ]
        self.loops: list[Any] = []

    def whole(self) -> None:
        self.block(3)

    def row(self) -> Any:
        if self.loops and self.rng.random() < 0.7:
            var = self.rng.choice(self.loops)
            return self.rng.choice([var, binary("%", var, 2), plus(times(var, 1), 1)])
        return self.rng.randrange(3)

    def part(self, tile: Any) -> Any:
        if self.rng.random() < 0.5:
            return tile
        return self.b.part(tile, (self.row(), 1), (0, 64))

    def place(self, like: Any) -> Any:
        gm = self.rng.choice(self.gm)
        rows = 4 if not hasattr(like, "extents") else 1
        column = times(self.rng.choice([*self.loops, 1]), 64)
        return self.b.part(gm, (self.row(), rows), (column, 64))

    def call(self) -> None:
        (self.cube_call if self.cube else self.vector_call)()

    def cube_call(self) -> None:
        a, b, c, d = self.tiles
        kind = self.rng.randrange(4)
        if kind == 0:
            into = self.rng.choice([a, b])
            self.b.op("copy", self.place(into), into)
        elif kind == 1:
            self.b.op("gemm_v0", a, b, self.rng.choice([c, d]), init=self.rng.random() < 0.5)
        elif kind == 2:
            out = self.rng.choice([c, d])
            self.b.op("copy", out, self.place(out))
        else:
            self.b.op("gemm_v0", b, a, d, init=True)

    def vector_call(self) -> None:
        tile, other = self.rng.sample(self.tiles, 2)
        kind = self.rng.randrange(6)
        if kind == 0:
            into = self.part(tile)
            self.b.op("copy", self.place(into), into)
        elif kind == 1:
            out = self.part(tile)
            self.b.op("copy", out, self.place(out))
        elif kind == 2:
            self.b.op("tile.add", tile, tile, other)
        elif kind == 3:
            self.b.op("tile.mul", tile, other, load(self.rng.choice(self.tiles), self.row(), 3))
        elif kind == 4:
            self.b.store(tile, (self.row(), 5), load(other, self.row(), 7))
        else:
            self.b.op("reduce_max", tile, self.b.part(other, (0, 4), (0, 1)))

    def condition(self) -> Any:
        return compare(">", load(self.tiles[0], 0, 1), 0)

    def block(self, depth: int) -> None:
        for _ in range(self.rng.randrange(1, 5)):
            choice = self.rng.random()
            if depth == 0 or choice < 0.6:
                self.call()
            elif choice < 0.85:
                with self.b.loop(f"i{depth}", self.rng.choice([1, 2, 5])) as var:
                    self.loops.append(var)
                    self.block(depth - 1)
                    if self.rng.random() < 0.2:
                        with self.b.when(compare(">", load(self.tiles[0], 0, 0), 0)):
                            if self.rng.random() < 0.5:
                                self.call()
                            self.b.leave()
                        if self.rng.random() < 0.5:
                            self.block(depth - 1)
                    self.loops.pop()
            elif choice < 0.92:
                with self.b.repeat(compare(">", load(self.tiles[0], 0, 2), 0)):
                    self.block(depth - 1)
            else:
                with self.b.when(self.condition()):
                    self.block(depth - 1)
                if self.rng.random() < 0.5:
                    with self.b.otherwise():
                        self.block(depth - 1)


class Branches(Maker):
    """Loops whose iterations take branches in turns, or as data says, and use tiles in them."""

    def condition(self) -> Any:
        var = self.rng.choice(self.loops) if self.loops else None
        if var is None or self.rng.random() < 0.3:
            return super().condition()
        turn = binary("%", plus(var, self.rng.randrange(2)), self.rng.choice([2, 2, 2, 3, 4]))
        if self.rng.random() < 0.2:
            turn = binary("//", binary("%", var, 4), 2)
        in_turn = compare(self.rng.choice(["==", "!=", "<"]), turn, self.rng.randrange(2))
        if self.rng.random() < 0.2:
            return logic(self.rng.choice(["and", "or"]), (in_turn, compare("<", var, 3)))
        return in_turn

    def turns(self) -> None:
        """A loop with branches, with prefetches before and uses behind it."""
        self.block(0)
        with self.b.loop("k", self.rng.choice([2, 3, 4, 5, 8, 9])) as var:
            self.loops.append(var)
            for _ in range(self.rng.randrange(1, 4)):
                if self.rng.random() < 0.3:
                    self.call()
                    continue
                with self.b.when(self.condition()):
                    self.block(self.rng.randrange(2))
                if self.rng.random() < 0.7:
                    with self.b.otherwise():
                        self.block(self.rng.randrange(2))
            self.loops.pop()
        self.block(0)

    def stream(self) -> None:
        """Iterations that use tiles in turns, each branch others."""
        slots = self.rng.choice([2, 3])
        for tile in self.tiles[:slots]:
            self.b.op("copy", self.place(tile), tile)
        with self.b.loop("k", self.rng.choice([4, 5, 8, 9])) as var:
            self.loops.append(var)
            self.chosen(binary("%", var, slots), 0, slots)
            if self.rng.random() < 0.3:
                self.call()
            if self.rng.random() < 0.2:
                with self.b.when(super().condition()):
                    self.b.leave()
            self.loops.pop()

    def chosen(self, turn: Any, at: int, slots: int) -> None:
        known = self.rng.random() < 0.8
        with self.b.when(compare("==", turn, at) if known else super().condition()):
            self.turn(at, slots)
        with self.b.otherwise():
            if at + 2 == slots:
                self.turn(at + 1, slots)
            elif at + 2 < slots:
                self.chosen(turn, at + 1, slots)

    def turn(self, at: int, slots: int) -> None:
        now, later = self.tiles[at], self.tiles[(at + self.rng.randrange(2)) % slots]
        steps: list[Any] = [
            lambda: self.b.op("copy", self.place(later), later),
            lambda: self.b.op("tile.exp", self.tiles[-1], now),
            lambda: self.b.op("copy", self.tiles[-1], self.place(now)),
            lambda: self.b.op("tile.add", now, now, self.tiles[-1]),
        ]
        for step in self.rng.sample(steps, self.rng.randrange(1, 5)):
            if self.rng.random() < 0.2:
                with self.b.when(super().condition()):
                    step()
                    if self.rng.random() < 0.2:
                        self.b.leave()
            else:
                step()

    def body(self) -> None:
        if self.cube or self.rng.random() < 0.5:
            self.turns()
        else:
            self.stream()

    def whole(self) -> None:
        if self.rng.random() < 0.4:
            with self.b.loop("o", self.rng.choice([2, 3])) as var:
                self.loops.append(var)
                self.body()
                self.loops.pop()
        else:
            self.body()


@pytest.mark.parametrize("walks", range(2))
def test_where_ids_cannot_be_settled_barriers_stand_in(
    walks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync_ids, "MAX_WALKS", walks)
    full = 0
    for seed in range(walks * 10, walks * 10 + 10):
        maker = Maker(seed)
        maker.whole()
        kernel, _ = lowered(maker.b.build(sync=True, planning=True))
        assert races(kernel, seed, runs=2) == [], f"seed {seed}\n{kernel_text(kernel)}"
        full += sync_counts(kernel)["barrier_all"]
    assert full


@pytest.mark.parametrize("group", range(4))
def test_nor_have_those_with_branches_in_turns(group: int) -> None:
    for seed in range(group * 25, group * 25 + 25):
        maker = Branches(seed)
        maker.whole()
        kernel, _ = lowered(maker.b.build(sync=True, planning=bool(seed % 2)))
        found = races(kernel, seed, runs=2)
        assert found == [], f"seed {seed}\n{kernel_text(kernel)}"


@pytest.mark.parametrize("group", range(4))
def test_random_kernels_have_no_race(group: int) -> None:
    for seed in range(group * 25, group * 25 + 25):
        maker = Maker(seed)
        maker.whole()
        kernel, _ = lowered(maker.b.build(sync=True, planning=bool(seed % 2)))
        found = races(kernel, seed, runs=2)
        assert found == [], f"seed {seed}\n{kernel_text(kernel)}"


def test_nor_have_those_that_need_more_ids_than_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sync_ids, "FLAG_IDS", 4)
    for seed in (*range(30), 2010, 2026, 2110):
        maker = (Maker, Branches)[seed % 2 or seed > 2010](seed)
        maker.whole()
        kernel, _ = lowered(maker.b.build(sync=True, planning=True))
        assert races(kernel, seed, runs=2) == [], f"seed {seed}\n{kernel_text(kernel)}"


def gaps(kernel: Kernel) -> list[str]:
    """Ids that are free below others that are used."""
    found = []
    used: dict[tuple[Pipe, Pipe], set[int]] = {}
    taken = taken_ids(without_flags(kernel.body))
    for pair, ids in taken_ids(kernel.body).items():
        used[pair] = ids - taken.get(pair, set())
    for pair, ids in used.items():
        free = set(range(max(ids, default=0))) - ids - taken.get(pair, set())
        found += [f"{pair}: {sorted(free)} free, {sorted(ids)} used"] if free else []
    return found


def without_flags(block: Block) -> Block:
    kept = (s for s in block if not isinstance(s, TileOp) or s.op not in FLAGS)
    return tuple(with_blocks(s, tuple(map(without_flags, blocks_of(s)))) for s in kept)


@pytest.mark.parametrize("kind", [Maker, Branches])
def test_ids_are_the_lowest_that_are_free(kind: type[Maker]) -> None:
    for seed in range(40):
        maker = kind(seed)
        maker.whole()
        kernel, _ = lowered(maker.b.build(sync=True, planning=True))
        assert gaps(kernel) == [], f"seed {seed}\n{kernel_text(kernel)}"
