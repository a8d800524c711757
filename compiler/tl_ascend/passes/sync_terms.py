"""In which terms the iterations of a loop, and the code behind it, speak of what was done before."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import lcm

from tl_ascend.ir.expr import Scalar, Var, free_vars, loads
from tl_ascend.ir.fold import binary
from tl_ascend.ir.nodes import For, Let
from tl_ascend.ir.periodic import MAX_TURNS, Cycle, cycle_of, in_turns, shifted
from tl_ascend.ir.phases import Phase
from tl_ascend.passes.sync_access import Overlaps, numbers
from tl_ascend.passes.sync_author import flags_in
from tl_ascend.passes.sync_model import Behind, Dimension, Into, Later, Rename
from tl_ascend.passes.sync_tree import Node, walk_nodes

FEW = 4  # iterations: each more takes a round more to settle
MAX_ENDS = 12  # turns in which a loop may end


@dataclass(frozen=True, slots=True)
class Terms:
    """Those of the first iteration (None: as before the loop), of the next one, and of the code
    behind the loop, if it was run and if not. `turns`: the lengths of the cycles that its places go
    in; `few`: how many iterations a loop of few has."""

    into: Rename | None
    later: Rename
    behind: Behind
    skipped: Rename
    turns: tuple[int, ...] = ()
    few: int | None = None

    @property
    def cycle(self) -> int:
        """The longest one."""
        return max(self.turns, default=1)

    def before(self, keys: int) -> int:
        """What an iteration does, in the terms of any later one, be that of another run."""
        return self._last(keys, self.cycle)

    def within(self, keys: int) -> int:
        """What an iteration does, in the terms of any later one of the same run."""
        return self._last(keys, self.cycle if self.few is None else self.few - 1)

    def _last(self, keys: int, many: int) -> int:
        found = keys = self.later.keys(keys)
        for _ in range(1, many):
            keys = self.later.keys(keys)
            found |= keys
        return found

    def ever(self, keys: int) -> int:
        """What any iteration does, in the terms of one that is not later."""
        return keys | self.before(keys)


def terms_of(node: Node, overlaps: Overlaps, nested: bool) -> Terms:
    """The terms of a loop, which may be in another one."""
    bound: set[Var] = set()
    for inner in walk_nodes(node.blocks[0]):
        if isinstance(inner.stmt, (For, Let)):
            bound.add(inner.stmt.var)
    names, loop = frozenset(bound), node.stmt
    if not isinstance(loop, For):
        later, behind = Later(overlaps, names), Behind(overlaps, names)
        return Terms(None, later, behind, behind)
    few = _few(node, loop, overlaps) if nested else None
    cycles = _cycles(node, loop.var, few, overlaps)
    phases = dict(_first_phases(node, loop, overlaps))
    known = not loads(loop.start) and loop.var not in free_vars(loop.start)
    first = loop.start if known else None
    count = count_of(node)
    by = None if count is None else 1 - count
    return Terms(
        Into(overlaps, loop.var, loop.start, cycles, phases)
        if known and (cycles or phases)
        else None,
        Later(overlaps, names, loop.var, few),
        Behind(overlaps, names, loop.var, _last(node, names), by, few is not None),
        Behind(overlaps, names, loop.var, first, 0, few is not None, run=False),
        tuple(_turns(node, loop.var, cycles, overlaps)),
        few,
    )


def in_each_turn(node: Node, terms: Terms, ids: Iterable[int]) -> tuple[Behind, ...]:
    """The terms of the code behind a loop of an unknown number of iterations, for each of the turns
    in which the last one may be. `ids`: how many its flags take in turns, too."""
    loop, behind, period = node.stmt, terms.behind, lcm(*terms.turns, *ids)
    if behind.by is not None or not isinstance(loop, For):
        return (behind,)
    if not 1 < period <= MAX_ENDS or loads(loop.start):
        return (behind,)
    return tuple(behind.ending(binary("+", loop.start, at), -at) for at in range(period))


def _turns(
    node: Node, var: Var, cycles: dict[Dimension, Cycle], overlaps: Overlaps
) -> Iterator[int]:
    """The lengths of all cycles, of places and of branches that iterations take in turns."""
    yield from (cycle.wave.turns(var) for cycle in cycles.values())
    for at in numbers(node.inside):
        access = overlaps.access(at)
        for phase in access.phases if access is not None else ():
            turns = phase.wave.turns(var)
            yield turns if turns <= MAX_TURNS else 1


def _first_phases(node: Node, loop: For, overlaps: Overlaps) -> Iterator[tuple[int, Phase]]:
    """By buffer, what holds in the first iteration where a branch decides who uses it."""
    for at in numbers(node.inside):
        access = overlaps.access(at)
        for phase in access.phases if access is not None else ():
            first = phase.first(loop.var, loop.start)
            if access is not None and first is not None:
                yield access.buffer, first


def count_of(node: Node) -> int | None:
    """How many iterations are run, where that is known."""
    loop = node.stmt
    if not isinstance(loop, For) or not isinstance(loop.extent, int) or node.cut:
        return None
    return max(loop.extent, 0)


def _few(node: Node, loop: For, overlaps: Overlaps) -> int | None:
    """The number of iterations that are few enough to tell all of them apart, where pipes hand on to
    each other what each has a place of its own for."""
    few = loop.extent
    if not isinstance(few, int) or not 1 < few <= FEW or loop.start != 0:
        return None
    for (buffer, *_), place in _places(node, overlaps):
        if place is None or loop.var not in free_vars(place) or not overlaps.in_turns(buffer):
            continue
        if shifted(place, loop.var, -1) is None and in_turns(place, loop.var, few) is not None:
            if not isinstance(buffer, int) or _many_pipes(overlaps, overlaps.of_buffer(buffer)):
                return few
    return None


def _many_pipes(overlaps: Overlaps, keys: int) -> bool:
    return sum(keys & of_pipe != 0 for of_pipe in overlaps.of_pipe.values()) > 1


def _cycles(node: Node, var: Var, few: int | None, overlaps: Overlaps) -> dict[Dimension, Cycle]:
    """The cycles in which a loop goes along dimensions, and through the author's flags."""
    found: dict[Dimension, Cycle] = {}
    for dimension, place in _places(node, overlaps):
        if place is not None and var in free_vars(place) and dimension not in found:
            cycle = cycle_of(place, var, few) if overlaps.in_turns(dimension[0]) else None
            if cycle is not None:
                found[dimension] = cycle
    return found


def _places(node: Node, overlaps: Overlaps) -> Iterator[tuple[Dimension, Scalar | None]]:
    for at in numbers(node.inside):
        access = overlaps.access(at)
        for index, start in enumerate(access.starts if access is not None else ()):
            yield (access.buffer, index), start  # type: ignore[union-attr]
    for source, target, event in flags_in(node.blocks[0]):
        yield (source, target), event


def _last(node: Node, bound: frozenset[Var]) -> Scalar | None:
    """The last value of a loop variable; None where it is not known behind the loop."""
    loop = node.stmt
    assert isinstance(loop, For)
    if node.cut or loads(loop.extent) or loads(loop.start) or bound & {*free_vars(loop.extent)}:
        return None
    return binary("+", loop.start, binary("-", loop.extent, 1))
