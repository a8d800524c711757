"""Element-wise stores as vector operations: the calls that compute an expression tile by tile."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from tl_ascend.ir.expr import (
    Binary,
    Call,
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
from tl_ascend.ir.nodes import Buffer, Kernel, Region, Store, TileOp
from tl_ascend.ir.storage import root
from tl_ascend.ir.text import show
from tl_ascend.passes.vector_bits import BITWISE, apply_bits
from tl_ascend.passes.vector_choice import choose, count_into, counted, counts
from tl_ascend.passes.vector_conversions import convert, stated
from tl_ascend.passes.vector_functions import apply, power
from tl_ascend.passes.vector_index import (
    BLOCK,
    Axis,
    NotVector,
    Shape,
    aligned,
    contiguous,
    index_region,
    shifted,
    touches,
)
from tl_ascend.passes.vector_reads import gathered, rearranged
from tl_ascend.passes.vector_tiles import Temporaries, free_for, require, tile_call, whole
from tl_ascend.passes.vector_widening import (
    check_scalar_arithmetic,
    computed_type,
    repeated,
    widened,
)
from tl_ascend.target.dtypes import INT32, DType
from tl_ascend.target.hardware import Memory

_BINARY = {"+": "add", "-": "sub", "*": "mul", "/": "div", "min": "min", "max": "max"}
_COMMUTATIVE = frozenset({"+", "*", "min", "max"})
_FLOATS = frozenset({"float16", "float32"})
_NUMBERS = frozenset({"float16", "float32", "int16", "int32"})
_REPEATED = frozenset({"float16", "float32", "int8", "uint8"})


class VectorCode:
    """The calls for one store over `axes`; one run of elements a call. `limit`: why upstream's compiler
    leaves scalar code where we do not; empty where both make vector code. `more`: why there are tiles
    that upstream's compiler does not make. `held`: tiles of values that are needed again."""

    def __init__(
        self, kernel: Kernel, store: Store, axes: Sequence[Axis], temporaries: Temporaries
    ) -> None:
        self.kernel, self.store, self.axes = kernel, store, tuple(axes)
        self.temporaries = temporaries
        self.calls: list[TileOp] = []
        self.limit = self.more = ""
        self.held: dict[tuple[Expr, DType], Region] = {}
        self._again: frozenset[Expr] = frozenset()

    def beyond(self, reason: str) -> None:
        """What follows is more than upstream's compiler can do, which leaves scalar code."""
        self.limit = self.limit or reason
        self.more = self.more or reason

    @property
    def extents(self) -> tuple[int, ...]:
        return tuple(axis.extent for axis in self.axes)

    def lower(self) -> list[TileOp]:
        """Errors: NotVector."""
        store = self.store
        target = index_region(store.buffer, store.indices, self.axes, store.span, "written")
        if not all(target.has):
            raise NotVector(f"{store.buffer.name} has no dimension for each loop variable")
        memory = self.memory(store.buffer)
        if memory is Memory.UB:
            self._check_tile(target.region)
            self._check_shift(target.region)
        given = stated(self, store)
        value = widened(given)
        if value is not given:
            self.beyond("the vector unit has no arithmetic of bfloat16")
            self._again = repeated(value)
        kind = computed_type(value) or store.buffer.dtype
        if isinstance(value, Load) and self.varies(value):
            self._copy(value, target.region, memory)
        elif memory not in (Memory.UB, Memory.GM):
            where = _name(memory)
            raise NotVector(f"{store.buffer.name} lies in {where}, where vector code cannot write")
        elif memory is Memory.GM or kind != store.buffer.dtype:
            tile = self.take(kind)
            self.into(value, tile)
            if memory is Memory.GM and kind != store.buffer.dtype:
                tile = self._as_stored(tile)
            if memory is Memory.UB:
                convert(self, tile, target.region)
            else:
                self.emit("copy", tile, target.region)
                self.release(tile, target.region)
        else:
            self.into(value, target.region)
        held, self.held = self.held, {}
        for tile in held.values():
            self.release(tile, target.region)
        return self.calls

    def _as_stored(self, tile: Region) -> Region:
        """The tile in the type that is stored: transfers do not convert."""
        other = self.take(self.store.buffer.dtype)
        convert(self, tile, other)
        return other

    def memory(self, buffer: Buffer) -> Memory | None:
        """Where a buffer lies, None where that is not known."""
        place = self.kernel.placements.get(root(buffer).uid)
        if place is None:
            return Memory.UB if buffer in self.temporaries.made else None
        return place.memory

    def release(self, region: Region | Scalar, keep: Region) -> None:
        """A temporary is not needed any more, unless `keep` is in it, or a value that is."""
        if all(held is not region for held in self.held.values()):
            self.temporaries.release(region, keep)

    def type_of(self, value: Scalar) -> DType | None:
        """The type in which a value is computed; None for numbers and names, which adapt."""
        return computed_type(value)

    def varies(self, value: Any) -> bool:
        """True where a value is not the same for all elements."""
        names = {axis.var for axis in self.axes}
        return any(name in names for name in free_vars(value))

    def _check_tile(self, region: Region) -> None:
        name = region.buffer.name
        if not contiguous(region):
            raise NotVector(f"the elements of {name} do not lie next to each other", placing=True)
        if not aligned(region):
            raise NotVector(f"{name} may start at no multiple of {BLOCK} bytes", placing=True)

    def _check_shift(self, target: Region) -> None:
        """One call would read elements that it has written, or write some that it has yet to read."""
        for node in walk(self.store.value):
            if not isinstance(node, Load) or node.buffer.uid != target.buffer.uid:
                continue
            if node.indices == self.store.indices:
                continue
            try:
                source = index_region(node.buffer, node.indices, self.axes, self.store.span)
            except NotVector:
                continue
            moved = shifted if all(source.has) else touches
            if moved(source.region, target):
                name = target.buffer.name
                raise NotVector(f"{name} is read where other elements of the loop write it")

    def _copy(self, value: Load, target: Region, memory: Memory | None) -> None:
        shape = self._shape(value)
        source = self.memory(value.buffer)
        if not all(shape.has):
            if memory is not Memory.UB or source is not Memory.UB:
                raise NotVector(f"{value.buffer.name} would have to be repeated on the way")
            self.emit("tile.broadcast", target, *self._repeated(shape))
            return
        if source is Memory.UB:
            shape = self._placed(value, shape)
        if memory is Memory.GM and source not in (Memory.UB, Memory.L0C):
            raise NotVector(f"{value.buffer.name} lies in {_name(source)}")
        self.emit("copy", shape.region, target)
        self.release(shape.region, target)

    def _shape(self, load: Load) -> Shape:
        """The box that a load walks, in a tile of its own where its order is another one."""
        try:
            return index_region(load.buffer, load.indices, self.axes, self.store.span)
        except NotVector as refusal:
            self.beyond(refusal.reason)
            tile = rearranged(self, load) or gathered(self, load)
            if tile is None:
                raise
            return Shape(tile, (True,) * len(self.axes))

    def _placed(self, load: Load, shape: Shape) -> Shape:
        """The same where a vector operation can read it: elements that begin in the middle of a block
        are collected."""
        try:
            self._check_tile(shape.region)
        except NotVector as refusal:
            tile = gathered(self, load)
            if tile is None:
                raise
            if not contiguous(shape.region):
                self.beyond(refusal.reason)
            self.more = self.more or refusal.reason
            return Shape(tile, shape.has)
        return shape

    def _repeated(self, shape: Shape) -> tuple[Region, int]:
        """A one-dimensional operand and the axis along which it is repeated."""
        kind = shape.region.buffer.dtype
        if kind.name not in _REPEATED:
            raise NotVector(f"the vector unit cannot repeat {kind}", placing=True)
        self._check_tile(shape.region)
        return shape.region, 1 if shape.has[0] else 0

    def into(self, value: Scalar, target: Region) -> None:
        """Compute a value into a tile of its type."""
        if not self.varies(value):
            self.emit("tile.fill", target, value)
        elif isinstance(value, Select):
            choose(self, value, target)
        elif isinstance(value, Cast) and isinstance(value.value, (Compare, Logic)):
            choose(self, Select(value.value, 1, 0), target)
        elif counts(self, value) and count_into(self, value, target):
            return
        elif isinstance(value, Binary):
            self._binary(value, target)
        elif isinstance(value, Call):
            apply(self, value, target)
        elif isinstance(value, Cast):
            self._cast(value, target)
        elif isinstance(value, Load):
            self._copy(value, target, Memory.UB)
        else:
            raise NotVector(_kind(value))

    def _binary(self, value: Binary, target: Region) -> None:
        if value.op == "**":
            power(self, value.a, value.b, target)
            return
        if value.op in BITWISE:
            apply_bits(self, value, target)
            return
        if (
            value.op == "//"
            and isinstance(value.b, int)
            and value.b > 1
            and value.b.bit_count() == 1
        ):
            self.beyond("no vector operation for //")  # a shift, also of negative numbers
            apply_bits(self, Binary(">>", value.a, value.b.bit_length() - 1), target)
            return
        if value.op == "%" and isinstance(value.b, int) and value.b.bit_count() == 1 < value.b:
            self.beyond("no vector operation for %")
            bits = value.b.bit_length() - 1
            whole = Binary("<<", Binary(">>", value.a, bits), bits)
            self._binary(Binary("-", value.a, whole), target)
            return
        name = _BINARY.get(value.op)
        if name is None:
            raise NotVector(f"no vector operation for {value.op}")
        kind = target.buffer.dtype
        require(kind, _FLOATS if name == "div" else _NUMBERS)
        left, right = value.a, value.b
        if not self.varies(left):
            if value.op not in _COMMUTATIVE:
                self._scalar_left(value, target)
                return
            left, right = right, left
        relu = name == "max" and kind.name in _FLOATS and not self.varies(right)
        if relu and _is_zero(right):
            self.unary("relu", left, target)
            return
        if not self.varies(right):
            check_scalar_arithmetic(right)
        a = self.operand(left, kind, target if free_for(target, right) else None)
        b = self.operand(right, kind) if self.varies(right) else right
        self.emit(f"tile.{name}", target, a, b)
        self.release(a, target)
        self.release(b, target)

    def _scalar_left(self, value: Binary, target: Region) -> None:
        """`s - x` is `x * -1 + s`, to the bit; `s / x` divides a tile that is filled with s."""
        self.beyond(f"the scalar {show(value.a)} stands on the left of {value.op}")
        check_scalar_arithmetic(value.a)
        kind = target.buffer.dtype
        free = free_for(target, value.a)
        source = self.operand(value.b, kind, target if free else None)
        if value.op == "-":
            inner = target if free else self.take(kind)
            self.emit("tile.mul", inner, source, -1)
            if not _is_zero(value.a):
                self.emit("tile.add", target, inner, value.a)
        else:
            inner = self.take(kind)
            self.emit("tile.fill", inner, value.a)
            self.emit("tile.div", target, inner, source)
        self.release(inner, target)
        self.release(source, target)

    def unary(
        self, name: str, value: Scalar, target: Region, kinds: frozenset[str] = _FLOATS
    ) -> None:
        """One operation of one source, which may lie in the target."""
        require(target.buffer.dtype, kinds)
        source = self.operand(value, target.buffer.dtype, target)
        self.emit(f"tile.{name}", target, source)
        self.release(source, target)

    def _cast(self, value: Cast, target: Region) -> None:
        inner = computed_type(value.value) or (INT32 if counts(self, value.value) else value.type)
        source = self.operand(value.value, inner)
        convert(self, source, target)

    def operand(self, value: Scalar, kind: DType, room: Region | None = None) -> Region:
        """A tile of the type that holds the value: the buffer itself where it is there already,
        else `room`, where that may be overwritten, else a temporary."""
        own = computed_type(value) or kind
        if (line := counted(self, value, kind)) is not None:
            return line
        if isinstance(value, Load) and own == kind and self.memory(value.buffer) is Memory.UB:
            shape = self._shape(value)
            if all(shape.has):
                return self._placed(value, shape).region
        if isinstance(value, Load) and self.memory(value.buffer) not in (Memory.UB, Memory.GM):
            raise NotVector(f"{value.buffer.name} lies in {_name(self.memory(value.buffer))}")
        tile = self._held(value, own)
        if tile is None:
            tile = room if room is not None and own == kind else self.take(own)
            self.into(value, tile)
        if own == kind:
            return tile
        converted = self.take(kind)
        convert(self, tile, converted)
        return converted

    def _held(self, value: Scalar, kind: DType) -> Region | None:
        """The tile of a value that is needed more than once; None for others."""
        if not isinstance(value, Expr) or value not in self._again:
            return None
        if (value, kind) not in self.held:
            tile = self.take(kind)
            self.into(value, tile)
            self.held[value, kind] = tile
        return self.held[value, kind]

    def take(self, kind: DType, shape: tuple[int, ...] | None = None) -> Region:
        """A temporary tile, by default of the shape of the loops."""
        tile = self.temporaries.take(self.store, shape or self.extents, kind)
        return whole(tile, self.store.span)

    def emit(self, name: str, *args: Any) -> None:
        """Append a call; arguments that are left out have their defaults."""
        self.calls.append(tile_call(name, self.store.span, *args))

    def numbers(
        self, kind: DType, step: int = 1, first: int = 0, count: int | None = None
    ) -> Region:
        """The numbers first, first + step, and so on, made once for all rows; by default as many as
        the loops have turns. Not to be written."""
        extents = self.extents if count is None else (count,)
        return self.temporaries.numbers(self.store, extents, kind, step, first)


def _is_zero(value: Scalar) -> bool:
    return not isinstance(value, Expr) and value == 0


_KINDS: Mapping[str, str] = MappingProxyType(
    {
        "Compare": "a comparison has no vector form here",
        "Logic": "and, or and not have no vector form here",
    }
)


def _kind(value: Any) -> str:
    if isinstance(value, Call):
        return f"T.{value.name} has no vector form here"
    if isinstance(value, Var):
        return f"the loop variable {value.name} is used as a value"
    return _KINDS.get(type(value).__name__, "it has no vector form here")


def _name(memory: Memory | None) -> str:
    return "an unknown memory" if memory is None else memory.value
