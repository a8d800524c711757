"""Flags between the cores for which others do are taken out, and no others (`cross-core-spare`)."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.passes.cores import disorder
from tests.passes.happens_before import races
from tests.passes.kernels import lowered
from tests.passes.test_cross_core import ALL, Parts, flags
from tests.passes.test_cross_core_pipeline import attention

from tl_ascend.checks.sync.execute import execute, loose_pairs
from tl_ascend.ir.fold import compare
from tl_ascend.ir.nodes import Kernel, TileOp, walk_stmts
from tl_ascend.passes import cross_core_spare


def loose(kernel: Kernel, most: int = 4) -> list[str]:
    """What is not in order, within the cores and between them, pipes told apart."""
    found = [text for seed in range(3) for text in disorder(kernel, seed, most)]
    for runs in execute(kernel).groups:
        found += [f"{p.before.stmt} {p.after.stmt}" for p in loose_pairs(runs)]
        found += ["stuck" for run in runs if run.outcome.stuck or run.outcome.unbalanced]
    return found


def numbers(kernel: Kernel) -> set[int]:
    return {number for _, number in flags(kernel)}


@pytest.mark.parametrize("extent", ["n", 4])
def test_an_answer_tells_that_the_question_was_read(extent: str | int) -> None:
    p = Parts()
    count = p.b.var(extent, "shape", 0) if isinstance(extent, str) else extent
    if isinstance(extent, str):
        p.b.tensor("S", (count,), "float16")
    with p.b.loop("k", count):
        p.cube_gives(p.one)
        p.vector_takes(p.one)
        p.vector_gives(p.two)
        p.cube_takes(p.two)
    kernel = p.done()
    assert numbers(kernel) == {0, 1} and loose(kernel) == []
    # Without the order that the compiler gives tiles nothing is known.
    assert numbers(lowered(p.b.build(**{**ALL, "sync": False}))[0]) == {0, 1, 2, 3}


def test_an_answer_that_does_not_depend_on_what_was_read_tells_nothing() -> None:
    p = Parts()
    other = p.b.alloc("other", (32, 64), "float16", "UB")
    p.b.op("tile.fill", other, 1.0)
    with p.b.loop("k", 4):
        p.cube_gives(p.one)
        p.vector_takes(p.one)
        p.ub, ub = other, p.ub
        p.vector_gives(p.two)
        p.ub = ub
        p.cube_takes(p.two)
    kernel = p.done()
    assert len(numbers(kernel)) == 3 and loose(kernel) == []


def test_an_answer_on_some_ways_only_tells_nothing() -> None:
    p = Parts()
    with p.b.loop("k", 6) as k:
        p.cube_gives(p.one)
        p.vector_takes(p.one)
        with p.b.when(compare(">", k, 2)):
            p.vector_gives(p.two)
            p.cube_takes(p.two)
    kernel = p.done()
    ahead = [s for s in walk_stmts(kernel.body) if isinstance(s, TileOp)]
    assert any(s.reason.endswith("may be read for the first time") for s in ahead) or any(
        s.reason.endswith("may be written for the first time") for s in ahead
    )
    assert loose(kernel, 6) == []


@pytest.mark.parametrize("stages", [0, 2, 3])
@pytest.mark.parametrize("extent", [1, 5, "n"])
@pytest.mark.parametrize("outer", [0, 2])
def test_parts_of_a_pipeline_answer_each_other(extent: int | str, stages: int, outer: int) -> None:
    kernel, _ = lowered(attention(extent, stages, outer=outer))
    reasons = [s.reason for s in walk_stmts(kernel.body) if isinstance(s, TileOp)]
    assert not any(reason.endswith("for the first time") for reason in reasons)
    assert races(kernel) == [] and loose(kernel, 9) == []


# --- any order -------------------------------------------------------------------------------------


class _Random:
    """Loops in which the cores hand three tensors to each other."""

    def __init__(self, seed: int) -> None:
        self.rng, self.p = random.Random(seed), Parts()
        self.x = self.p.b.var("x", "shape", 0)
        self.p.b.tensor("S", (self.x,), "float16")
        three = self.p.b.tensor("w3", (4, 64, 64), "float16")
        self.tensors = (self.p.one, self.p.two, three)

    def done(self) -> Kernel:
        p, rng = self.p, self.rng
        p.vector_gives(p.one)
        p.cube_gives(p.two)
        for depth in (2, 1)[: rng.randint(1, 2)]:
            with p.b.loop("i", rng.choice((2, 4, self.x))):
                self.block(depth)
        return p.b.build(**ALL)

    def block(self, depth: int) -> None:
        p, rng = self.p, self.rng
        for _ in range(rng.randint(1, 3)):
            choice, tensor = rng.randrange(7), rng.choice(self.tensors)
            if choice == 0 and depth:
                with p.b.loop("j", rng.choice((1, 2, 3, self.x))):
                    self.block(depth - 1)
            elif choice == 1 and depth:
                with p.b.when(compare(">", self.x, rng.randrange(4))):
                    self.block(depth - 1)
            elif choice < 5:
                p.cube_gives(tensor)
                p.vector_takes(tensor)
            else:
                p.vector_gives(tensor)
                p.cube_takes(tensor)


def test_what_is_left_orders_everything(monkeypatch: Any) -> None:
    removed: list[set[int]] = []
    plain = cross_core_spare._Search.spare

    def spare(search: cross_core_spare._Search) -> set[int]:
        removed.append(plain(search))
        return removed[-1]

    monkeypatch.setattr(cross_core_spare._Search, "spare", spare)
    for seed in range(40):
        kernel, findings = lowered(_Random(seed).done())
        assert findings or loose(kernel) == [], seed
    assert sum(map(bool, removed)) > 8


def test_the_oracle_sees_a_flag_too_few(monkeypatch: Any) -> None:
    monkeypatch.setattr(cross_core_spare._Search, "_needed", lambda *_: set())
    for seed in range(4):
        kernel, findings = lowered(_Random(seed).done())
        assert findings or loose(kernel), seed
