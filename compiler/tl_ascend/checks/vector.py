"""Rules of vector operations: sizes that agree, modes that exist, shapes that can be broadcast."""

from __future__ import annotations

from tl_ascend.checks.causes import lying_in, repitched, resized, widened
from tl_ascend.checks.context import Call, CheckContext, shape_text, size
from tl_ascend.diagnostics.report import Cause, Related
from tl_ascend.ir.expr import Load
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.storage import BLOCK, round_up
from tl_ascend.ir.text import show_region
from tl_ascend.target.hardware import Memory

COMPARED_BYTES = 256
SCALAR_MODE = "VSEL_TENSOR_SCALAR_MODE"


def same_size(call: Call, context: CheckContext) -> None:
    """The destination sets the number of elements; no source may have fewer, and the first source
    and slices must have as many."""
    for param in call.row.params[1:]:
        same_size_of(call, context, param.name)


def same_size_of(call: Call, context: CheckContext, name: str) -> None:
    """One operand has as many elements as the destination."""
    target, tile = call.region("dst"), call.region(name)
    wanted, have = size(target), size(tile)
    if target is None or tile is None or wanted is None or have is None or have == wanted:
        return
    # A whole second operand that is larger is read in part: odd, but what it says.
    if name == "src1" and tile.form == "whole" and have > wanted:
        return
    _sizes_differ(call, target, wanted, tile, have, context)


def _sizes_differ(
    call: Call, target: Region, wanted: int, tile: Region, have: int, context: CheckContext
) -> None:
    context.report.add(
        "operand-size",
        tile.span,
        f"{show_region(tile)} has {have} elements, {shape_text(tile.extents)}, and the destination "
        f"{show_region(target)} has {wanted}, {shape_text(target.extents)}",
        notes=(f"{call.name} works on as many elements as the destination has.",),
        related=(
            Related(target.span, f"{wanted} elements"),
            Related(tile.buffer.span, f"{tile.buffer.name}: {shape_text(tile.buffer.shape)}"),
        ),
        causes=(
            *resized(target, tile.extents),
            *resized(tile, target.extents),
            *(lying_in(tile, Memory.UB) if context.memory(tile) is not Memory.UB else ()),
        ),
    )


def tile_operand(call: Call, context: CheckContext) -> None:
    """The second source is a tile: there is no form with a scalar."""
    if not isinstance(call.arg("src1"), (Region, type(None))):
        context.report.add(
            "kernel-form",
            call.span("src1"),
            f"{call.name} takes a tile as src1, no scalar",
            notes=("Fill a tile with the scalar first: T.tile.fill.",),
            causes=(("operation", call.op.span),),
        )


def compared_bytes(call: Call, context: CheckContext) -> None:
    """Comparisons work on whole repeats of 256 bytes."""
    tile = call.region("src0")
    count = size(tile)
    if tile is None or count is None:
        return
    compared = count * tile.buffer.dtype.bits // 8
    if compared % COMPARED_BYTES:
        context.report.add(
            "vector-align",
            call.op.span,
            f"{show_region(tile)} has {compared} bytes; a comparison takes a multiple of "
            f"{COMPARED_BYTES}",
            causes=_odd_rows(tile, compared),
        )


def _odd_rows(tile: Region, compared: int) -> tuple[Cause, ...]:
    """The rows, where these are no whole blocks and there would be enough if they were."""
    pitch = int(tile.buffer.shape[-1]) * tile.buffer.dtype.bits // 8
    wide = round_up(pitch, BLOCK)
    if tile.form != "whole" or tile.buffer.rank < 2 or wide == pitch:
        return ()
    enough = compared // pitch * wide % COMPARED_BYTES == 0
    return (repitched(tile, wide), widened(tile)) if enough else ()


def select_mode(call: Call, context: CheckContext) -> None:
    """The mode says whether the second source is a tile."""
    mode, other = call.arg("selMode"), call.arg("src1")
    scalar = not isinstance(other, Region) or other.form == "start"
    if isinstance(mode, str) and (mode == SCALAR_MODE) != scalar and not _is_element(other):
        context.report.add(
            "kernel-form",
            call.span("selMode"),
            f"{mode} goes with a {'tile' if scalar else 'scalar'} as src1, which is a "
            f"{'scalar' if scalar else 'tile'} here",
        )
    same_size_of(call, context, "src0")
    same_size_of(call, context, "src1")


def _is_element(value: object) -> bool:
    """An element of a tile, which upstream wants under the modes for tiles."""
    return isinstance(value, Load) or (isinstance(value, Region) and value.form == "start")


