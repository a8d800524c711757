"""The program of one core as a list of what its pipes are given to do, in the order of issue."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tl_ascend.checks.sync.boxes import Boxes, Plan
from tl_ascend.checks.sync.events import LOOSE, NUMBER, SCALAR, Access, Event, Kind, Program
from tl_ascend.checks.sync.stretches import idle, still
from tl_ascend.checks.sync.turns import Endless, Turns
from tl_ascend.checks.sync.values import Unknown, Values
from tl_ascend.ir.effects import Effect, effect_of, form_of, operand_wait
from tl_ascend.ir.nodes import (
    Block,
    Break,
    CoreScope,
    For,
    If,
    Let,
    Stmt,
    Store,
    TileOp,
    While,
)
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Core, Pipe

MAX_EVENTS = 1500
MAX_STEPS = 4 * MAX_EVENTS
HALVES = 2
AMONG = (0, 1)  # modes: cores of one kind, all of the launch, those of a block


class Undecided(Exception):
    """The device alone knows which flag is meant."""


class _Enough(Exception):
    """The beginning of the program has been read."""


class _Leave(Exception):
    """A break."""


@dataclass(frozen=True, slots=True)
class _Sync:
    """A call that synchronises. `pipes`: of a flag within the core; `number`: of a flag."""

    kind: Kind
    pipe: int
    number: Any = None
    pipes: tuple[int, ...] = ()

    @classmethod
    def of(cls, op: TileOp, core: Core) -> _Sync | None:
        """None where it orders nothing that counts. Errors: Undecided."""
        if op.op in ("set_flag", "wait_flag"):
            source, target = pipes = tuple(_pipe(arg) for arg in op.args[:2])
            sets = op.op == "set_flag"
            kind, pipe = (Kind.SET, source) if sets else (Kind.WAIT, target)
            return cls(kind, pipe, op.args[2], pipes)
        if op.op == "barrier_all" or (op.op == "pipe_barrier" and str(op.args[0]).upper() == "ALL"):
            return cls(Kind.BARRIER, SCALAR)
        if op.op == "pipe_barrier" and _pipe(op.args[0]) in LOOSE:
            return cls(Kind.BARRIER, _pipe(op.args[0]))
        if op.op == "set_cross_flag":
            among = op.args[2] in AMONG and core is not Core.ANY
            if not among and op.args[2] not in (None, HALVES):
                raise Undecided
            alike = Kind.JOIN if core is Core.VECTOR else Kind.OWN
            return cls(alike if among else Kind.SIGNAL, _pipe(op.args[0]), op.args[1])
        if op.op == "wait_cross_flag":
            return cls(Kind.AWAIT, SCALAR, op.args[0])
        return cls(Kind.MEET, SCALAR) if op.op == "sync_all" else None


@dataclass(slots=True, eq=False)
class _Call:
    """What is always the same of a statement on a core. `place`: a number for its span; `idle`: it does
    nothing that counts; `still`: nothing changes what it does; `scalars`: what it takes from memory;
    `partly`: of its copy a part may be moved; `fills`: and the rest is filled; `only`: its one step,
    where it has no flags; `behind`: what it waits for before it takes its scalars; `plain`: there is
    nothing but that one step; `act`: how a statement that is no call is followed."""

    stmt: Stmt
    place: int
    idle: bool = False
    still: bool = False
    scalars: Plan | None = None
    sync: _Sync | None = None
    steps: tuple[tuple[Pipe, Plan], ...] = ()
    flags: tuple[tuple[Pipe, Pipe, int], ...] = ()
    partly: bool = False
    fills: bool = False
    only: tuple[int, Plan] | None = None
    behind: Pipe | None = None
    plain: bool = False
    act: Callable[[Tracer, Any, _Call], None] | None = None

    @classmethod
    def of(cls, stmt: Stmt, core: Core, boxes: Boxes) -> _Call:
        """Errors: Undecided."""
        effect, place = effect_of(stmt), boxes.place(stmt)
        taken = boxes.plan(stmt, effect.scalars, (), scalar=True) if effect.scalars else None
        scalars = taken if taken is not None and taken.sides else None
        if not isinstance(stmt, TileOp):
            act, steps = _ACTS.get(stmt.__class__), _steps(stmt, effect, boxes)
            return cls(stmt, place, scalars=scalars, steps=steps, act=act)
        row, fixed = TABLE.get(stmt.op), still(stmt)
        if row is None or idle(row):
            return cls(stmt, place, idle=True)
        if row.kind == "sync":
            return cls(stmt, place, still=fixed, scalars=scalars, sync=_Sync.of(stmt, core))
        if not boxes.reachable(stmt, core):
            return cls(stmt, place, still=fixed, scalars=scalars)
        form, steps = form_of(stmt), _steps(stmt, effect, boxes)
        partly = form is not None and form.memories is not None
        fills = form is not None and partly and form.fill is not None
        events = form.events if form is not None else ()
        alone = len(steps) == 1 and not events and not partly
        behind = operand_wait(stmt, boxes.options)
        return cls(
            stmt,
            place,
            still=fixed,
            scalars=scalars,
            steps=steps,
            flags=events,
            partly=partly,
            fills=fills,
            only=(NUMBER[steps[0][0]], steps[0][1]) if alone else None,
            plain=alone and scalars is None and behind is None,
            behind=behind,
        )


def _steps(stmt: Stmt, effect: Effect, boxes: Boxes) -> tuple[tuple[Pipe, Plan], ...]:
    return tuple(
        (step.pipe, boxes.plan(stmt, step.reads, step.writes, step.pipe is Pipe.S))
        for step in effect.steps
    )


@dataclass(slots=True)
class Tracer:
    """Follows the code of one core. `branches`: the unknown branches around; `_assumed`: some of
    them, or the length of a loop, is only assumed."""

    core: Core
    values: Values
    boxes: Boxes
    turns: Turns
    program: Program = field(default_factory=Program)
    branches: tuple[object, ...] = ()
    _assumed: bool = False
    _steps: int = 0
    _calls: dict[int, _Call] = field(init=False)

    def __post_init__(self) -> None:
        self._calls = self.boxes.calls[self.core]

    def run(self, block: Block) -> Program:
        """Errors: Undecided."""
        try:
            self._block(block)
        except (_Enough, Endless):
            self.program.whole = False
        except _Leave:
            pass
        self.program.open, self.program.sized = self.values.open, self.values.sized
        return self.program

    def _block(self, block: Block) -> None:
        events = self.program.events
        for part in self.boxes.stretches.of(block):
            if part.__class__ is list:
                self._stretch(part)
                continue
            self._steps += 1
            if self._steps > MAX_STEPS or len(events) > MAX_EVENTS:
                raise _Enough
            if part.__class__ is TileOp:
                self._operation(part)
            else:
                self._control(part)

    def _stretch(self, ops: list[TileOp]) -> None:
        """Calls that nothing changes; one by one where they may be too many."""
        events = self.program.events
        key = id(ops), self.branches
        kept = self.boxes.events.get(key)
        if (
            kept is not None
            and self._steps + len(ops) <= MAX_STEPS
            and len(events) + len(kept) <= MAX_EVENTS
        ):
            self._steps += len(ops)
            self._again(kept)
            return
        begin = len(events)
        for op in ops:
            self._steps += 1
            if self._steps > MAX_STEPS or len(events) > MAX_EVENTS:
                raise _Enough
            self._operation(op)
        self.boxes.events[key] = events[begin:]

    def _again(self, kept: list[Event]) -> None:
        """What was made of the same calls before."""
        self.program.events.extend(kept)
        if self._assumed:
            self.program.guessed.update(e.flag for e in kept if e.flag is not None)

    def _control(self, stmt: Stmt) -> None:
        call = self._calls.get(id(stmt)) or self._call(stmt)
        if call.scalars is not None:
            self._scalars(call)
        if call.act is not None:
            call.act(self, stmt, call)

    def _scope(self, scope: CoreScope, _: _Call) -> None:
        if scope.core is self.core or self.core is Core.ANY:
            self._block(scope.body)

    def _if(self, stmt: If, _: _Call) -> None:
        taken, certain = self.values.way(stmt.condition)
        if not certain:
            self.program.taken.setdefault(id(stmt), set()).add(bool(taken))
        block = stmt.then if taken else stmt.other
        if block:
            self._inside(block, stmt, certain, self.values.assumed)

    def _let(self, stmt: Let, _: _Call) -> None:
        self.values.bind(stmt)

    def _store(self, stmt: Store, call: _Call) -> None:
        self.values.store(stmt)
        self._work(call)

    def _break(self, _: Break, __: _Call) -> None:
        if self._assumed:
            self.program.guessed.add(None)
        raise _Leave

    def _inside(self, block: Block, stmt: Stmt, certain: bool, assumed: bool) -> None:
        around, known = self.branches, self._assumed
        self._assumed = known or assumed
        if not certain:
            self.branches = (*around, id(stmt))
        try:
            self._block(block)
        finally:
            self.branches, self._assumed = around, known

    def _loop(self, loop: For, _: _Call) -> None:
        start, fixed = self.values.way(loop.start)
        assumed = self.values.assumed
        extent, certain = self.values.way(loop.extent)
        certain, assumed = certain and fixed, assumed or self.values.assumed
        known = self.values.env.get(loop.var)
        try:
            begins: list[int] = []
            turns = self.turns.of(loop, int(start), int(extent), self.values, self.core)
            for at, rounds, period in turns:
                self.values.env[loop.var] = at
                begins.append(len(self.program.events))
                if rounds:
                    self.program.repeats.append((begins[-1 - period], begins[-1], 1 + rounds))
                self._inside(loop.body, loop, certain, assumed)
        except _Leave:
            pass
        if known is None:
            self.values.env.pop(loop.var, None)

    def _while(self, loop: While, call: _Call) -> None:
        self.values.open = True
        try:
            for _ in range(self.values.policy.turns):
                self._inside(loop.body, loop, False, True)
                if call.scalars is not None:
                    self._scalars(call)
        except _Leave:
            pass

    # --- operations ------------------------------------------------------------------------------

    def _operation(self, op: TileOp) -> None:
        call = self._calls.get(id(op)) or self._call(op)
        if call.idle:
            return
        if not call.still:
            if call.plain and call.only is not None:
                pipe, plan = call.only
                found = plan.accesses(self.values)
                if found:
                    event = Event(Kind.WORK, pipe, op, call.place, found, None, self.branches)
                    self.program.events.append(event)
            else:
                self._issue(call)
            return
        key = id(op), self.branches
        kept = self.boxes.events.get(key)
        if kept is not None:
            self._again(kept)
            return
        begin = len(self.program.events)
        self._issue(call)
        self.boxes.events[key] = self.program.events[begin:]

    def _issue(self, call: _Call) -> None:
        if call.behind is Pipe.ALL:
            self._add(Kind.BARRIER, SCALAR, call, ("template",))
        elif call.behind is not None:
            self._join(call.behind, Pipe.S, call)
        if call.scalars is not None:
            self._scalars(call)
        sync = call.sync
        if sync is not None:
            flag: Any = None if sync.number is None else self._id(sync.number)
            self._add(sync.kind, sync.pipe, call, (*sync.pipes, flag) if sync.pipes else flag)
        elif call.only is not None:
            pipe, plan = call.only
            self._touch(pipe, call, plan.accesses(self.values))
        else:
            self._work(call)

    def _call(self, stmt: Stmt) -> _Call:
        found = self._calls[id(stmt)] = _Call.of(stmt, self.core, self.boxes)
        return found

    def _id(self, value: Any) -> int:
        try:
            found = self.values.flag(value)
        except Unknown:
            raise Undecided from None
        if self.values.assumed:
            self.program.guessed.add(None)
        return found

    def _add(self, kind: Kind, pipe: int, call: _Call, flag: object = None) -> None:
        event = Event(kind, pipe, call.stmt, call.place, (), flag, self.branches)
        self.program.events.append(event)
        if self._assumed and flag is not None:
            self.program.guessed.add(flag)

    def _scalars(self, call: _Call) -> None:
        assert call.scalars is not None
        self._touch(SCALAR, call, call.scalars.accesses(self.values))

    def _touch(self, pipe: int, call: _Call, found: tuple[Access, ...]) -> None:
        if found:
            event = Event(Kind.WORK, pipe, call.stmt, call.place, found, None, self.branches)
            self.program.events.append(event)

    def _work(self, call: _Call) -> None:
        """The steps of a call, with the flags that its template sets and waits for itself."""
        steps, flags, partial = call.steps, call.flags, None if call.partly else False
        if call.partly and isinstance(call.stmt, TileOp):
            partial = self.boxes.partial(call.stmt, self.values)
            if call.fills:
                steps = steps if partial else steps[-1:]
                flags = () if partial is False else flags
        first = partial is None and self._fills_first(call)
        own = {pipe for pipe, _ in (call.steps if first else steps)} if flags else set()
        for source, target, _ in flags:
            if target in own:
                self._join(source, target, call)
        before: Pipe | None = None
        for pipe, plan in steps:
            if before is not None:
                self._join(before, pipe, call)
            self._touch(NUMBER[pipe], call, plan.accesses(self.values, partial is not False))
            before = pipe
        for source, target, _ in flags:
            if source in own and target not in own:
                self._join(source, target, call)

    def _fills_first(self, call: _Call) -> bool:
        """True where none of the flags of a copy, whose length the device knows, is behind what moves:
        upstream's template of route ascendc fills first."""
        stmt = call.stmt
        return (
            call.fills
            and isinstance(stmt, TileOp)
            and self.boxes.ragged(stmt, self.values)
            and self.boxes.options.route == "ascendc"
        )

    def _join(self, source: Pipe, target: Pipe, call: _Call) -> None:
        """A flag within a template: it is set, and waited for right after that, so that those
        between two pipes pair in order."""
        a, b = NUMBER[source], NUMBER[target]
        key = "template", a, b
        if a != b:
            self._add(Kind.SET, a, call, key)
            self._add(Kind.WAIT, b, call, key)


_ACTS: dict[type[Stmt], Callable[[Tracer, Any, _Call], None]] = {
    If: Tracer._if,
    Let: Tracer._let,
    Store: Tracer._store,
    For: Tracer._loop,
    While: Tracer._while,
    Break: Tracer._break,
    CoreScope: Tracer._scope,
}
_BY_NAME = {pipe.value.upper(): number for pipe, number in NUMBER.items()}


def _pipe(value: Any) -> int:
    found = _BY_NAME.get(str(value).upper())
    if found is None:
        raise Undecided
    return found
