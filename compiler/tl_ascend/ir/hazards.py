"""Which work each synchronisation call keeps in order.

The code of a core is unrolled into a trace of a few iterations of each loop. A wait belongs to the
set of its flag before it; what it orders are the pairs of a statement before the set, on the source
pipe, and one behind the wait, on the target pipe, that touch the same bytes, one of them writing.
Nothing here decides anything: it reads a lowered kernel, whoever put the calls there.
"""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Compare, Expr, Scalar
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.nodes import (
    Block,
    Break,
    Buffer,
    CoreScope,
    For,
    If,
    Kernel,
    Let,
    Region,
    Stmt,
    TileOp,
    While,
    blocks_of,
    walk_stmts,
    within,
)
from tl_ascend.ir.region_overlaps import RegionOverlaps
from tl_ascend.ir.storage import root
from tl_ascend.target.hardware import Core, Pipe

ITERATIONS = 3  # of each loop, less where the trace would be longer than MAX_EVENTS
MAX_EVENTS = 4_000
MAX_PAIRS = 8  # that are told of one call
MAX_SEARCH = 400  # events to either side
_ALWAYS = ((), ())  # no branch leads to either statement that does not lead to the call


@dataclass(frozen=True, slots=True)
class Hazard:
    """Two statements, by number (see `numbered`), that must stay in order. `kind`: RAW (the second
    reads what the first wrote), WAR, WAW. `carried`: the first belongs to an earlier iteration."""

    kind: str
    before: int
    after: int
    source: Pipe
    target: Pipe
    first: Buffer
    second: Buffer
    carried: bool


def numbered(kernel: Kernel) -> list[Stmt]:
    """The statements of a kernel; a statement's number is its place here."""
    return list(walk_stmts(kernel.body))


def hazards(kernel: Kernel) -> dict[int, tuple[Hazard, ...]]:
    """What each flag and barrier orders, by the number of the call. Set and wait have the same."""
    found: dict[int, dict[Hazard, None]] = defaultdict(dict)
    scopes = {stmt.core for stmt in walk_stmts(kernel.body) if isinstance(stmt, CoreScope)}
    for core in sorted(scopes, key=lambda scope: scope.value) or [Core.ANY]:
        known = _of_trace(kernel, core, exact=True)
        if any(not pairs for pairs in known.values()):
            # What only later iterations do.
            late = _of_trace(kernel, core, exact=False)
            known = {call: pairs or late.get(call, []) for call, pairs in known.items()}
        for call, pairs in known.items():
            found[call].update(dict.fromkeys(pairs))
    return {number: tuple(pairs)[:MAX_PAIRS] for number, pairs in found.items()}


def _of_trace(kernel: Kernel, core: Core, exact: bool) -> dict[int, list[Hazard]]:
    """The same of one core: what a call orders alone, else what others do, too. Not `exact`: what
    barriers do for one iteration of each loop, whichever that is."""
    alone: dict[int, dict[Hazard, None]] = {}
    shared: dict[int, dict[Hazard, None]] = {}
    search = _Search(_Trace(kernel, core, exact).events, RegionOverlaps(kernel))
    for calls, pairs, own in search.orders():
        for call in calls if exact or len(calls) == 1 else ():
            shared.setdefault(call, {})
            (alone if own else shared).setdefault(call, {}).update(dict.fromkeys(pairs))
    return {call: [*(alone.get(call) or pairs)] for call, pairs in shared.items()}


# --- the trace -----------------------------------------------------------------------------------

_Env = Mapping[Expr, Scalar]
_Branches = tuple[tuple[int, int], ...]
_Pipes = tuple[Pipe, Pipe]


@dataclass(frozen=True, slots=True)
class _Touch:
    pipe: Pipe
    region: Region
    write: bool


@dataclass(frozen=True, slots=True)
class _Event:
    """A statement that is run. `branches`: the branches it stands in, by the event of each If;
    `pipes`: what a call joins, `flag`: the id of a flag call."""

    number: int
    stmt: Stmt
    touches: tuple[_Touch, ...]
    branches: _Branches
    pipes: _Pipes | None
    flag: object

    def on(self, pipe: Pipe) -> tuple[_Touch, ...]:
        """The touches of a pipe, or all."""
        if pipe is Pipe.ALL:
            return self.touches
        return tuple(touch for touch in self.touches if touch.pipe is pipe)

    @property
    def op(self) -> str:
        return self.stmt.op if isinstance(self.stmt, TileOp) else ""


