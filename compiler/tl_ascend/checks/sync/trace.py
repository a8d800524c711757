"""The program of one core as a list of what its pipes are given to do, in the order of issue."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tl_ascend.checks.sync.boxes import Boxes
from tl_ascend.checks.sync.events import NUMBER, SCALAR, Access, Event, Kind, Program
from tl_ascend.checks.sync.turns import Endless, Turns
from tl_ascend.checks.sync.values import Unknown, Values
from tl_ascend.ir.effects import Step, effect_of, form_of, operand_wait
from tl_ascend.ir.nodes import (
    Block,
    Break,
    CoreScope,
    For,
    If,
    Let,
    Region,
    Stmt,
    Store,
    TileOp,
    While,
)
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Core, Pipe

MAX_EVENTS = 1500
HALVES = 2


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
    def of(cls, op: TileOp) -> _Sync | None:
        """None where it orders nothing that counts. Errors: Undecided."""
        if op.op in ("set_flag", "wait_flag"):
            source, target = pipes = tuple(_pipe(arg) for arg in op.args[:2])
            sets = op.op == "set_flag"
            kind, pipe = (Kind.SET, source) if sets else (Kind.WAIT, target)
            return cls(kind, pipe, op.args[2], pipes)
        if op.op == "barrier_all" or (op.op == "pipe_barrier" and str(op.args[0]).upper() == "ALL"):
            return cls(Kind.BARRIER, SCALAR)
        if op.op == "set_cross_flag":
            if op.args[2] not in (None, HALVES):
                raise Undecided
            return cls(Kind.SIGNAL, _pipe(op.args[0]), op.args[1])
        if op.op == "wait_cross_flag":
            return cls(Kind.AWAIT, SCALAR, op.args[0])
        return cls(Kind.MEET, SCALAR) if op.op == "sync_all" else None


@dataclass(frozen=True, slots=True)
class _Call:
    """What is always the same of a statement on a core. `idle`: it does nothing that counts; `still`:
    nothing changes what it does; `partly`: of its copy a part may be moved; `fills`: and the rest is
    filled; `only`: the pipe of its one step, where it has no flags; `behind`: what it waits for before
    it takes its scalars."""

    idle: bool
    still: bool
    scalars: tuple[Region, ...]
    sync: _Sync | None
    steps: tuple[tuple[int, Step], ...] = ()
    flags: tuple[tuple[Pipe, Pipe, int], ...] = ()
    partly: bool = False
    fills: bool = False
    only: int | None = None
    behind: Pipe | None = None

    @classmethod
    def of(cls, stmt: Stmt, core: Core, boxes: Boxes) -> _Call:
        """Errors: Undecided."""
        effect = effect_of(stmt)
        steps = tuple(enumerate(effect.steps))
        if not isinstance(stmt, TileOp):
            return cls(False, False, effect.scalars, None, steps)
        row, still = TABLE.get(stmt.op), boxes.still(stmt)
        if row is None or row.family == "debug":
            return cls(True, True, (), None)
        if row.kind == "sync":
            sync = _Sync.of(stmt)
            return cls(False, still, effect.scalars, sync)
        if not boxes.reachable(stmt, core):
            return cls(False, still, effect.scalars, None)
        form = form_of(stmt)
        partly = form is not None and form.memories is not None
        fills = form is not None and partly and form.fill is not None
        events = form.events if form is not None else ()
        only = NUMBER[steps[0][1].pipe] if len(steps) == 1 and not events and not partly else None
        behind = operand_wait(stmt, boxes.options)
        return cls(False, still, effect.scalars, None, steps, events, partly, fills, only, behind)


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
        for stmt in block:
            self._steps += 1
            if self._steps > 4 * MAX_EVENTS or len(events) > MAX_EVENTS:
                raise _Enough
            if stmt.__class__ is TileOp:
                self._operation(stmt)
            elif isinstance(stmt, CoreScope):
                if stmt.core is self.core or self.core is Core.ANY:
                    self._block(stmt.body)
            else:
                self._control(stmt)

    def _control(self, stmt: Stmt) -> None:
        call = self._calls.get(id(stmt)) or self._call(stmt)
        if call.scalars:
            self._scalars(stmt, call)
        if isinstance(stmt, If):
            taken, certain = self.values.way(stmt.condition)
            block = stmt.then if taken else stmt.other
            if block:
                self._inside(block, stmt, certain, self.values.assumed)
        elif isinstance(stmt, Let):
            self.values.bind(stmt)
        elif isinstance(stmt, Store):
            self.values.store(stmt)
            self._work(stmt, call)
        elif isinstance(stmt, For):
            self._loop(stmt)
        elif isinstance(stmt, While):
            self.values.open = True
            self._while(stmt, call)
        elif isinstance(stmt, Break):
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

    def _loop(self, loop: For) -> None:
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
        try:
            for _ in range(self.values.policy.turns):
                self._inside(loop.body, loop, False, True)
                self._scalars(loop, call)
        except _Leave:
            pass

    # --- operations ------------------------------------------------------------------------------

    def _operation(self, op: TileOp) -> None:
        call = self._calls.get(id(op)) or self._call(op)
        if call.idle:
            return
        if not call.still:
            self._issue(op, call)
            return
        key = id(op), self.branches
        kept = self.boxes.events.get(key)
        if kept is not None:
            self.program.events.extend(kept)
            if self._assumed:
                self.program.guessed.update(e.flag for e in kept if e.flag is not None)
            return
        begin = len(self.program.events)
        self._issue(op, call)
        self.boxes.events[key] = self.program.events[begin:]

    def _issue(self, op: TileOp, call: _Call) -> None:
        if call.behind is Pipe.ALL:
            self._add(Kind.BARRIER, SCALAR, op, ("template",))
        elif call.behind is not None:
            self._join(call.behind, Pipe.S, op)
        if call.scalars:
            self._scalars(op, call)
        sync = call.sync
        if sync is not None:
            flag: Any = None if sync.number is None else self._id(sync.number)
            self._add(sync.kind, sync.pipe, op, (*sync.pipes, flag) if sync.pipes else flag)
        elif call.only is not None:
            ((at, step),) = call.steps
            scalar = step.pipe is Pipe.S
            found = self.boxes.of(op, at, step.reads, step.writes, self.values, scalar)
            if found:
                self._touch(call.only, op, found)
        else:
            self._work(op, call)

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

    def _add(self, kind: Kind, pipe: int, stmt: Stmt, flag: object = None) -> None:
        place = self.boxes.place(stmt)
        self.program.events.append(Event(kind, pipe, stmt, place, (), flag, self.branches))
        if self._assumed and flag is not None:
            self.program.guessed.add(flag)

    def _scalars(self, stmt: Stmt, call: _Call) -> None:
        found = self.boxes.of(stmt, -1, call.scalars, (), self.values, scalar=True)
        if found:
            self._touch(SCALAR, stmt, found)

    def _touch(self, pipe: int, stmt: Stmt, found: tuple[Access, ...]) -> None:
        event = Event(Kind.WORK, pipe, stmt, self.boxes.place(stmt), found, None, self.branches)
        self.program.events.append(event)

    def _work(self, stmt: Stmt, call: _Call) -> None:
        """The steps of a call, with the flags that its template sets and waits for itself."""
        steps, flags, partial = call.steps, call.flags, None if call.partly else False
        if call.partly and isinstance(stmt, TileOp):
            partial = self.boxes.partial(stmt, self.values)
            if call.fills:
                steps = steps if partial else steps[-1:]
                flags = () if partial is False else flags
        own = {step.pipe for _, step in steps} if flags else set()
        for source, target, _ in flags:
            if target in own:
                self._join(source, target, stmt)
        before: Pipe | None = None
        for at, step in steps:
            if before is not None:
                self._join(before, step.pipe, stmt)
            found = self.boxes.of(
                stmt,
                at,
                step.reads,
                step.writes,
                self.values,
                step.pipe is Pipe.S,
                partial is not False,
            )
            if found:
                self._touch(NUMBER[step.pipe], stmt, found)
            before = step.pipe
        for source, target, _ in flags:
            if source in own and target not in own:
                self._join(source, target, stmt)

    def _join(self, source: Pipe, target: Pipe, stmt: Stmt) -> None:
        """A flag within a template: it is set, and waited for right after that."""
        a, b = NUMBER[source], NUMBER[target]
        key = "template", a, len(self.program.events)
        if a != b:
            self._add(Kind.SET, a, stmt, key)
            self._add(Kind.WAIT, b, stmt, key)


_BY_NAME = {pipe.value.upper(): number for pipe, number in NUMBER.items()}


def _pipe(value: Any) -> int:
    found = _BY_NAME.get(str(value).upper())
    if found is None:
        raise Undecided
    return found
