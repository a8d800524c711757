"""An integer expression at each of many values of its variables, at once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

from tl_ascend.ir.affine import affine
from tl_ascend.ir.expr import Binary, Const, Expr, Scalar, Var, free_vars
from tl_ascend.ir.fold import PYTHON, substitute

# What gives whole numbers of whole numbers.
_OPERATORS = PYTHON.keys() - {"/", "**"}
_WORD = 64  # bits that a value may be moved by


@dataclass(frozen=True, slots=True)
class Column:
    """Values of an expression, each a number plus a rest: values with equal rests differ by a known
    number. No rests: all are equal."""

    numbers: list[int]
    rests: list[Hashable] | None = None

    def step(self, first: int, second: int) -> int | None:
        """How much the second value is more than the first; None where that is not known."""
        if self.rests is not None and self.rests[first] != self.rests[second]:
            return None
        return self.numbers[second] - self.numbers[first]


def tabulate(value: Scalar, var: Var, points: Sequence[int]) -> Column | None:
    """One entry for each of the points that a variable takes; None for what is no integer."""
    form = affine(value)
    if form is None:
        return None
    sums = [form.constant] * len(points)
    known = True
    for atom, factor in form.terms.items():
        if var in free_vars(atom):
            of_atom = numbers(atom, {var: points}, len(points))
            if of_atom is None:
                known = False
                break
            sums = [n + factor * x for n, x in zip(sums, of_atom, strict=True)]
    return Column(sums) if known else _by_substitution(value, var, points)


def numbers(
    value: Scalar, columns: Mapping[Expr, Sequence[int]], count: int
) -> Sequence[int] | None:
    """The values of an expression of those variables alone, given `count` values of each."""
    if isinstance(value, Const):
        value = value.value
    if not isinstance(value, Expr):
        return [value] * count if isinstance(value, int) else None
    if value in columns:
        return columns[value]
    apply = PYTHON[value.op] if isinstance(value, Binary) and value.op in _OPERATORS else None
    if apply is None or not isinstance(value, Binary):
        return None
    a, b = numbers(value.a, columns, count), numbers(value.b, columns, count)
    if a is None or b is None or (value.op in ("//", "%") and 0 in b):
        return None
    if value.op in ("<<", ">>") and not (0 <= min(b) and max(b) < _WORD):
        return None
    return list(map(apply, a, b))


def _by_substitution(value: Scalar, var: Var, points: Sequence[int]) -> Column | None:
    """Folding may still show that what else the expression depends on does not matter."""
    constants: list[int] = []
    rests: list[Hashable] = []
    for point in points:
        form = affine(substitute(value, {var: point}))
        if form is None:
            return None
        constants.append(form.constant)
        rests.append(frozenset(form.terms.items()))
    return Column(constants, rests)
