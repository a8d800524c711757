"""What is ordered with what: the state of the synchronisation analysis.

For every pipe the state holds the accesses so far that its coming work is *not* certainly behind. A
flag from p to q puts q behind all that p is behind; a barrier puts a pipe behind itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tl_ascend.ir.expr import Expr, Scalar, Var, free_vars
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.periodic import Cycle, canonical, in_turns, shifted
from tl_ascend.ir.phases import Phase, Phases
from tl_ascend.passes.sync_access import Access, Overlaps, Token, numbers
from tl_ascend.target.hardware import Pipe

_EVERY = Pipe.ALL
PIPES = tuple(pipe for pipe in Pipe if pipe is not Pipe.ALL)
Told = tuple[Pipe, Pipe, Scalar]  # a flag of the author


@dataclass(slots=True)
class State:
    """`pending`: by pipe, what it is not behind. `open`: flags that are set and not yet waited for,
    with what they do *not* vouch for; `told`: the same for the author's. `ended`: no code comes from
    here, because a loop was left."""

    overlaps: Overlaps
    pending: dict[Pipe, int]
    open: dict[Token, int] = field(default_factory=dict)
    told: dict[Told, int] = field(default_factory=dict)
    ended: bool = False

    @staticmethod
    def first(overlaps: Overlaps) -> State:
        """Nothing was done yet."""
        return State(overlaps, {pipe: 0 for pipe in PIPES if pipe in overlaps.pipes})

    def copy(self) -> State:
        return State(
            self.overlaps, self.pending.copy(), self.open.copy(), self.told.copy(), self.ended
        )

    def record(self, keys: int, behind: tuple[Pipe, ...] = ()) -> None:
        """New accesses: nothing is behind them yet but the pipes in `behind`."""
        pending, unsure = self.pending, self.open
        for pipe, others in pending.items():
            pending[pipe] = others | keys
        for token, others in unsure.items():
            unsure[token] = others | keys
        for pipe in behind:
            pending[pipe] &= ~keys
        for flag in self.told:
            self.told[flag] |= keys

    def unsure(self, source: Pipe) -> int:
        """What a flag set now does not vouch for. Its own work the source pipe is always done with
        before it sets one."""
        return self.pending[source] & ~self.overlaps.of_pipe[source]

    def set_flag(self, token: Token, source: Pipe) -> None:
        self.open[token] = self.unsure(source)

    def wait_flag(self, token: Token, target: Pipe) -> None:
        self.pending[target] &= self.open.pop(token, -1)

    def follow(self, source: Pipe, target: Pipe) -> None:
        """One call has one pipe wait for the other."""
        if source is not target:
            self.pending[target] &= self.unsure(source)

    def barrier(self, pipe: Pipe) -> None:
        """After it the pipe is behind its own work; after ALL every pipe is behind everything."""
        if pipe is _EVERY:
            self.pending = dict.fromkeys(self.pending, 0)
        elif pipe in self.pending:
            self.pending[pipe] &= ~self.overlaps.of_pipe[pipe]

    def join(self, other: State) -> State:
        """What holds where either may have happened."""
        if self.ended or other.ended:
            return other if self.ended else self
        pending = {pipe: keys | other.pending[pipe] for pipe, keys in self.pending.items()}
        one, two = self._unsure(), other._unsure()
        shared = {f: keys | two[f] for f, keys in one.items() if f in two}
        told = self.told
        if told:
            told = {f: keys | other.told[f] for f, keys in told.items() if f in other.told}
        return State(self.overlaps, pending, shared, told)

    def _unsure(self) -> dict[Token, int]:
        """What flags do not vouch for, but for what the pipe that waits is behind anyway."""
        pending = self.pending
        return {token: keys & pending[token.target] for token, keys in self.open.items()}

    def renamed(self, rename: Rename) -> State:
        """The state in the terms of the next iteration, or of the code behind the loop."""
        pending = {pipe: rename.keys(keys) for pipe, keys in self.pending.items()}
        unsure = {rename.token(token): rename.keys(keys) for token, keys in self.open.items()}
        told: dict[Told, int] = {}
        for (source, target, event), keys in self.told.items():
            new = rename.start(event, (source, target))
            if new is not None:
                flag = source, target, canonical(new)
                told[flag] = told.get(flag, 0) | rename.keys(keys)
        return State(self.overlaps, pending, unsure, told, self.ended)


Dimension = tuple[object, ...]  # of a buffer, or the ids of the author's flags between two pipes


class Rename:
    """Names for other terms; what cannot be named any more is None."""

    by: int | None = 0  # by how many turns of `var` the terms are later; None: not known
    on = 0  # by how many turns of what is counted on through its runs
    last = False  # the loop has ended

    def __init__(self, overlaps: Overlaps, var: Var | None = None) -> None:
        self._overlaps, self._var = overlaps, var
        self._moves: dict[int, int] = {}
        self._known: dict[int, int] = {}
        self._still = 0  # what was found to keep its name

    def start(self, start: Scalar, dimension: Dimension) -> Scalar | None:
        """A place along a dimension."""
        raise NotImplementedError

    def phase(self, phase: Phase) -> Phase | None:
        """What a branch tells of the iterations that take it."""
        return phase

    def phases(self, access: Access) -> Phases:
        """When an access of these terms took place."""
        found = (self.phase(phase) for phase in access.phases)
        return tuple(phase for phase in found if phase is not None)

    def among(self, keys: int) -> int:
        """Those of a set that may have another name."""
        return keys & ~self._overlaps.fixed

    def token(self, token: Token) -> Token:
        """The id of a flag that is set."""
        if token.ids == 1 or token.var is not self._var:
            return token
        by = self.on if token.run else self.by
        return token.turned(1 if by is None else by)

    def _waited(self, token: Token) -> Token:
        """The id of a flag that was waited for."""
        if token.ids == 1:
            return token
        if token.run:
            ended = self.last and token.run[-1] is self._var
            return token.any() if ended else self.token(token)
        unsure = self.by is None and token.var is self._var
        return token.any() if unsure else self.token(token)

    def keys(self, keys: int) -> int:
        """The keys under their new names."""
        moving = keys & ~self._still
        known = self._known.get(moving)
        if known is None:
            self._still |= keys & ~self.among(keys)
            moving = keys & ~self._still
            known = self._known[moving] = self._renamed(moving)
        return keys ^ moving | known

    def _renamed(self, keys: int) -> int:
        renamed = 0
        for number in numbers(keys):
            new = self._moves.get(number)
            renamed |= self._moved(number) if new is None else new
        return renamed

    def _moved(self, number: int) -> int:
        """The new name of one access or wait, which is remembered."""
        access = self._overlaps.access(number)
        if access is None:
            new = self._overlaps.later_wait(number, self._waited)
        else:
            starts = tuple(
                [
                    start if start is None else self.start(start, (access.buffer, at))
                    for at, start in enumerate(access.starts)
                ]
            )
            phases = self.phases(access)
            if starts != access.starts or phases != access.phases:
                access = self._overlaps.moved(access, starts, phases)
            new = access.bit
        self._moves[number] = new
        if new == 1 << number:
            self._still |= new
        return new


class Later(Rename):
    """Forget the names that a loop binds. In the terms of its next iteration, places in a cycle are
    known exactly, others are those of some earlier iteration. A loop of `few` iterations is a cycle
    as a whole."""

    by = on = 1

    def __init__(
        self,
        overlaps: Overlaps,
        bound: frozenset[Var],
        var: Var | None = None,
        few: int | None = None,
    ) -> None:
        super().__init__(overlaps, var)
        self._bound, self._few = bound, few
        # By how much an earlier iteration differs: at least one.
        self._earlier = (
            None if var is None else Var(f"{var.name}'", -var.uid, "loop", 1, None, var.type)
        )

    def start(self, start: Scalar, dimension: Dimension) -> Scalar | None:
        if not isinstance(start, Expr):
            return start
        names, var = free_vars(start), self._var
        if not self._bound.isdisjoint(names):
            return None
        if var is None or var not in names or self._earlier in names:
            return start
        exact = None
        if self._overlaps.in_turns(dimension[0]):
            exact = shifted(start, var, -1)
            if exact is None and self._few is not None:
                exact = in_turns(start, var, self._few)
        if exact is not None:
            return exact
        past = binary("-", var, self._earlier)  # type: ignore[arg-type]
        moved: Scalar = substitute(start, {var: past})
        return moved

    def phase(self, phase: Phase) -> Phase | None:
        names, var = phase.names, self._var
        if names & self._bound:
            return None
        return phase if var is None or var not in names else phase.moved(var, -1)


class Behind(Rename):
    """Forget the names that a loop binds and its variable; where its last value is known, `last`,
    places in a cycle are known, of others it is known between which values of the variable they are.
    `by`: by how many turns the terms are later; `run`: it was run."""

    def __init__(
        self,
        overlaps: Overlaps,
        bound: frozenset[Var],
        var: Var | None = None,
        last: Scalar | None = None,
        by: int | None = None,
        few: bool = False,
        run: bool = True,
    ) -> None:
        super().__init__(overlaps, var)
        self._bound, self._last, self._few, self.by = bound, last, few, by
        self.on = int(run)
        self.last = True
        # The value of some iteration.
        self._some = (
            None
            if var is None
            else Var(f"{var.name}'", -var.uid, "loop", var.low, var.high, var.type)
        )

    def ending(self, last: Scalar, by: int) -> Behind:
        """The same for a loop that ended in the turn of one value of its variable."""
        return Behind(self._overlaps, self._bound, self._var, last, by, self._few)

    def again(self) -> Behind:
        """The same for what was done since."""
        return Behind(
            self._overlaps, self._bound, self._var, self._last, self.by, self._few, run=False
        )

    def start(self, start: Scalar, dimension: Dimension) -> Scalar | None:
        if not isinstance(start, Expr):
            return start
        names, var = free_vars(start), self._var
        if not self._bound.isdisjoint(names):
            return None
        if var is None or var not in names:
            return start
        last = self._last if self._overlaps.in_turns(dimension[0]) else None
        if last is None or not self._few and shifted(start, var, 0) is None:
            return self._ever(start, dimension)
        moved: Scalar = substitute(start, {var: last})
        return moved

    def _ever(self, start: Scalar, dimension: Dimension) -> Scalar | None:
        """Where some iteration was; of flags that says nothing, nor of what is only read."""
        var, some = self._var, self._some
        if var is None or some is None or not self._overlaps.written(dimension[0]):
            return None
        moved: Scalar = substitute(start, {var: some})
        return moved

    def phase(self, phase: Phase) -> Phase | None:
        return None if phase.names & self._bound or self._var in phase.names else phase


class Into(Rename):
    """In the terms of a loop's first iteration: places along dimensions that the loop goes around in
    cycles become places in that cycle. `phases`: by buffer, what holds in the first iteration, where
    iterations use buffers in turns."""

    def __init__(
        self,
        overlaps: Overlaps,
        var: Var,
        first: Scalar,
        cycles: dict[Dimension, Cycle],
        phases: dict[int, Phase],
    ) -> None:
        super().__init__(overlaps, var)
        self._first, self._cycles, self._phases = first, cycles, phases
        self._buffers = [dimension[0] for dimension in cycles if isinstance(dimension[0], int)]
        self._buffers += phases

    def start(self, start: Scalar, dimension: Dimension) -> Scalar | None:
        cycle, var = self._cycles.get(dimension), self._var
        return start if cycle is None or var is None else cycle.first(start, var, self._first)

    def phases(self, access: Access) -> Phases:
        first = self._phases.get(access.buffer)
        return access.phases if first is None else (*access.phases, first)

    def among(self, keys: int) -> int:
        cyclic = 0
        for buffer in self._buffers:
            cyclic |= self._overlaps.of_buffer(buffer)
        return keys & cyclic
