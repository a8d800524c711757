"""Which box of a buffer an access walks while parallel loops run.

An index must be a loop variable plus something else, one variable a dimension, rows before columns.
Whatever does not fit raises `NotVector` with the reason, which the pass turns into a message.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tl_ascend.ir.affine import Affine, affine, same
from tl_ascend.ir.expr import Binary, Expr, Load, Scalar, Var, free_vars, walk
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.geometry import offset
from tl_ascend.ir.nodes import Buffer, For, Region, Store
from tl_ascend.ir.storage import root
from tl_ascend.ir.text import show
from tl_ascend.source.span import Span

MAX_AXES = 2
BLOCK = 32  # bytes; vector operands start at a multiple of it


class NotVector(Exception):
    """Why a store stays scalar code. `placing`: only where the elements lie stands against it; `room`:
    only that tiles for it do not fit."""

    def __init__(self, reason: str, placing: bool = False, room: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.placing, self.room = reason, placing, room


@dataclass(frozen=True, slots=True)
class Axis:
    """One parallel loop that becomes a dimension of the regions."""

    var: Var
    start: Scalar
    extent: int


@dataclass(frozen=True, slots=True)
class Shape:
    """Where the loop variables stand in an index: region, and whether rows and columns do."""

    region: Region
    has: tuple[bool, ...]


def index_region(
    buffer: Buffer, indices: Sequence[Scalar], axes: Sequence[Axis], at: Span, does: str = "read"
) -> Shape:
    """The box that an access walks while the axes run. `does`: what the access is. Errors: NotVector."""
    starts: list[Scalar] = []
    extents: list[Scalar] = [1] * len(indices)
    place: dict[int, int] = {}
    first: dict[Expr, Scalar] = {axis.var: axis.start for axis in axes}
    for dim, index in enumerate(indices):
        for number, axis in enumerate(axes):
            factor = _factor(index, axis.var, buffer)
            if factor:
                if number in place or extents[dim] != 1:
                    raise NotVector(
                        f"the index {show(index)} of {buffer.name} mixes loop variables"
                    )
                if factor != 1:
                    raise NotVector(f"{buffer.name} is {does} with the step {factor}")
                place[number], extents[dim] = dim, axis.extent
        starts.append(substitute(index, first))
    if [place[n] for n in sorted(place)] != sorted(place.values()):
        raise NotVector(f"{buffer.name} is {does} transposed")
    form = Region(buffer, tuple(starts), tuple(extents), "slice", at)
    return Shape(form, tuple(n in place for n in range(len(axes))))


def _factor(index: Scalar, var: Var, buffer: Buffer) -> int:
    """By how much an index grows with a loop variable."""
    if var not in free_vars(index):
        return 0
    form = affine(index)
    factor = form.terms.get(var, 0) if form is not None else 0
    others = [atom for atom in (form.terms if form is not None else ()) if atom is not var]
    if not factor or any(var in free_vars(atom) for atom in others):
        raise NotVector(f"the index {show(index)} of {buffer.name} is no plain loop variable")
    return factor


def sum_of(form: Affine) -> Scalar:
    """An affine form as an expression."""
    total: Scalar = 0
    for atom, factor in form.terms.items():
        part = binary("*", atom, abs(factor)) if abs(factor) != 1 else atom
        total = binary("+" if factor > 0 else "-", total, part)
    sign = "+" if form.constant > 0 else "-"
    return binary(sign, total, abs(form.constant)) if form.constant else total


def contiguous(region: Region) -> bool:
    """True where the region is one run of elements."""
    full = True
    for start, extent, size in zip(
        reversed(region.starts),
        reversed(region.extents),
        reversed(region.buffer.shape),
        strict=True,
    ):
        if not full and not (extent == 1 and not isinstance(extent, Expr)):
            return False
        full = full and same(extent, size) is True and same(start, 0) is True
    return True


def aligned(region: Region) -> bool:
    """True where the region certainly starts at a multiple of a block."""
    form = affine(offset(region.buffer, region.starts))
    if form is None:
        return False
    bits = region.buffer.dtype.bits
    return all(k * bits % (8 * BLOCK) == 0 for k in (form.constant, *form.terms.values()))


def shifted(a: Region, b: Region) -> bool:
    """True where two regions of one buffer may share elements without being the same."""
    moved = False
    for x, y, extent in zip(a.starts, b.starts, a.extents, strict=True):
        form = affine(binary("-", x, y))
        if form is None or form.terms or isinstance(extent, Expr):
            return True
        if abs(form.constant) >= extent:
            return False
        moved = moved or form.constant != 0
    return moved


def touches(a: Region, b: Region) -> bool:
    """True where two regions of one buffer may share elements."""
    for x, y, one, other in zip(a.starts, b.starts, a.extents, b.extents, strict=True):
        form = affine(binary("-", x, y))
        if form is None or form.terms or isinstance(one, Expr) or isinstance(other, Expr):
            continue
        if form.constant >= other or form.constant + one <= 0:
            return False
    return True


def repeats(store: Store, axes: Sequence[Axis]) -> bool:
    """True where rows are better done one by one: the value has operands of one dimension that need
    not be written out to two."""
    loads = [node for node in walk(store.value) if isinstance(node, Load)]
    try:
        kinds = [index_region(x.buffer, x.indices, axes, store.span).has for x in loads]
    except NotVector:
        return False
    partial = [kind for kind in kinds if any(kind) and not all(kind)]
    return bool(partial) and (any(map(all, kinds)) or len(partial) > 1)


def two_repeats(store: Store, axes: Sequence[Axis]) -> tuple[Load, Load] | None:
    """A column and, to the right of it, a row in one operation: upstream takes a one-dimensional
    right operand for a scalar, which is right only where it is the same for a whole row."""
    for node in walk(store.value):
        if isinstance(node, Binary) and isinstance(node.a, Load) and isinstance(node.b, Load):
            try:
                a, b = (
                    index_region(load.buffer, load.indices, axes, store.span).has
                    for load in (node.a, node.b)
                )
            except NotVector:
                continue
            if a == (True, False) and b == (False, True):
                return node.a, node.b
    return None


def is_turned(store: Store, loops: Sequence[For]) -> bool:
    """True where the inner one of two loops walks the rows of the target, and either may be around the
    other: no element is read at another's turn."""
    if len(loops) != MAX_AXES or not all(isinstance(loop.extent, int) for loop in loops):
        return False
    outer, inner = loops
    own = Load(store.buffer, store.indices)
    loads = [node for node in walk(store.value) if isinstance(node, Load) and node != own]
    if any(root(load.buffer) is root(store.buffer) for load in loads):
        return False
    if outer.var in free_vars(inner.start):
        return False
    places = [
        [at for at, index in enumerate(store.indices) if loop.var in free_vars(index)]
        for loop in (outer, inner)
    ]
    return all(len(at) == 1 for at in places) and places[1] < places[0]
