"""What is ordered with what: the state of the synchronisation analysis.

For every pipe the state holds the accesses so far that its coming work is *not* certainly behind. A
flag from p to q puts q behind all that p is behind; a barrier puts a pipe behind itself.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tl_ascend.ir.expr import Scalar, Var, free_vars
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.passes.sync_access import Overlaps, numbers
from tl_ascend.target.hardware import Pipe

PIPES = tuple(pipe for pipe in Pipe if pipe is not Pipe.ALL)


@dataclass(slots=True)
class State:
    """`pending`: by pipe, what it is not behind. `open`: flags that are set and not yet waited for,
    by number, with what they do *not* vouch for."""

    overlaps: Overlaps
    pending: dict[Pipe, int] = field(default_factory=lambda: dict.fromkeys(PIPES, 0))
    open: dict[int, int] = field(default_factory=dict)

    def copy(self) -> State:
        return State(self.overlaps, self.pending.copy(), self.open.copy())

    def record(self, keys: int, behind: tuple[Pipe, ...] = ()) -> None:
        """New accesses: nothing is behind them yet but the pipes in `behind`."""
        pending = self.pending
        for pipe in pending:
            pending[pipe] |= keys
        for pipe in behind:
            pending[pipe] &= ~keys
        for flag in self.open:
            self.open[flag] |= keys

    def set_flag(self, number: int, source: Pipe) -> None:
        """Its own work the source pipe is always done with before it sets a flag."""
        self.open[number] = self.pending[source] & ~self.overlaps.of_pipe[source]

    def wait_flag(self, number: int, target: Pipe) -> None:
        self.pending[target] &= self.open.pop(number, -1)

    def barrier(self, pipe: Pipe) -> None:
        """After it the pipe is behind its own work; after ALL every pipe is behind everything."""
        if pipe is Pipe.ALL:
            self.pending = dict.fromkeys(PIPES, 0)
        else:
            self.pending[pipe] &= ~self.overlaps.of_pipe[pipe]

    def join(self, other: State) -> State:
        """What holds where either may have happened."""
        pending = {pipe: keys | other.pending[pipe] for pipe, keys in self.pending.items()}
        shared = {f: keys | other.open[f] for f, keys in self.open.items() if f in other.open}
        return State(self.overlaps, pending, shared)

    def renamed(self, rename: Rename) -> State:
        """The state in the terms of the next iteration, or of the code behind the loop."""
        pending = {pipe: rename.keys(keys) for pipe, keys in self.pending.items()}
        unsure = {flag: rename.keys(keys) for flag, keys in self.open.items()}
        return State(self.overlaps, pending, unsure)


class Rename:
    """Forget the names that a loop binds. `earlier` replaces the loop variable by that of some
    earlier iteration; without it the loop variable is forgotten too."""

    def __init__(
        self,
        overlaps: Overlaps,
        bound: frozenset[Var],
        var: Var | None = None,
        earlier: Var | None = None,
    ) -> None:
        self._overlaps, self._bound, self._var, self._earlier = overlaps, bound, var, earlier
        self._moves: dict[int, int] = {}
        self._known: dict[int, int] = {}

    def keys(self, keys: int) -> int:
        """The keys under their new names."""
        fixed = keys & self._overlaps.fixed
        moving = keys ^ fixed
        known = self._known.get(moving)
        if known is None:
            known = self._known[moving] = self._renamed(moving)
        return fixed | known

    def _renamed(self, keys: int) -> int:
        renamed = 0
        for number in numbers(keys):
            new = self._moves.get(number)
            renamed |= self._moved(number) if new is None else new
        return renamed

    def _moved(self, number: int) -> int:
        """The new name of one access, which is remembered."""
        access = self._overlaps.access(number)
        assert access is not None  # waits are fixed
        starts = tuple(map(self._start, access.starts))
        new = access if starts == access.starts else self._overlaps.moved(access, starts)
        self._moves[number] = new.bit
        return new.bit

    def _start(self, start: Scalar | None) -> Scalar | None:
        names = [] if start is None else free_vars(start)
        if any(name in self._bound for name in names):
            return None
        if self._var is None or self._var not in names or self._earlier in names:
            return start
        if self._earlier is None:
            return None
        past = binary("-", self._var, self._earlier)
        moved: Scalar = substitute(start, {self._var: past})
        return moved


def earlier(var: Var) -> Var:
    """By how much an earlier iteration differs: at least one."""
    return Var(f"{var.name}'", -var.uid, "loop", 1, None, var.type)
