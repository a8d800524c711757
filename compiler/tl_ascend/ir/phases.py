"""What a branch on a repeating expression tells of the iterations that take it: in `if k % 2 == 0:`
a wave of `k` has one of some values. Two statements whose phases exclude each other never run in one
iteration, and it is known which of them an iteration before took.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from math import lcm

from tl_ascend.ir.expr import Compare, Expr, Logic, Scalar, Var, free_vars, loads, walk
from tl_ascend.ir.fold import binary, compare, substitute
from tl_ascend.ir.nodes import For, If, Stmt
from tl_ascend.ir.periodic import MAX_PERIOD, MAX_TURNS, Wave, wave_of


@dataclass(frozen=True, slots=True)
class Phase:
    """A wave that has one of some values."""

    wave: Wave
    values: tuple[int, ...]

    @property
    def names(self) -> set[Var]:
        """The variables that it speaks of."""
        return {name for term in self.wave.base.terms for name in free_vars(term)}

    def moved(self, var: Var, by: int) -> Phase | None:
        """The same for a variable that is greater by a number; None where that is not known."""
        terms = self.wave.base.terms
        if any(var in free_vars(term) for term in terms if term is not var):
            return None
        return Phase(self.wave.moved(terms.get(var, 0) * by), self.values)

    def first(self, var: Var, start: Scalar) -> Phase | None:
        """What holds in the first iteration of a loop over a variable; None where that is not known."""
        terms = self.wave.base.terms
        if not isinstance(start, int) or [*terms] != [var]:
            return None
        return Phase(self.wave, (self.wave.at(terms[var] * start),))


Phases = tuple[Phase, ...]


@lru_cache(maxsize=4096)
def exclude(one: Phases, other: Phases) -> bool:
    """True where what holds in one place certainly does not hold in the other."""
    return any(_never_both(a, b) for a in one for b in other)


def _never_both(one: Phase, other: Phase) -> bool:
    period = lcm(one.wave.period, other.wave.period)
    if one.wave.base != other.wave.base or period > MAX_PERIOD:
        return False
    return not any(
        one.wave.at(residue) in one.values and other.wave.at(residue) in other.values
        for residue in range(period)
    )


def phases_of(condition: Scalar) -> tuple[Phases, Phases]:
    """What holds where a condition is true, and where it is not."""
    return tuple(_phases(condition, True)), tuple(_phases(condition, False))


def _phases(condition: Scalar, side: bool) -> Iterator[Phase]:
    if isinstance(condition, Logic) and condition.op == ("and" if side else "or"):
        for part in condition.operands:
            yield from _phases(part, side)
        return
    if not isinstance(condition, Expr) or loads(condition):
        return
    inner = condition if not isinstance(condition, Compare) else condition.a
    for node in walk(inner):
        wave = wave_of(node)
        if wave is None:
            continue
        if wave.period <= MAX_PERIOD and wave.modulus <= MAX_TURNS:
            yield from _phase(condition, node, wave, side)
        return


def decided(condition: Scalar) -> bool | None:
    """Whether a condition holds; None where that depends on more than sums."""
    if isinstance(condition, Logic):
        parts = [decided(part) for part in condition.operands]
        if condition.op == "not":
            return None if parts[0] is None else not parts[0]
        ends = condition.op == "or"  # what one part decides for all
        return ends if ends in parts else None if None in parts else not ends
    if isinstance(condition, Compare):
        condition = compare(condition.op, binary("-", condition.a, condition.b), 0)
    return None if isinstance(condition, Expr) else bool(condition)


def _phase(condition: Expr, node: Expr, wave: Wave, side: bool) -> Iterator[Phase]:
    found = [substitute(condition, {node: value}) for value in range(wave.modulus)]
    if any(isinstance(value, Expr) for value in found):
        return
    values = tuple(at for at, value in enumerate(found) if bool(value) is side)
    yield Phase(wave, values)


def left_out_first(around: Iterable[tuple[Stmt, int]]) -> bool:
    """True where the first iteration of the loops around certainly does not come to a place. `around`:
    the statements around it, each with the number of its block."""
    env: dict[Expr, Scalar] = {}
    for stmt, branch in around:
        if isinstance(stmt, For):
            env[stmt.var] = substitute(stmt.start, env)
        elif isinstance(stmt, If):
            condition = substitute(stmt.condition, env)
            if not isinstance(condition, Expr) and bool(condition) is (branch == 1):
                return True
    return False