class _Trace:
    """The events of one core. Not `exact`: of one iteration of each loop, whichever that is."""

    def __init__(self, kernel: Kernel, core: Core, exact: bool) -> None:
        self.core = core
        self._exact = exact
        self.events: list[_Event] = []
        self._lengths: dict[int, int] = {}
        fitting = (n for n in range(ITERATIONS, 0, -1) if _runs(kernel.body, n) <= MAX_EVENTS)
        self._iterations = next(fitting, 0)
        if self._iterations:
            self._block(kernel.body, (), {}, 0)

    def _block(self, block: Block, branches: _Branches, env: _Env, number: int) -> int:
        """Run a block whose first statement has a number; the number behind its last. What it does
        with flags before it leaves a loop is left out: the trace goes on."""
        leaves = bool(block) and isinstance(block[-1], Break)
        for stmt in block:
            if leaves and _is_flag(stmt):
                pass
            elif not isinstance(stmt, CoreScope) or self.core in (stmt.core, Core.ANY):
                self._stmt(stmt, branches, env, number)
            if isinstance(stmt, Let):
                env = {**env, stmt.var: substitute(stmt.value, env)}
            number += self._length(stmt)
        return number

    def _stmt(self, stmt: Stmt, branches: _Branches, env: _Env, number: int) -> None:
        at = len(self.events)
        flag = None
        if isinstance(stmt, TileOp) and _is_flag(stmt):
            flag = substitute(stmt.args[2], env)
        touches = tuple(_touches(stmt, env))
        event = _Event(number, stmt, touches, branches, _pipes(stmt), flag)
        self.events.append(event)
        for names in self._rounds(stmt, env):
            inside = number + 1
            for branch, nested in enumerate(blocks_of(stmt)):
                around = (*branches, (at, branch)) if isinstance(stmt, If) else branches
                if isinstance(stmt, If) and not _taken(stmt, nested, branch, names):
                    inside += sum(map(self._length, nested))
                    continue
                inside = self._block(nested, around, names, inside)
            if touches and isinstance(stmt, (For, While)):  # it looks again whether to go on
                self.events.append(event)

    def _rounds(self, stmt: Stmt, env: _Env) -> Iterator[_Env]:
        """The names of each time that the nested blocks are run."""
        if isinstance(stmt, While):
            yield from [env] * self._iterations
        elif isinstance(stmt, For) and not self._exact:
            yield env
        elif isinstance(stmt, For):
            start, extent = substitute(stmt.start, env), substitute(stmt.extent, env)
            known = extent if isinstance(extent, int) else self._iterations
            for step in range(min(known, self._iterations)):
                yield {**env, stmt.var: binary("+", start, step)}
        else:
            yield env

    def _length(self, stmt: Stmt) -> int:
        """How many numbers a statement takes."""
        if not blocks_of(stmt):
            return 1
        if id(stmt) not in self._lengths:
            self._lengths[id(stmt)] = sum(1 for _ in within(stmt))
        return self._lengths[id(stmt)]


def _is_flag(stmt: Stmt) -> bool:
    return isinstance(stmt, TileOp) and stmt.op in ("set_flag", "wait_flag")


def _taken(stmt: If, nested: Block, branch: int, env: _Env) -> bool:
    """False for a branch of flags that is not taken, or in one iteration only."""
    if not nested or not all(map(_is_flag, nested)):
        return True
    condition = substitute(stmt.condition, env)
    if not isinstance(condition, Expr):
        return bool(condition) is (branch == 0)
    return not (isinstance(condition, Compare) and condition.op == "==")


def _runs(block: Block, iterations: int) -> int:
    """How many events a block makes."""
    count = 0
    for stmt in block:
        inner = sum(_runs(nested, iterations) for nested in blocks_of(stmt))
        count += 1 + inner * (iterations if isinstance(stmt, (For, While)) else 1)
    return count


def _touches(stmt: Stmt, env: _Env) -> Iterator[_Touch]:
    effect = effect_of(stmt)
    reads = [(Pipe.S, region) for region in effect.scalars]
    reads += [(step.pipe, region) for step in effect.steps for region in step.reads]
    writes = [(step.pipe, region) for step in effect.steps for region in step.writes]
    for regions, write in ((reads, False), (writes, True)):
        for pipe, region in regions:
            yield _Touch(pipe, replace(region, starts=substitute(region.starts, env)), write)


# --- the search ----------------------------------------------------------------------------------


