"""What loops, branches and names tell of the numbers in the code inside of them.

A fact is an affine form that is certainly not negative: `k + 1 < n` tells `n - k - 2`. What is read
from memory may change before it is used, so nothing is told of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tl_ascend.ir.affine import Affine, affine, bounds_of
from tl_ascend.ir.expr import Binary, Compare, Expr, Logic, Scalar, Var, dtype_of, loads
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.nodes import For, If, Launch, Let, Stmt

_NEGATED = {"<": ">=", ">=": "<", ">": "<=", "<=": ">", "==": "!=", "!=": "=="}
MAX_STEPS = 3  # facts that are added up


@dataclass(frozen=True, slots=True)
class Facts:
    """What holds at a place. `names`: the values of names."""

    known: tuple[Affine, ...] = ()
    names: tuple[tuple[Var, Scalar], ...] = ()

    def launched(self, launch: Launch | None) -> Facts:
        """Inside a kernel's launch."""
        if launch is None:
            return self
        return self._with(*_compared("<", launch.block, self._plain(launch.blocks)))

    def inside(self, stmt: Stmt, block: int) -> Facts:
        """In one of the nested blocks of a statement."""
        if isinstance(stmt, If):
            return self._with(*_told(self._plain(stmt.condition), negated=block == 1))
        if isinstance(stmt, For):
            first = self._plain(stmt.start)
            end = self._plain(binary("+", stmt.start, stmt.extent))
            both = (*_compared(">=", stmt.var, first), *_compared("<", stmt.var, end))
            return self._with(*both)
        return self

    def after(self, stmt: Stmt) -> Facts:
        """Behind a statement of the same block."""
        if not isinstance(stmt, Let) or loads(stmt.value):
            return self
        return Facts(self.known, (*self.names, (stmt.var, self._plain(stmt.value))))

    def at_least(self, value: Scalar, least: int) -> bool:
        """True where a value is certainly not less than a number."""
        form = affine(self._plain(value))
        return form is not None and self._holds(form.plus(Affine(least, {}), -1), MAX_STEPS)

    def _plain(self, value: Scalar) -> Scalar:
        plain: Scalar = substitute(value, dict(self.names))
        return plain

    def _with(self, *facts: Affine) -> Facts:
        return Facts((*facts, *self.known), self.names) if facts else self

    def _holds(self, form: Affine, steps: int) -> bool:
        """A form is not negative where that is so for what is left of it without a fact."""
        low = bounds_of(form)[0]
        if low is not None and low >= 0:
            return True
        if not steps or not form.terms:
            return False
        return any(
            self._holds(form.plus(fact, -times), steps - 1)
            for fact, times in _helpful(form, (*self.known, *_quotients(form)))
        )


def _helpful(form: Affine, facts: Sequence[Affine]) -> Iterator[tuple[Affine, int]]:
    """Facts that take the place of a term, with how often they do."""
    for fact in facts:
        shared = [t for t, k in fact.terms.items() if form.terms.get(t, 0) * k > 0]
        for times in {form.terms[t] // fact.terms[t] for t in shared}:
            if times > 0:
                yield fact, times


def _quotients(form: Affine) -> Iterator[Affine]:
    """`n - n // d * d` is not negative, nor is what it lacks of `d`."""
    for atom, k in form.terms.items():
        if isinstance(atom, Binary) and atom.op == "//" and isinstance(atom.b, int) and atom.b > 0:
            whole = affine(atom.a)
            if whole is not None and k % atom.b == 0:
                rest = whole.plus(Affine(0, {atom: atom.b}), -1)
                yield rest
                yield Affine(atom.b - 1, {}).plus(rest, -1)


def _told(condition: Scalar, negated: bool = False) -> Iterator[Affine]:
    """What a condition that holds tells."""
    if isinstance(condition, Logic) and condition.op == "not":
        yield from _told(condition.operands[0], not negated)
    elif isinstance(condition, Logic) and (condition.op == "and") is not negated:
        for operand in condition.operands:
            yield from _told(operand, negated)
    elif isinstance(condition, Compare):
        op = _NEGATED[condition.op] if negated else condition.op
        yield from _compared(op, condition.a, condition.b)


def _compared(op: str, a: Scalar, b: Scalar) -> Iterator[Affine]:
    if op == "==":
        yield from (*_compared("<=", a, b), *_compared(">=", a, b))
    elif op in ("<", "<="):
        yield from _compared({"<": ">", "<=": ">="}[op], b, a)
    elif op in (">", ">=") and _counts(a) and _counts(b):
        more, less = affine(a), affine(b)
        if more is not None and less is not None:
            yield more.plus(less, -1).plus(Affine(-(op == ">"), {}))


def _counts(value: Scalar) -> bool:
    """True for integers that stay as they are."""
    if not isinstance(value, Expr):
        return isinstance(value, int)
    return not loads(value) and dtype_of(value).kind == "int"
