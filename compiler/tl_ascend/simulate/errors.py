"""What can stand in the way of evaluating a kernel."""

from __future__ import annotations

from tl_ascend.source.span import Span


class EvaluationError(Exception):
    """Base of all. `span`: the statement, where one is to blame."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.span = span


class BadArgument(EvaluationError, ValueError):
    """The arrays and numbers do not fit the parameters of the kernel."""


class UnsupportedOperation(EvaluationError, NotImplementedError):
    """Something that has no semantics here, with the reason."""


class OutOfBounds(EvaluationError, IndexError):
    """An access outside of a buffer, where the device would touch what lies beside it."""


class UnwrittenMemory(EvaluationError):
    """A result, a branch or an index depends on memory that nothing wrote."""


class Deadlock(EvaluationError):
    """Cores wait for flags that no core will set."""
