"""Tiles of PTO: a part of a memory with a type that holds its shape.

In the UB a tile has rows that follow each other at a pitch of whole blocks of 32 bytes; how many rows
and columns count is part of its type, or given when it is made. A region whose elements follow each
other without gaps is one row. In L1 and L0 a tile is whole fractals.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tl_ascend.backends.common.rules import Refusal
from tl_ascend.backends.common.views import Rows, constant, contiguous, product, rows_of
from tl_ascend.ir.addresses import (
    BLOCK_BITS,
    FRACTAL,
    block_elements,
    matrix,
    offset,
    shape_of,
)
from tl_ascend.ir.affine import interval, same
from tl_ascend.ir.expr import Scalar
from tl_ascend.ir.fold import binary
from tl_ascend.ir.geometry import is_one
from tl_ascend.ir.nodes import Buffer, Region
from tl_ascend.ir.storage import elements, round_up
from tl_ascend.ir.text import show_region
from tl_ascend.target.dtypes import DType
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto

NAMES = {
    Memory.UB: "tl::ascend_pto::TileUbDataND",
    Memory.L1: "tl::ascend_pto::TileMatL1",
    Memory.L0A: "tl::ascend_pto::TileMatL0A",
    Memory.L0B: "tl::ascend_pto::TileMatL0B",
    Memory.L0C: "pto::TileAcc",
}
COLUMN = "tl::ascend_pto::TileUbDataDN"
TURNED = "tl::ascend_pto::TileMatL1ZN"


@dataclass(frozen=True, slots=True)
class Shape:
    """Physical rows and columns, and how many of them count."""

    rows: int
    columns: int
    valid_rows: Scalar
    valid_columns: Scalar

    @property
    def known(self) -> bool:
        return isinstance(self.valid_rows, int) and isinstance(self.valid_columns, int)


def row_of(count: Scalar, type: DType, most: int = 0) -> Shape:
    """One row. `most`: of a count that only the device knows."""
    wide = int(count) if isinstance(count, int) else interval(count)[1] or most
    return Shape(1, round_up(max(wide, 1), block_elements(type)), 1, count)


def whole(shape: tuple[Scalar, ...], type: DType, memory: Memory) -> Shape | None:
    """The tile that stands for a whole buffer: two dimensions, or one row where rows would not begin
    at blocks. None where the size is not known."""
    count = elements(shape)
    if count is None:
        return None
    if memory is not Memory.UB:
        rows, columns = (int(size) for size in matrix(shape))
        return fractals(rows, columns, type, memory)
    columns = int(shape[-1]) if shape else 1
    rows = count // columns if columns else 1
    if rows > 1 and columns * type.bits % BLOCK_BITS == 0:
        return Shape(rows, columns, rows, columns)
    return row_of(count, type)


def fractals(rows: int, columns: int, type: DType, memory: Memory) -> Shape:
    """Whole fractals: 16 rows of one block; in L0B 16 columns, in L0C 16 of both."""
    block = block_elements(type)
    high = block if memory is Memory.L0B else FRACTAL
    wide = FRACTAL if memory in (Memory.L0B, Memory.L0C) else block
    rows, columns = round_up(rows, high), round_up(columns, wide)
    return Shape(rows, columns, rows, columns)


class Tiles:
    """Names tiles in a program: those of whole buffers once, parts where they are used."""

    def __init__(self, emission: Pto) -> None:
        self.emission = emission
        self.shapes: dict[int, Shape] = {}

    # --- declarations ------------------------------------------------------------------------

    def declare(self, buffer: Buffer, shape: Shape, address: int) -> None:
        """The tile of a whole buffer, at the top of the program."""
        emission = self.emission
        name = emission.buffers[buffer.uid] = emission.names.fresh(buffer.name)
        self.shapes[buffer.uid] = shape
        memory = emission.kernel.memory(buffer)
        kind = self.type(NAMES[memory], emission.type(buffer), shape)
        emission.out.line(f"{kind} {name};", buffer.span)
        emission.out.line(f"TASSIGN({name}, {address});", buffer.span)

    @staticmethod
    def type(name: str, kind: str, shape: Shape) -> str:
        """The C++ type of a tile."""
        valid = (shape.valid_rows, shape.valid_columns)
        shown = valid if shape.known else ("pto::DYNAMIC", "pto::DYNAMIC")
        return f"{name}<{kind}, {shape.rows}, {shape.columns}, {shown[0]}, {shown[1]}>"

    def made(self, buffer: Buffer, name: str, kind: str, shape: Shape, address: Scalar) -> str:
        """A tile of a part, declared here. `kind`: of its elements."""
        emission = self.emission
        text = emission.names.fresh(f"{emission.buffers.get(buffer.uid, buffer.name)}_part")
        given = ""
        if not shape.known:
            sizes = map(emission.values.index, (shape.valid_rows, shape.valid_columns))
            given = f"({', '.join(sizes)})"
        emission.out.line(f"{self.type(name, kind, shape)} {text}{given};")
        emission.out.line(f"TASSIGN({text}, {emission.values.index(address)});")
        return text

    # --- addresses ---------------------------------------------------------------------------

    def address(self, region: Region, extra: Scalar = 0) -> Scalar:
        """The byte address where a region starts, and `extra` elements further."""
        kernel, buffer = self.emission.kernel, region.buffer
        at = binary("+", offset(kernel, buffer, region.starts), extra)
        base = kernel.place(buffer).address
        assert base is not None, "planning gives what is used an address"
        return binary("+", binary("*", at, buffer.dtype.bytes), base)

    def end(self, region: Region, skipped: int) -> int:
        """The address of what lies behind so many bytes of a tile of known place."""
        address = self.address(region)
        assert isinstance(address, int)
        return address + skipped

    # --- the UB ------------------------------------------------------------------------------

    def row(self, region: Region, count: Scalar | None = None, kind: DType | None = None) -> str:
        """A region without gaps as one row. `count`: only so many elements, of type `kind` where that
        is another. Errors: Refusal."""
        self._straight(region)
        type = kind or region.buffer.dtype
        n = product(region.extents) if count is None else count
        shape = row_of(n, type, elements(shape_of(self.emission.kernel, region.buffer)) or 1)
        return self.view(region, shape, type)

    def _straight(self, region: Region) -> None:
        """Errors: Refusal, where the region has gaps."""
        if not contiguous(self.emission.kernel, region):
            raise Refusal(
                "not-lowered",
                region.span,
                f"{show_region(region)} is not contiguous, and this call walks consecutive elements",
                "Copy the region to a tile of its own first.",
            )

    def room(self, region: Region) -> int:
        """Elements of whole blocks from the start of a region on. Errors: Refusal."""
        if _at_start(region):
            count = constant(
                product(shape_of(self.emission.kernel, region.buffer)), region, "its size"
            )
        else:
            count = constant(product(region.extents), region, "its size")
        return round_up(count, block_elements(region.buffer.dtype))

    def run(self, region: Region, start: Scalar, count: Scalar) -> str:
        """So many elements of a region without gaps, from one on. Errors: Refusal."""
        if isinstance(start, int) and start == 0:
            return self.row(region, count)
        self._straight(region)
        shape = row_of(count, region.buffer.dtype)
        kind = self.emission.spelled(region.buffer.dtype, region)
        at = self.address(region, start)
        return self.made(region.buffer, NAMES[Memory.UB], kind, shape, at)

    def view(self, region: Region, shape: Shape, kind: DType | None = None, name: str = "") -> str:
        """A region as a tile of a shape; the tile of the whole buffer where it is just that."""
        buffer, type = region.buffer, kind or region.buffer.dtype
        plain = not name and type == buffer.dtype and buffer.alias_of is None
        if plain and self.shapes.get(buffer.uid) == shape and _at_start(region):
            return self.emission.buffers[buffer.uid]
        tile = name or NAMES[Memory.UB]
        spelled = self.emission.spelled(type, region)
        return self.made(buffer, tile, spelled, shape, self.address(region))

    def rows(self, region: Region) -> Rows:
        """A region as rows. Errors: Refusal."""
        found = rows_of(self.emission.kernel, region)
        if found is None:
            text = f"{show_region(region)} has more than two dimensions to walk"
            raise Refusal("not-lowered", region.span, text)
        return found

    def pitched(self, region: Region, rows: Rows) -> Shape:
        """The shape of rows at a pitch. Errors: Refusal."""
        type = region.buffer.dtype
        if is_one(rows.rows):
            return row_of(rows.columns, type, constant(_last(self, region), region, "its width"))
        pitch = constant(rows.pitch, region, "its width")
        if pitch * type.bits % BLOCK_BITS:
            raise Refusal(
                "not-lowered",
                region.span,
                f"the rows of {show_region(region)} are {pitch} elements of {type} apart; rows of a "
                "PTO tile begin at whole blocks of 32 bytes",
                "Make the last dimension a multiple of 32 bytes.",
            )
        high = rows.rows if isinstance(rows.rows, int) else interval(rows.rows)[1]
        if high is None:
            high = (elements(shape_of(self.emission.kernel, region.buffer)) or pitch) // pitch
        return Shape(int(high), pitch, rows.rows, rows.columns)

    def alike(self, regions: list[Region]) -> list[str]:
        """Regions of one size as tiles of one shape each: whole tiles where they agree, one row where
        nothing has gaps, else rows. Errors: Refusal."""
        shapes = [self._whole(region) for region in regions]
        if shapes[0] is not None and all(shape == shapes[0] for shape in shapes):
            return [self.emission.buffers[region.buffer.uid] for region in regions]
        if all(contiguous(self.emission.kernel, region) for region in regions):
            count = product(regions[0].extents)
            plain = next((s for s in shapes if s is not None and _fits(s, count, regions)), None)
            if plain is not None:
                return [self.view(region, plain) for region in regions]
            return [self.row(region, count) for region in regions]
        return self._as_rows(regions)

    def _whole(self, region: Region) -> Shape | None:
        """The shape of a tile that is meant whole."""
        if region.buffer.alias_of is not None or not _at_start(region):
            return None
        shape = shape_of(self.emission.kernel, region.buffer)
        if not all(same(a, b) for a, b in zip(region.extents, shape, strict=True)):
            return None
        return self.shapes.get(region.buffer.uid)

    def _as_rows(self, regions: list[Region]) -> list[str]:
        kernel = self.emission.kernel
        cut = next(r for r in regions if not contiguous(kernel, r))
        pattern = self.rows(cut)
        views = []
        for region in regions:
            own = rows_of(kernel, region)
            fits = (
                own is not None
                and same(own.rows, pattern.rows)
                and same(own.columns, pattern.columns)
            )
            if not fits and contiguous(kernel, region):
                own, fits = Rows(pattern.rows, pattern.columns, pattern.columns), True
            if own is None or not fits:
                raise Refusal(
                    "not-lowered",
                    region.span,
                    f"{show_region(region)} and {show_region(cut)} do not have the same rows",
                    "Copy the region to a tile of its own first.",
                )
            views.append((region, self.pitched(region, own)))
        return [self.view(region, shape) for region, shape in views]

    def column(self, region: Region, count: int) -> str:
        """Consecutive elements as one column, a value for each row of another tile."""
        high = round_up(count, block_elements(region.buffer.dtype))
        return self.view(region, Shape(high, 1, count, 1), name=COLUMN)


def _fits(shape: Shape, count: Scalar, regions: list[Region]) -> bool:
    """True where elements without gaps may be seen as rows of a tile that takes part."""
    aligned = all(shape.columns * r.buffer.dtype.bits % BLOCK_BITS == 0 for r in regions)
    return shape.rows > 1 and shape.rows * shape.columns == count and aligned


def _last(tiles: Tiles, region: Region) -> Scalar:
    return shape_of(tiles.emission.kernel, region.buffer)[-1]


def _at_start(region: Region) -> bool:
    return all(isinstance(start, int) and start == 0 for start in region.starts)