def transposed_shape(call: Call, context: CheckContext) -> None:
    """Rows and columns change places."""
    target, source = call.region("dst"), call.region("src")
    if target is None or source is None or min(len(target.extents), len(source.extents)) < 2:
        return
    a, b = target.extents[-2:], source.extents[-2:]
    if size(target) is not None and size(source) is not None and (a[0], a[1]) != (b[1], b[0]):
        context.report.add(
            "operand-size",
            call.op.span,
            f"{show_region(source)} {shape_text(b)} becomes {shape_text((b[1], b[0]))}, but "
            f"{show_region(target)} is {shape_text(a)}",
        )


def row_scalars(call: Call, context: CheckContext) -> None:
    """Two tiles of one shape, and one value for each of their rows."""
    target, source, scalars = (call.region(name) for name in ("dst", "src0", "src1"))
    if target is None or source is None or scalars is None:
        return
    if len(target.extents) < 2 or size(target) is None or size(source) is None:
        return
    if size(target) != size(source):
        same_size_of(call, context, "src0")
    rows, wide = size(target), target.extents[-1]
    assert rows is not None
    rows //= int(wide)
    have = size(scalars)
    if have is None:
        return
    if call.arg("tmp") is None:
        _spread_scalars(call, target, scalars, (rows, int(wide), have), context)
    elif have != rows:
        context.report.add(
            "operand-size",
            scalars.span,
            f"{show_region(scalars)} has {have} values, but {show_region(target)} has {rows} rows",
            causes=(*resized(scalars, (rows,)), *resized(target, (have, int(wide)))),
        )


def _spread_scalars(
    call: Call, target: Region, scalars: Region, known: tuple[int, int, int], context: CheckContext
) -> None:
    """Without room to work in the values of the rows lie in blocks of 32 bytes each; the operation that
    has such room from the compiler takes them one behind the other."""
    rows, wide, have = known
    block = BLOCK * 8 // scalars.buffer.dtype.bits
    spread = call.row.name.endswith("_experiment")
    wanted = (rows - 1) * block + min(wide, block) if spread else rows
    if have >= wanted:
        return
    how = f"a block of {block} for each of the" if spread else "one for each of the"
    context.report.add(
        "operand-size",
        scalars.span,
        f"{show_region(scalars)} has {have} values, and {call.name} reads {wanted}, {how} {rows} rows "
        f"of {show_region(target)}",
        notes=("With a tile as tmp it takes one value for each row.",) if spread else (),
        causes=resized(scalars, (rows * block if spread else rows,)),
    )


def broadcast_shape(call: Call, context: CheckContext) -> None:
    """One of the two dimensions of the source is 1, or missing; the other is that of the target."""
    target, source, axis = call.region("dst"), call.region("src"), call.arg("axis")
    if target is None or source is None or size(target) is None or size(source) is None:
        return
    a, b = target.extents[-2:], source.extents[-2:]
    problem = _broadcast_problem(tuple(map(int, a)), tuple(map(int, b)), axis)
    if problem:
        context.report.add(
            "operand-size",
            call.op.span,
            f"{show_region(source)} {shape_text(b)} cannot be repeated to {show_region(target)} "
            f"{shape_text(a)}: {problem}",
            causes=(*resized(source, (a[0], 1)), *resized(source, (1, a[-1]))),
        )


def repeated_axis(target: tuple[int, ...], source: tuple[int, ...]) -> int:
    """The axis that is repeated where none is given: the first with room to repeat."""
    row, column = (source[at] == 1 and target[at] != 1 for at in (0, 1))
    return 1 if column and not row else 0


def _broadcast_problem(target: tuple[int, ...], source: tuple[int, ...], axis: object) -> str:
    if axis not in (None, 0, 1):
        return f"axis is 0 or 1, not {axis}"
    if len(source) == 1 and len(target) == 2:
        for at in (0, 1):
            if axis in (at, None) and target[1 - at] == source[0]:
                return ""
        return (
            f"{source[0]} is the length of neither dimension" if axis is None else "lengths differ"
        )
    if len(source) != len(target):
        return "the number of dimensions differs"
    if len(target) == 1:
        return "" if source[0] in (1, target[0]) else "the length is neither 1 nor the same"
    along = axis if isinstance(axis, int) else repeated_axis(target, source)
    if source[along] == 1:
        same = source[1 - along] == target[1 - along]
        return "" if same else f"dimension {1 - along} differs"
    return "" if source == target else f"dimension {along} of the source is not 1"
