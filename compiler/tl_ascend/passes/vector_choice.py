"""Choices between elements as vector code: comparisons make a mask of bits, Select takes by it.

Both sides of a choice are computed for all elements. What only a condition keeps inside of its
buffer therefore stays scalar code, which evaluates one side.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import TYPE_CHECKING

from tl_ascend.ir.affine import Affine, affine, interval
from tl_ascend.ir.expr import (
    Binary,
    Cast,
    Compare,
    Expr,
    Load,
    Logic,
    Scalar,
    Select,
    Var,
    free_vars,
    walk,
)
from tl_ascend.ir.fold import logic
from tl_ascend.ir.nodes import Region, Store
from tl_ascend.ir.storage import root, round_up
from tl_ascend.ir.text import show
from tl_ascend.passes.vector_index import Axis, NotVector, index_region, sum_of
from tl_ascend.target.dtypes import BY_NAME, FLOAT32, INT32, DType

if TYPE_CHECKING:
    from tl_ascend.passes.vector_code import VectorCode

COMPARED = 256  # bytes; the vector unit compares whole repeats
EXACT = 2**24  # every integer up to it is a float32
_MODES = {"==": "EQ", "!=": "NE", "<": "LT", "<=": "LE", ">": "GT", ">=": "GE"}
_SWAPPED = {"==": "==", "!=": "!=", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_FLOATS = frozenset({"float16", "float32"})
_COUNTED = frozenset({"float32", "int32"})
_WORDS = {"&": "and", "|": "or"}
_MASK = BY_NAME["uint8"]


def choose(code: VectorCode, value: Select, target: Region) -> None:
    """Compute a choice into a tile. Errors: NotVector."""
    code.beyond("a choice between two values has no vector form there")
    kind = target.buffer.dtype
    if kind.name not in _FLOATS:
        raise NotVector(f"the vector unit chooses between float16 and float32 only, not {kind}")
    for side in (value.then, value.other):
        _check_inside(code, side)
    condition = _with_words(value.condition)
    if not isinstance(condition, Expr):
        code.into(value.then if condition else value.other, target)
        return
    yes = tile_of(code, value.then, kind)
    no = code.operand(value.other, kind) if code.varies(value.other) else value.other
    _choose(code, condition, yes, no, target)
    code.release(yes, target)
    code.release(no, target)


def _with_words(condition: Scalar) -> Scalar:
    """A condition with `and`, `or` for `&`, `|` between conditions; what is known of it is folded."""
    if isinstance(condition, Logic):
        return logic(condition.op, tuple(map(_with_words, condition.operands)))
    if isinstance(condition, Binary) and condition.op in _WORDS:
        sides = condition.a, condition.b
        if all(isinstance(side, bool) or _is_condition(side) for side in sides):
            return logic(_WORDS[condition.op], tuple(map(_with_words, sides)))
    return condition


def _is_condition(value: Scalar) -> bool:
    if isinstance(value, Binary):
        return value.op in _WORDS and all(map(_is_condition, (value.a, value.b)))
    return isinstance(value, (Compare, Logic))


def tile_of(code: VectorCode, value: Scalar | Region, kind: DType) -> Region:
    """A tile that holds a value, also one that is the same for all elements."""
    if isinstance(value, Region):
        return value
    if code.varies(value):
        return code.operand(value, kind)
    tile = code.take(kind)
    code.emit("tile.fill", tile, value)
    return tile


def _choose(
    code: VectorCode, condition: Scalar, yes: Region, no: Region | Scalar, target: Region
) -> None:
    if isinstance(condition, Logic):
        _combined(code, condition, yes, no, target)
    elif isinstance(condition, Compare):
        mask = _mask(code, condition)
        mode = "VSEL_TENSOR_TENSOR_MODE" if isinstance(no, Region) else "VSEL_TENSOR_SCALAR_MODE"
        code.emit("tile.select", target, mask, yes, no, mode)
        code.release(mask, target)
    else:
        raise NotVector(f"the condition {show(condition)} is no comparison")


def _combined(
    code: VectorCode, condition: Logic, yes: Region, no: Region | Scalar, target: Region
) -> None:
    """`and`, `or` and `not` by choosing more than once: masks of bits have no logic of bytes."""
    kind, operands = target.buffer.dtype, condition.operands
    if condition.op == "not":
        other = tile_of(code, no, kind)
        _choose(code, operands[0], other, yes, target)
        if other is not no:
            code.release(other, target)
        return
    rest = operands[1] if len(operands) == 2 else Logic(condition.op, tuple(operands[1:]))
    inner = code.take(kind)
    _choose(code, rest, yes, no, inner)
    if condition.op == "and":
        _choose(code, operands[0], inner, no, target)
    else:
        _choose(code, operands[0], yes, inner, target)
    code.release(inner, target)


def _mask(code: VectorCode, condition: Compare) -> Region:
    """The bits of a comparison. Errors: NotVector."""
    a, b, op = condition.a, condition.b, condition.op
    if not code.varies(a):
        a, b, op = b, a, _SWAPPED[op]
    if not code.varies(a):
        raise NotVector(f"the condition {show(condition)} is the same for all elements")
    counted = _counted(code, a, b)
    if counted is not None:
        left, right, swapped = counted
        return _compare(code, left, right, _SWAPPED[op] if swapped else op)
    a, b = _exact(code, a), _exact(code, b)
    kind = code.type_of(Binary("+", a, b)) or FLOAT32
    if kind.name not in _FLOATS:
        raise NotVector(f"the vector unit compares float16 and float32 only, not {kind}")
    left = code.operand(a, kind)
    return _compare(code, left, code.operand(b, kind) if code.varies(b) else b, op)


def _exact(code: VectorCode, value: Scalar) -> Scalar:
    """A whole number as float32, where it is made of loop variables, so that every value is one."""
    if isinstance(value, Expr) and counts(code, value):
        low, high = interval(value)
        if low is not None and high is not None and max(-low, high) < EXACT:
            return Cast(FLOAT32, value)
    return value


def _compare(code: VectorCode, left: Region, right: Region | Scalar, op: str) -> Region:
    count = _compared(code, left.buffer.dtype)
    mask = code.take(_MASK, (count // 8,))
    sides = [_filled_up(code, left, count)]
    sides.append(_filled_up(code, right, count) if isinstance(right, Region) else right)  # type: ignore[arg-type]
    code.emit("tile.compare", mask, *sides, _MODES[op])
    for side in sides:
        code.release(side, mask)
    return mask


def _compared(code: VectorCode, kind: DType) -> int:
    """How many elements are compared for those of the loops: whole repeats."""
    return round_up(prod(code.extents), COMPARED // kind.bytes)


def _filled_up(code: VectorCode, tile: Region, count: int) -> Region:
    """A tile in one with so many elements; those behind it are zeros, and what comes of them is not
    used."""
    own = prod(tile.extents)
    if own == count:
        return tile
    code.more = code.more or f"comparisons take multiples of {COMPARED} bytes"
    wide = code.take(tile.buffer.dtype, (count,))
    code.emit("tile.fill", wide, 0.0)
    code.emit("tile.add", Region(wide.buffer, (0,), (own,), "slice", wide.span), tile, 0.0)
    code.release(tile, wide)
    return wide


def _counted(code: VectorCode, a: Scalar, b: Scalar) -> tuple[Region, Scalar, bool] | None:
    """A comparison of whole numbers that grow with the loop variable: the numbers 0, 1, and so on, a
    number to compare them with, and whether the sides are exchanged."""
    if any(isinstance(node, Load) for node in (*walk(a), *walk(b))):
        return None
    line = _line(code, Binary("-", a, b))
    if line is None:
        return None
    step, rest = line
    numbers = code.numbers(FLOAT32, abs(step), count=_compared(code, FLOAT32))
    bound = sum_of(rest if step < 0 else rest.times(-1))
    return numbers, _as_float(bound), step < 0


def _line(code: VectorCode, value: Scalar) -> tuple[int, Affine] | None:
    """`step` and `rest` where a whole number is `step * n + rest` for the n-th element."""
    form = affine(value)
    if form is None or len(code.axes) != 1:
        return None
    axis = code.axes[0]
    step = form.terms.get(axis.var, 0)
    others = [atom for atom in form.terms if atom is not axis.var]
    if not step or any(axis.var in walk(atom) for atom in others):
        return None
    if abs(step) * axis.extent >= EXACT or any(a.dtype.kind not in ("int", "uint") for a in others):
        return None
    first = affine(axis.start)
    if first is None:
        return None
    rest = Affine(form.constant, {atom: form.terms[atom] for atom in others})
    return step, rest.plus(first, step)


def count_into(code: VectorCode, value: Scalar, target: Region) -> bool:
    """Compute a whole number that grows with the loop variable; False where it does not."""
    kind = target.buffer.dtype
    line = _line(code, value)
    if line is None or kind.name not in _COUNTED:
        return False
    code.beyond("a loop variable is used as a value")
    step, rest = line[0], sum_of(line[1])
    tile = code.numbers(kind, step)
    if isinstance(rest, Expr) or rest:
        code.emit("tile.add", target, tile, _as_float(rest) if kind == FLOAT32 else rest)
    else:
        code.emit("copy", tile, target)
    return True


def counted(code: VectorCode, value: Scalar, kind: DType) -> Region | None:
    """A tile that holds a whole number that grows with the loop variable from a known one on; not to
    be written. None where it does not."""
    if kind.name not in _COUNTED or not code.varies(value) or not counts(code, value):
        return None
    line = _line(code, value)
    if line is None or line[1].terms:
        return None
    code.beyond("a loop variable is used as a value")
    return code.numbers(kind, line[0], line[1].constant)


def counts(code: VectorCode, value: Scalar) -> bool:
    """True where a value is a whole number made of loop variables and other names."""
    nodes = walk(value)
    whole = all(isinstance(n, (Var, Binary)) and n.dtype == INT32 for n in nodes)
    return whole and bool(nodes)


def _as_float(value: Scalar) -> Scalar:
    return Cast(FLOAT32, value) if isinstance(value, Expr) else float(value)


def _check_inside(code: VectorCode, value: Scalar) -> None:
    """A side that is computed for all elements must not read outside of its buffers."""
    for node in walk(value):
        if isinstance(node, Load) and code.varies(node) and not lies_inside(node):
            region = index_region(node.buffer, node.indices, code.axes, code.store.span).region
            sizes = zip(region.starts, region.extents, node.buffer.shape, strict=True)
            if not all(_inside(*part) for part in sizes):
                raise NotVector(
                    f"{show(node)} may lie outside of {node.buffer.name} where the "
                    "condition does not hold"
                )


def uniform(store: Store, axes: Sequence[Axis]) -> Compare | None:
    """A comparison in the value of a store that is the same for all elements, and that may be computed
    before them."""
    names, target = {axis.var for axis in axes}, root(store.buffer).uid
    for node in walk(store.value):
        if not isinstance(node, Compare) or any(var in names for var in free_vars(node)):
            continue
        loads = [part for part in walk(node) if isinstance(part, Load)]
        if all(lies_inside(load) and root(load.buffer).uid != target for load in loads):
            return node
    return None


def lies_inside(load: Load) -> bool:
    """True where all indices are known to be inside of the buffer."""
    pairs = zip(load.indices, load.buffer.shape, strict=True)
    return all(_inside(index, 1, size) for index, size in pairs)


def _inside(start: Scalar, extent: Scalar, size: Scalar) -> bool:
    low, high = interval(start)
    if low is None or high is None or isinstance(extent, Expr) or isinstance(size, Expr):
        return False
    return low >= 0 and high + extent <= size
