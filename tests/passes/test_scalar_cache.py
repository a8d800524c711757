"""What the scalar unit keeps of GM in its cache, and what others do to the same tensors."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

import pytest
from tests.passes.happens_before import Box, Run, races
from tests.passes.kernels import lowered, plus

from tl_ascend.ir.build import KernelBuilder, load
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.fold import binary, compare
from tl_ascend.ir.nodes import CoreScope, For, Kernel, Stmt, Store, TileOp, walk_stmts
from tl_ascend.ir.text import kernel_text
from tl_ascend.target.hardware import Memory, Pipe

LINE = 16  # elements of four bytes
CACHE = "tile.datacachecleanandinvalid_experiment"


@dataclass
class Cached(Run):
    """One run in program order: what was written past the cache and by the scalar unit since the
    cache was last emptied for a tensor."""

    past: list[Box] = field(default_factory=list)
    dirty: list[Box] = field(default_factory=list)

    def work(self, stmt: Stmt) -> None:
        if isinstance(stmt, TileOp) and stmt.op == CACHE:
            uid = self.box(stmt.args[0])[0]  # type: ignore[arg-type]
            self.past = [box for box in self.past if box[0] != uid]
            self.dirty = [box for box in self.dirty if box[0] != uid]
            return
        effect = effect_of(stmt)
        elements = [*effect.scalars, *(effect.writes if isinstance(stmt, Store) else ())]
        for region in elements:
            self._meet(
                region, self.past, "is used by the scalar unit, which may know it from before"
            )
        for step in effect.steps:
            if isinstance(stmt, Store):
                self.dirty += [self.line(region) for region in step.writes if self._gm(region)]
            elif step.pipe is not Pipe.S:
                for region in (*step.reads, *step.writes):
                    self._meet(
                        region, self.dirty, "is used while the cache holds what is to be there"
                    )
                self.past += [self.line(region) for region in step.writes if self._gm(region)]

    def line(self, region: Any) -> Box:
        """What is in the same lines of the cache."""
        uid, (*rows, (start, extent)) = self.box(region)
        first = start // LINE * LINE
        return uid, (*rows, (first, -(-(start + extent - first) // LINE) * LINE))

    def _gm(self, region: Any) -> bool:
        return self.kernel.memory(region.buffer) is Memory.GM

    def _meet(self, region: Any, boxes: list[Box], what: str) -> None:
        if self._gm(region) and any(self.overlap(self.box(region), box) for box in boxes):
            self.problems.append(f"{region.buffer.name} {what}")


def incoherent(kernel: Kernel) -> list[str]:
    found: list[str] = []
    scopes = [s.body for s in kernel.body if isinstance(s, CoreScope)] or [kernel.body]
    for body in scopes:
        for seed in range(6):
            run = Cached(kernel, random.Random(seed))
            run.block(body)
            found += run.problems
    return list(dict.fromkeys(found))


def emptied(kernel: Kernel) -> int:
    return sum(isinstance(s, TileOp) and s.op == CACHE for s in walk_stmts(kernel.body))


class Tiles:
    """A tensor that the vector core writes and reads, in both ways."""

    def __init__(self) -> None:
        self.b = b = KernelBuilder()
        self.gm, self.other = (b.tensor(name, (64, 64), "int32") for name in ("gm", "other"))
        b.launch(1)
        self.tile = b.alloc("tile", (1, 64), "int32", "UB")
        b.op("tile.fill", self.tile, 1)

    def out(self, row: Any = 0) -> None:
        self.b.op("copy", self.tile, self.b.part(self.gm, (row, 1), (0, 64)))

    def back(self, row: Any = 0) -> None:
        self.b.op("copy", self.b.part(self.gm, (row, 1), (0, 64)), self.tile)

    def put(self, row: Any = 0) -> None:
        self.b.store(self.gm, (row, 3), 7)

    def use(self, row: Any = 0) -> None:
        """An element decides what is done to another tensor."""
        self.b.op("tile.add", self.tile, self.tile, load(self.gm, row, 3))

    def done(self, **options: Any) -> Kernel:
        kernel, _ = lowered(self.b.build(**{"sync": True, "planning": True, **options}))
        return kernel


def _sequence(t: Tiles, *steps: str) -> None:
    for step in steps:
        getattr(t, step)()


def _loop(t: Tiles, *steps: str) -> None:
    with t.b.loop("k", 3) as k:
        for step in steps:
            getattr(t, step)(k)


def _branch(t: Tiles, *steps: str) -> None:
    _sequence(t, *steps[:-1])
    with t.b.when(compare(">", load(t.tile, 0, 2), 0)):
        _sequence(t, steps[-1])


def _conditions(t: Tiles, *steps: str) -> None:
    with t.b.repeat(compare(">", load(t.gm, 0, 1), 0)):
        _sequence(t, *steps)


def _left(t: Tiles, *steps: str) -> None:
    with t.b.loop("k", 3):
        _sequence(t, steps[0])
        with t.b.when(compare(">", load(t.tile, 0, 1), 0)):
            t.b.leave()
        _sequence(t, *steps[1:-1])
    _sequence(t, steps[-1])


NEEDED = [
    ("use", "out", "use"),
    ("out", "use", "out", "use"),
    ("put", "back"),
    ("use", "out", "put"),
    ("out", "put"),
    ("put", "out", "use"),
    ("use", "out", "put", "back", "use"),
]
FORMS = [_sequence, _loop, _branch, _conditions, _left]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("steps", NEEDED)
def test_what_the_cache_holds_is_what_gm_holds(form: Any, steps: tuple[str, ...]) -> None:
    t = Tiles()
    form(t, *steps)
    kernel = t.done()
    assert incoherent(kernel) == [], kernel_text(kernel)
    assert [problem for seed in range(3) for problem in races(kernel, seed)] == []
    assert emptied(kernel) >= 1


@pytest.mark.parametrize("form", FORMS[:3])
@pytest.mark.parametrize("steps", [("use", "use"), ("put", "use"), ("use", "put"), ("out", "back")])
def test_the_cache_is_left_alone_where_nobody_else_sees_it(
    form: Any, steps: tuple[str, ...]
) -> None:
    t = Tiles()
    form(t, *steps)
    t.b.op("copy", t.tile, t.b.part(t.other, (0, 1), (0, 64)))
    assert emptied(t.done()) == 0


def test_where_a_loop_only_reads_the_cache_is_emptied_before_it() -> None:
    t = Tiles()
    t.out()
    with t.b.loop("k", 16) as k:
        t.use(k)
    kernel = t.done()
    assert emptied(kernel) == 1 and incoherent(kernel) == []
    (loop,) = (s for s in walk_stmts(kernel.body) if isinstance(s, For))
    assert not any(isinstance(s, TileOp) and s.op == CACHE for s in walk_stmts(loop.body))


def test_many_elements_are_cleaned_at_once() -> None:
    t = Tiles()
    with t.b.loop("k", 16) as k:
        t.put(k)
    t.back()
    assert emptied(t.done()) == 1


def test_where_the_author_synchronises_the_cache_is_his_too() -> None:
    t = Tiles()
    t.out()
    t.use()
    assert emptied(t.done(sync=False)) == 0


def test_what_the_author_empties_is_empty() -> None:
    t = Tiles()
    t.out()
    t.b.op(CACHE, t.gm, "ENTIRE_DATA_CACHE", "CACHELINE_OUT")
    t.use()
    assert emptied(t.done()) == 1


@pytest.mark.parametrize("meeting", [("sync_all",), ("wait_cross_flag", 0)])
def test_behind_a_meeting_others_may_have_written(meeting: tuple[Any, ...]) -> None:
    t = Tiles()
    t.out(plus(load(t.gm, 0, 0), 1))
    t.b.op(*meeting)
    t.use()
    kernel = t.done()
    names = [s.op for s in walk_stmts(kernel.body) if isinstance(s, TileOp)]
    assert CACHE in names[names.index(meeting[0]) :]


@pytest.mark.parametrize("meeting", [("sync_all",), ("set_cross_flag", "MTE3", 0)])
def test_before_a_meeting_elements_reach_gm(meeting: tuple[Any, ...]) -> None:
    t = Tiles()
    t.put()
    t.b.op(*meeting)
    t.back(1)
    kernel = t.done()
    names = [s.op for s in walk_stmts(kernel.body) if isinstance(s, TileOp)]
    assert CACHE in names[: names.index(meeting[0])]


@pytest.mark.parametrize("seed", range(12))
def test_random_accesses(seed: int) -> None:
    rng, t = random.Random(seed), Tiles()

    def steps(depth: int) -> None:
        for _ in range(rng.randrange(1, 5)):
            kind = rng.random()
            if depth and kind < 0.3:
                with t.b.loop(f"k{depth}", rng.choice([2, 3])):
                    steps(depth - 1)
            elif depth and kind < 0.5:
                with t.b.when(compare(">", load(t.tile, 0, 0), rng.randrange(2))):
                    steps(depth - 1)
            elif depth and kind < 0.6:
                with t.b.repeat(compare(">", binary("%", load(t.gm, 0, 0), 2), 0)):
                    steps(depth - 1)
            else:
                getattr(t, rng.choice(["out", "back", "put", "use"]))(rng.randrange(2))

    steps(2)
    kernel = t.done()
    assert incoherent(kernel) == [], kernel_text(kernel)
