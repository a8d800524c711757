"""Index expressions that repeat: `(k + 1) % 2`, `k & 1`, `(k // 2) % 3`, and sums with them.

A wave is `((base + offset) // divisor) % modulus`; with a period of `divisor * modulus` it is decided by
the base modulo that, so that what two waves of one base can differ by is found by trying each residue.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from math import gcd, lcm

from tl_ascend.ir.affine import Affine, affine, interval
from tl_ascend.ir.expr import Binary, Expr, Scalar, Var, free_vars, unsigned, walk
from tl_ascend.ir.fold import binary

MAX_PERIOD = 64
MAX_TURNS = 8


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

    def turns(self, var: Var) -> int:
        """After how many steps of a variable it is where it was."""
        steps = (k for term, k in self.base.terms.items() if slope(term, var) is not None)
        return self.period // gcd(self.period, *steps)

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
    inner, number = atom.children
    if atom.op == "&":
        inner, number = (number, inner) if isinstance(inner, int) else (inner, number)
        modulus = number + 1 if isinstance(number, int) and not number & (number + 1) else 0
    else:
        modulus = number if atom.op == "%" and isinstance(number, int) else 0
    divisor = 1
    if isinstance(inner, Binary) and inner.op == "//" and isinstance(inner.b, int):
        divisor = inner.b
        inner = inner.a
    form = affine(inner)
    if modulus < 2 or divisor < 1 or form is None:
        return None
    return _wave(form, divisor, modulus)


def _wave(form: Affine, divisor: int, modulus: int) -> Wave:
    period = divisor * modulus
    form = _without_waves(multiplied(form), period)
    terms = {term: k % period for term, k in form.terms.items()}
    return Wave(Affine(0, terms), form.constant % period, divisor, modulus)


def multiplied(form: Affine) -> Affine:
    """A form without products of sums: `i * n - n` for `(i - 1) * n`. Its bounds may be worse."""
    for term, k in [*form.terms.items()]:
        if not isinstance(term, Binary) or term.op != "*" or unsigned(term):
            continue
        a, b = (multiplied(part) for part in map(affine, term.children) if part is not None)
        if all([*part.terms.values()] == [1] and not part.constant for part in (a, b)):
            continue
        form = form.plus(Affine(0, {term: -k}))
        form = form.plus(a, k * b.constant).plus(b, k * a.constant)
        form = form.plus(Affine(-k * a.constant * b.constant, {}))
        for (x, m), (y, n) in product(a.terms.items(), b.terms.items()):
            form = form.plus(Affine(0, {Binary("*", x, y): m * n * k}))
    return form


def slope(term: Scalar, var: Var) -> Scalar | None:
    """By how much a product grows with each step of a variable; None where it has no such factor."""
    if term is var:
        return 1
    if not isinstance(term, Binary) or term.op != "*":
        return None
    a, b = term.children
    inside = [var in free_vars(part) for part in (a, b)]
    if all(inside) or not any(inside):
        return None
    grows = slope(a if inside[0] else b, var)
    return None if grows is None else binary("*", grows, b if inside[0] else a)


def _without_waves(form: Affine, period: int) -> Affine:
    """A form that is the same but for multiples of the period: `k % 2 + 1` is `k + 1` where only
    the remainder by 2 counts."""
    for term, k in [*form.terms.items()]:
        wave = wave_of(term)
        if wave is not None and wave.divisor == 1 and k * wave.modulus % period == 0:
            form = form.plus(Affine(0, {term: k}), -1)
            form = form.plus(wave.base.plus(Affine(wave.offset, {})), k)
    return form


@lru_cache(maxsize=4096)
def _repeats(value: Expr) -> bool:
    return any(isinstance(node, Binary) and node.op in ("%", "&") for node in walk(value))


def repeats(value: Scalar) -> bool:
    """True where there may be waves in an expression."""
    return isinstance(value, Expr) and _repeats(value)


@lru_cache(maxsize=4096)
def shifted(value: Scalar, var: Var, by: int) -> Scalar | None:
    """The value for a variable that is greater by a number; None where the variable occurs outside
    of waves, too."""
    form = affine(value) if repeats(value) else None
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
    if wave is None or wave.turns(var) > MAX_TURNS:
        return None
    moved = wave.base.plus(Affine(wave.offset, {}))
    for term, k in wave.base.terms.items():
        step = affine(slope(term, var)) if var in free_vars(term) else Affine(0, {})
        if step is None:
            return None
        moved = moved.plus(step, k * by)
    return _wave(moved, wave.divisor, wave.modulus).expr()


@lru_cache(maxsize=4096)
def canonical(value: Scalar) -> Scalar:
    """The one way to write a number plus multiples of a wave, and of other things in their order."""
    form = affine(value) if repeats(value) else None
    if form is None:
        return value
    done: Scalar = form.constant
    for atom, k in form.terms.items():
        wave = wave_of(atom)
        done = binary("+", done, binary("*", atom if wave is None else wave.expr(), k))
    return done


def in_turns(value: Scalar, var: Var, extent: int) -> Scalar | None:
    """The value in an earlier iteration of a loop of few, whose variable counts from 0, as a wave of
    it; None where the variable is in something else than a sum."""
    form = affine(value)
    k = form.terms.get(var, 0) if form is not None else 0
    rest = binary("-", value, binary("*", var, k))
    if not k or (isinstance(rest, Expr) and any(var in free_vars(a) for a in affine_atoms(rest))):
        return None
    before = Binary("%", binary("+", var, extent - 1), extent)
    return binary("+", rest, binary("*", before, k))


def affine_atoms(value: Scalar) -> Iterator[Expr]:
    """What a value is a sum of multiples of."""
    form = affine(value)
    yield from form.terms if form is not None else ()


@dataclass(frozen=True, slots=True)
class Cycle:
    """`constant + factor * wave`: the places that a loop goes around in."""

    wave: Wave
    factor: int
    constant: int

    def first(self, value: Scalar, var: Var, first: Scalar) -> Scalar:
        """A place as one of the cycle, in terms of a variable that is `first` now; unchanged where
        it is none. So what was known by a number is known by the iteration that comes."""
        found = self._turn(value)
        start, wave = affine(first), self.wave
        if found is None or start is None or wave.divisor != 1:
            return value
        inner, rest = found
        others = (term for term in wave.base.terms if term is not var)
        if any(var in free_vars(term) for term in (*inner.terms, *others)):
            return value
        k = wave.base.terms.get(var, 0)
        gap = inner.plus(wave.base, -1).plus(Affine(0, {var: k})).plus(start, -k)
        if any(factor % wave.modulus for factor in gap.terms.values()):
            return value
        turn = replace(wave, offset=gap.constant % wave.modulus).expr()
        return binary("+", binary("*", turn, self.factor), rest)

    def _turn(self, value: Scalar) -> tuple[Affine, int] | None:
        """What counts the turns of a place, and what is left of it."""
        form = affine(value)
        if form is None:
            return None
        if not form.terms:
            turn, rest = divmod(form.constant - self.constant, self.factor)
            if 0 <= turn < self.wave.modulus and (self.factor > 0 or not rest):
                return Affine(turn, {}), rest + self.constant
        elif len(form.terms) == 1:
            ((atom, factor),) = form.terms.items()
            wave = wave_of(atom)
            same = wave is not None and (wave.divisor, wave.modulus) == (1, self.wave.modulus)
            if wave is not None and same and factor == self.factor:
                return wave.base.plus(Affine(wave.offset, {})), form.constant
        return None


def cycle_of(value: Scalar, var: Var, extent: int | None) -> Cycle | None:
    """The cycle in which a place goes around with a variable. `extent`: of a loop of few iterations
    from 0, where each counts."""
    form = affine(value)
    if form is None or len(form.terms) != 1:
        return None
    ((atom, factor),) = form.terms.items()
    wave = wave_of(atom)
    if atom is var and extent is not None:
        wave = Wave(Affine(0, {var: 1}), 0, 1, extent)
    if wave is None or not 1 < wave.turns(var) <= MAX_TURNS:
        return None
    return Cycle(wave, factor, form.constant)


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


def values_of(value: Scalar, most: int) -> set[int]:
    """All that an expression can be within 0 and `most`."""
    form = affine(value)
    found: set[int] = set()
    for low, high in _residues(form) if form is not None else [(None, None)]:
        last = most if high is None else min(high, most)
        found.update(range(max(low or 0, 0), last + 1))
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
