"""Limits of one analysis, and its cancellation. Running out is one located message, never a hang."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class Cancelled(Exception):
    """The result is no longer wanted."""


class OutOfBudget(Exception):
    """A limit was reached; the text says which one."""


class Budget:
    """Counts steps; every few hundred it looks at the clock and at `cancelled`.

    Unit: `steps` evaluation steps, `seconds` of work of the thread that made the budget, so that a
    busy machine does not change what is found.
    """

    __slots__ = ("_next_look", "allowed", "cancelled", "deadline", "limit", "seconds", "steps")

    def __init__(
        self,
        steps: int = 1_000_000,
        seconds: float = 10.0,
        cancelled: Callable[[], bool] | None = None,
    ) -> None:
        self.limit = self.allowed = steps
        self.steps = 0
        self.seconds = seconds
        self.deadline = time.thread_time() + seconds
        self.cancelled = cancelled
        self._next_look = 256

    def step(self) -> None:
        """Count one step. Errors: OutOfBudget, Cancelled."""
        self.steps += 1
        if self.steps >= self._next_look:
            self.look()

    @contextmanager
    def allowance(self, steps: int) -> Iterator[None]:
        """Within, at most this many further steps; running out of them leaves the rest intact."""
        saved = self.limit, self.allowed
        if self.steps + steps < self.limit:
            self.limit, self.allowed = self.steps + steps, steps
        try:
            yield
        finally:
            self.limit, self.allowed = saved

    def stop_if_stale(self) -> None:
        """Errors: Cancelled, where the result is no longer wanted."""
        if self.cancelled is not None and self.cancelled():
            raise Cancelled

    @property
    def late(self) -> bool:
        """True where the seconds are used up. Errors: Cancelled."""
        self.stop_if_stale()
        return time.thread_time() > self.deadline

    def look(self) -> None:
        """Check limits and cancellation now. Errors: OutOfBudget, Cancelled."""
        self._next_look = self.steps + 256
        late = self.late
        if self.steps > self.limit:
            raise OutOfBudget(f"evaluation stopped after {self.allowed:,} steps")
        if late:
            raise OutOfBudget(f"evaluation stopped after {self.seconds:g} s")
