"""Index expressions that repeat: `(k + 1) % 2`, `k & 1`, `(k // 2) % 3`, and sums with them.

A wave is `((base + offset) // divisor) % modulus`; with a period of `divisor * modulus` it is decided by
the base modulo that, so that what two waves of one base can differ by is found by trying each residue.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from math import lcm

from tl_ascend.ir.affine import Affine, affine, interval
from tl_ascend.ir.expr import Binary, Expr, Scalar, Var, free_vars
from tl_ascend.ir.fold import binary

MAX_PERIOD = 64


@dataclass(frozen=True, slots=True)
class Wave:
    """`base` has no constant, and coefficients within the period."""

    base: Affine
    offset: int
    divisor: int
    modulus: int

    @property
    def period(self) -> int:
        return self.divisor * self.modulus

    def at(self, residue: int) -> int:
        """Its value where the base has a residue of its period."""
        return (residue + self.offset) // self.divisor % self.modulus

    def moved(self, by: int) -> Wave:
        """The wave for a base that is greater by a number."""
        return replace(self, offset=(self.offset + by) % self.period)

    def expr(self) -> Scalar:
        """The wave as an expression; equal waves of one origin have the same."""
        inner: Scalar = 0
        for atom, k in self.base.terms.items():
            inner = binary("+", inner, binary("*", atom, k))
        inner = binary("+", inner, self.offset)
        if not isinstance(inner, Expr):
            return self.at(0)
        return Binary("%", binary("//", inner, self.divisor), self.modulus)


@lru_cache(maxsize=4096)
def wave_of(atom: Expr) -> Wave | None:
    """The wave that an expression is, if it is one."""
    if not isinstance(atom, Binary):
        return None
    inner, number = atom.a, atom.b
    if atom.op == "&":
        inner, number = (number, inner) if isinstance(inner, int) else (inner, number)
        modulus = number + 1 if isinstance(number, int) and not number & (number + 1) else 0
    else:
        modulus = number if atom.op == "%" and isinstance(number, int) else 0
    divisor = 1
    if isinstance(inner, Binary) and inner.op == "//" and isinstance(inner.b, int):
        inner, divisor = inner.a, inner.b
    form = affine(inner)
    if modulus < 2 or divisor < 1 or form is None:
        return None
    period = divisor * modulus
    terms = {term: k % period for term, k in form.terms.items()}
    return Wave(Affine(0, terms), form.constant % period, divisor, modulus)


def shifted(value: Scalar, var: Var, by: int) -> Scalar | None:
    """The value for a variable that is greater by a number; None where the variable occurs outside
    of waves, too."""
    form = affine(value)
    if form is None:
        return None
    moved: Scalar = form.constant
    for atom, k in form.terms.items():
        new = _moved(atom, var, by)
        if new is None:
            return None
        moved = binary("+", moved, binary("*", new, k))
    return moved


def _moved(atom: Expr, var: Var, by: int) -> Scalar | None:
    if var not in free_vars(atom):
        return atom
    wave = wave_of(atom)
    if wave is None or any(var in free_vars(term) for term in wave.base.terms if term is not var):
        return None
    return wave.moved(wave.base.terms.get(var, 0) * by).expr()


def at_first(value: Scalar, like: Wave, var: Var, first: Scalar) -> Scalar:
    """The value as a wave like another one, of a variable that is `first` now; unchanged where it
    is none. So what was known by a number is known by the iteration that comes."""
    inner, start = affine(value), affine(first)
    own = wave_of(value) if isinstance(value, Expr) else None
    if own is not None and (own.divisor, own.modulus) == (1, like.modulus):
        inner = own.base.plus(Affine(own.offset, {}))
    elif not isinstance(value, int) or not 0 <= value < like.modulus:
        return value
    if like.divisor != 1 or inner is None or start is None or var in inner.terms:
        return value
    k = like.base.terms.get(var, 0)
    rest = inner.plus(like.base, -1).plus(Affine(0, {var: k})).plus(start, -k)
    if any(factor % like.modulus for factor in rest.terms.values()):
        return value
    return replace(like, offset=rest.constant % like.modulus).expr()


def apart(low: Scalar, extent: Scalar, high: Scalar, size: Scalar) -> bool:
    """True where `extent` elements from `low` and `size` from `high` never share one, whatever residue
    the base of the waves in them has."""
    a, b = affine(low), affine(high)
    if a is None or b is None or not isinstance(extent, int) or not isinstance(size, int):
        return False
    return all(
        (bottom is not None and bottom >= extent) or (top is not None and top <= -size)
        for bottom, top in _residues(b.plus(a, -1))
    )


def values_of(value: Scalar, most: int) -> set[int] | None:
    """All that an expression can be; None where that is not known to be within 0 and `most`."""
    form = affine(value)
    found: set[int] = set()
    for low, high in _residues(form) if form is not None else [(None, None)]:
        if low is None or high is None or low < 0 or high > most:
            return None
        found.update(range(low, high + 1))
    return found


def _residues(form: Affine) -> Iterator[tuple[int | None, int | None]]:
    """Bounds of a form for each residue of the base of its first wave."""
    waves = {atom: wave for atom in form.terms if (wave := wave_of(atom)) is not None}
    base = next((wave.base for wave in waves.values()), None)
    waves = {atom: wave for atom, wave in waves.items() if wave.base == base}
    period = lcm(*(wave.period for wave in waves.values()))
    if period > MAX_PERIOD:
        waves, period = {}, 1
    known: dict[Expr, tuple[int | None, int | None]] = {
        atom: interval(atom) for atom in form.terms if atom not in waves
    }
    plain = [atom for atom in known if base == Affine(0, {atom: 1}) and _within(atom, period)]
    for residue in range(period):
        low: int | None = form.constant
        high: int | None = form.constant
        for atom, k in form.terms.items():
            if atom in waves or atom in plain:
                value = waves[atom].at(residue) if atom in waves else residue
                bounds: tuple[int | None, int | None] = value, value
            else:
                bounds = known[atom]
            small, large = bounds if k > 0 else (bounds[1], bounds[0])
            low = None if low is None or small is None else low + k * small
            high = None if high is None or large is None else high + k * large
        yield low, high


def _within(atom: Expr, period: int) -> bool:
    """True where a value is its own residue."""
    low, high = interval(atom)
    return low is not None and high is not None and low >= 0 and high < period
