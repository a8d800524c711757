"""The budget and cancellation of an analysis, for those above the driver."""

from tl_ascend.source.budget import Budget, Cancelled, OutOfBudget

__all__ = ["Budget", "Cancelled", "OutOfBudget"]
