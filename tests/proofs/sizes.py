"""Numbers for symbolic sizes: different ones for different sizes where a kernel takes them.

What a kernel does with a dimension tells what fits: parts of so many rows want a multiple of them, the
number of blocks should stay small, and what lies further behind must exist. First come sizes that leave
a tail behind whole parts, for kernels that take such. A kernel may ask for more, such as two sizes that
agree: then all sizes are the same number.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from math import lcm, prod
from typing import Any, TypeAlias

from tl_ascend.ir.affine import interval
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Binary, Expr, Var, free_vars, walk
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.geometry import resolve_copy
from tl_ascend.ir.nodes import Buffer, Kernel, Region, TileOp, exprs_of, walk_stmts
from tl_ascend.simulate.expressions import build

SIZE = 64
EQUAL = (SIZE, 32, 16, 8, 4, 2)  # for all sizes: the first that keeps tensors small
DIFFERENT = (64, 96, 48, 80, 112, 32)
RAGGED = (59, 91, 43, 75, 107, 27)
OF_BLOCKS = (2, 3)  # for sizes that make the number of blocks
SMALL = 2_000_000  # bytes of tensors
MOST_BYTES = 13_000_000  # more takes too long
MOST_UNIT = 4096

Sizes: TypeAlias = Mapping[Var, int]


def choices(kernel: Kernel) -> list[Sizes]:
    """What symbolic sizes may be, the best first; one choice where there are none."""
    names = symbols(kernel)
    equal = equal_sizes(kernel)
    every = [ragged(kernel, names), different(kernel, names), equal] if names else [equal]
    fitting = [sizes for sizes in every if bytes_of(kernel, sizes) <= MOST_BYTES]
    return [sizes for at, sizes in enumerate(fitting) if sizes not in fitting[:at]]


def symbols(kernel: Kernel) -> list[Var]:
    """The symbolic sizes of tensors, in the order in which they appear."""
    extents = chain.from_iterable(tensor.shape for tensor in kernel.tensors)
    return list(dict.fromkeys(chain.from_iterable(map(_names, extents))))


def _names(extent: Any) -> list[Var]:
    return sorted(free_vars(extent), key=lambda var: var.uid) if isinstance(extent, Expr) else []


def equal_sizes(kernel: Kernel) -> Sizes:
    """One number for all."""
    names = symbols(kernel)
    every = (dict.fromkeys(names, size) for size in EQUAL)
    small = (sizes for sizes in every if bytes_of(kernel, sizes) <= SMALL)
    return next(small, dict.fromkeys(names, EQUAL[-1]))


def different(kernel: Kernel, names: list[Var]) -> Sizes:
    """A number of its own for each, as small as the tensors ask for."""
    launch, units = kernel.launch, _units(kernel)
    blocks = _names(launch.blocks) if launch is not None else []
    sizes: dict[Var, int] = {}
    for share in (1, 2, 4, 8):
        for at, name in enumerate(names):
            unit, least = units.get(name, (1, 1))
            few = name in blocks and unit == 1
            want = OF_BLOCKS[min(blocks.index(name), 1)] if few else DIFFERENT[at % 6] // share
            sizes[name] = -(-max(want, least) // unit) * unit
        if bytes_of(kernel, sizes) <= SMALL:
            break
    return sizes


def ragged(kernel: Kernel, names: list[Var]) -> Sizes:
    """For each some whole parts and an odd share of another one."""
    parts, sizes = _parts(kernel), different(kernel, names)
    found: dict[Var, int] = {}
    for whole in (2, 1):  # with one alone no loop goes around
        for at, name in enumerate(names):
            part = parts.get(name, 1)
            free = RAGGED[at % 6] if sizes[name] > OF_BLOCKS[-1] else sizes[name]
            found[name] = part * whole + (part * 2 // 3 | 1) if part > 1 else free
        if bytes_of(kernel, found) <= SMALL:
            break
    return found


def _parts(kernel: Kernel) -> dict[Var, int]:
    """Into parts of how much a size is divided, at most."""
    found = {size: unit for size, (unit, _) in _units(kernel).items()}
    values = list(chain.from_iterable(map(exprs_of, walk_stmts(kernel.body))))
    if kernel.launch is not None and isinstance(kernel.launch.blocks, Expr):
        values.append(kernel.launch.blocks)
    for value in chain.from_iterable(map(walk, values)):
        divides = isinstance(value, Binary) and value.op in ("//", "%")
        if divides and isinstance(value.b, int) and value.b <= MOST_UNIT:
            for size in _names(value.a):
                found[size] = max(found.get(size, 1), value.b)
    return found


def _units(kernel: Kernel) -> dict[Var, tuple[int, int]]:
    """Of what a size should be a multiple, and how large it is at least."""
    found: dict[Var, tuple[int, int]] = {}
    for region in _regions(kernel):
        for size, start, extent in zip(
            region.buffer.shape, region.starts, region.extents, strict=False
        ):
            if isinstance(size, Var) and isinstance(extent, int):
                unit, least = found.get(size, (1, 1))
                more, high = lcm(unit, extent), interval(start)[1]
                least = max(least, extent, (high or 0) + extent)
                found[size] = (more if more <= MOST_UNIT else unit), least
    return found


def _regions(kernel: Kernel) -> Iterator[Region]:
    """What is read and written, with extents."""
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, TileOp) and stmt.op == "copy":
            sides = resolve_copy(*stmt.args[:2], True)  # type: ignore[arg-type]
            yield from sides if isinstance(sides, tuple) else ()
        else:
            effect = effect_of(stmt)
            yield from (*effect.reads, *effect.writes)


def bytes_of(kernel: Kernel, sizes: Sizes) -> int:
    """Of all tensors."""
    return sum(prod(shape_of(t, sizes)) * t.dtype.bytes for t in kernel.tensors)


def shape_of(buffer: Buffer, sizes: Sizes) -> tuple[int, ...]:
    """The shape in numbers."""
    return tuple(number(extent, sizes) for extent in buffer.shape)


def number(extent: Any, sizes: Sizes) -> int:
    """A size in numbers; what is no size of a tensor is as large as the largest of them."""
    if not isinstance(extent, Expr):
        return int(extent)
    most = max(sizes.values(), default=SIZE)
    value = substitute(extent, {v: sizes.get(v, most) for v in free_vars(extent)})
    return max(1, int(_computed(value)(None)))  # functions are not folded


def _computed(value: Any) -> Any:
    return build(value, _computed)


def span(kernel: Kernel, sizes: Sizes) -> int:
    """How far offsets may lead: to the end of the longest first dimension that is symbolic."""
    firsts = [t.shape[0] for t in kernel.tensors if t.shape and isinstance(t.shape[0], Expr)]
    return max((number(extent, sizes) for extent in firsts), default=SIZE)