@dataclass(slots=True)
class _Search:
    """Looks for what calls order in a trace."""

    events: Sequence[_Event]
    overlaps: RegionOverlaps

    def orders(self) -> Iterator[tuple[tuple[int, ...], list[Hazard], bool]]:
        """Calls that belong together, with the closest pairs that they order, and whether no other
        call of the kind does."""
        sets: dict[object, deque[int]] = defaultdict(deque)
        for at, event in enumerate(self.events):
            pipes = event.pipes
            if pipes is None:
                continue
            if event.op == "set_flag":
                sets[pipes, event.flag].append(at)
            elif event.op != "wait_flag":
                yield (event.number,), *self._pairs(at, at, pipes)
            elif sets[pipes, event.flag]:
                begin = sets[pipes, event.flag].popleft()
                calls = self.events[begin].number, event.number
                yield calls, *self._pairs(begin, at, pipes)

    def _pairs(self, begin: int, end: int, pipes: _Pipes) -> tuple[list[Hazard], bool]:
        """First what no other call of the kind orders as well, else the closest pair."""
        near = [at for at in self._until(range(begin - 1, -1, -1), begin)]
        soon = [at for at in self._until(range(end + 1, len(self.events)), end)]
        calls = self.events[begin], self.events[end]
        found = self._conflicts(near, soon, calls, MAX_PAIRS)
        if found:
            return found, True
        every = range(begin - 1, max(-1, begin - MAX_SEARCH), -1)
        later = range(end + 1, min(len(self.events), end + MAX_SEARCH))
        return self._conflicts(every, later, calls, 1), False

    def _until(self, way: range, call: int) -> Iterator[int]:
        """Events up to the next call that orders the same pipes."""
        own = self.events[call]
        for at in way[:MAX_SEARCH]:
            event = self.events[at]
            if event.pipes == own.pipes and event.op == own.op:
                return
            yield at

    def _conflicts(
        self, back: Sequence[int], on: Sequence[int], calls: tuple[_Event, _Event], most: int
    ) -> list[Hazard]:
        """The closest pairs of each kind on the same buffers; of those in branches, each way."""
        found: dict[object, Hazard] = {}
        always: set[object] = set()
        assert calls[1].pipes is not None
        source, target = calls[1].pipes
        made = [(self.events[at], self.events[at].on(source)) for at in back]
        made = [entry for entry in made if entry[1]]
        for at in on:
            after = self.events[at]
            for touch in after.on(target):
                for before, touches in made:
                    ways = self._ways(calls, before, after)
                    for hazard in self._between(before, touches, after, touch) if ways else ():
                        key = hazard.kind, hazard.first.uid, hazard.second.uid
                        if key not in always:
                            found.setdefault((key, ways), hazard)
                        if ways == _ALWAYS:
                            always.add(key)
            if len(found) >= most:
                break
        return list(found.values())[:most]

    def _ways(
        self, calls: tuple[_Event, _Event], before: _Event, after: _Event
    ) -> tuple[_Branches, ...] | None:
        """The branches that lead to two statements and not to the calls between; None where the calls
        may be left out though both are run."""
        work = {*before.branches, *after.branches}
        around = [branch for call in calls for branch in call.branches]
        if any(way not in work and not self._bare(way[0]) for way in around):
            return None
        sides = zip((before, after), calls, strict=True)
        return tuple(self._own(event.branches, call.branches) for event, call in sides)

    def _own(self, branches: _Branches, others: _Branches) -> _Branches:
        """By the numbers of the branches in the text."""
        return tuple(
            (self.events[at].number, way) for at, way in branches if (at, way) not in others
        )

    def _apart(self, one: _Event, other: _Event) -> bool:
        """True where two stand in different branches of one statement."""
        taken = dict(self._own(one.branches, ()))
        return any(taken.get(at, way) != way for at, way in self._own(other.branches, ()))

    def _bare(self, at: int) -> bool:
        """True for a branch around nothing but flags: its condition tells when they are needed."""
        return all(map(_is_flag, chain(*blocks_of(self.events[at].stmt))))

    def _between(
        self, before: _Event, touches: Sequence[_Touch], after: _Event, b: _Touch
    ) -> Iterator[Hazard]:
        for a in touches:
            if not (a.write or b.write) or (a.pipe is b.pipe is Pipe.S):
                continue  # the scalar unit waits for each of its accesses
            if not self.overlaps.overlap(a.region, b.region) or _exclusive(before, after):
                continue
            first, second = root(a.region.buffer), root(b.region.buffer)
            numbers = before.number, after.number
            kind = ("WAW" if a.write else "WAR") if b.write else "RAW"
            carried = before.number >= after.number or self._apart(before, after)
            yield Hazard(kind, *numbers, a.pipe, b.pipe, first, second, carried)


def _pipes(stmt: Stmt) -> _Pipes | None:
    """The pipes that a call joins."""
    if not isinstance(stmt, TileOp):
        return None
    if stmt.op in ("set_flag", "wait_flag"):
        return _pipe(stmt.args[0]), _pipe(stmt.args[1])
    if stmt.op == "pipe_barrier":
        return _pipe(stmt.args[0]), _pipe(stmt.args[0])
    return (Pipe.ALL, Pipe.ALL) if stmt.op == "barrier_all" else None


def _pipe(name: object) -> Pipe:
    return next((pipe for pipe in Pipe if pipe.value == str(name).upper()), Pipe.ALL)


def _exclusive(one: _Event, other: _Event) -> bool:
    """True where the two stand in the two branches of one If."""
    taken = dict(one.branches)
    return any(taken.get(at, branch) != branch for at, branch in other.branches)
