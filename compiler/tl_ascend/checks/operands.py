"""Rules that hold for every row: element types, words that exist, whole buffers where upstream takes
no part of one, and counts that the tiles hold."""

from __future__ import annotations

from tl_ascend.checks.causes import lying_in, of_two_types, retyped
from tl_ascend.checks.context import Call, CheckContext, count, shape_text, size
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.affine import interval
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import Region, TileOp, walk_stmts
from tl_ascend.ir.storage import elements, root
from tl_ascend.ir.text import show, show_region
from tl_ascend.ops.row import Dtypes, Form, Op, Param
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Memory, Pipe


def words(call: Call, context: CheckContext) -> None:
    """A text is one of the words that its parameter takes."""
    for param in call.row.params:
        word = call.arg(param.name)
        if param.choices and isinstance(word, str) and word not in param.choices:
            context.report.add(
                "kernel-form",
                call.span(param.name),
                f"{param.name} of {call.name} cannot be {word!r}: it is one of "
                f"{', '.join(param.choices)}",
            )


def deprecated(call: Call, context: CheckContext) -> None:
    """Upstream has marked the name as one that goes."""
    if call.row.deprecated and context.upstream != "none":
        context.report.add(
            "deprecated-api",
            call.op.span,
            f"{call.name} is deprecated: {call.row.deprecated}",
        )


def whole_buffers(call: Call, context: CheckContext) -> None:
    """Upstream asks some operands for a pointer that only whole buffers have."""
    if context.upstream == "none":
        return
    for param in call.row.params:
        arg = call.arg(param.name)
        if param.whole and isinstance(arg, Region) and arg.form != "whole":
            context.report.add(
                "kernel-form",
                arg.span,
                f"{show_region(arg)} is a part of {arg.buffer.name}; upstream's {call.name} takes "
                f"whole buffers as {param.name}",
                notes=("Python raises AttributeError: a slice has no access_ptr.",),
            )


def every_index(call: Call, context: CheckContext) -> None:
    """A part of a buffer gives an index for every dimension."""
    if "copy_extents" in call.row.checks:
        return  # which says more
    for param in call.row.params:
        arg = call.arg(param.name)
        if isinstance(arg, Region) and len(arg.starts) < arg.buffer.rank:
            context.report.add(
                "kernel-form",
                arg.span,
                f"{arg.buffer.name} is {arg.buffer.rank}-dimensional, "
                f"{shape_text(arg.buffer.shape)}, and is given "
                f"{count(len(arg.starts), 'index')}: every dimension needs one",
                notes=("A whole row of a tile is a[i, :].",),
            )


_NO_UB = ("GM", "L1", "L0A", "L0B", "L0C")


def vector_operands(call: Call, context: CheckContext) -> None:
    """The vector unit reads and writes the UB only."""
    for param, tile in outside_of_ub(call):
        buffer = root(tile.buffer)
        context.report.add(
            "vector-operand",
            tile.span,
            f"{tile.buffer.name} lies in {buffer.scope}; {param.name} of {call.name} must lie in the UB",
            notes=(
                "The vector unit reads and writes the UB only: T.copy moves a tile to one that "
                "T.alloc_ub gives, and back.",
            ),
            related=(Related(buffer.span, f"{buffer.name} lies in {buffer.scope}"),),
            causes=lying_in(tile, Memory.UB),
        )


def transfer_operands(call: Call, context: CheckContext) -> None:
    """What a call of another pipe moves lies where its row says; matrix operations and copies have rules
    of their own."""
    if "gemm_operands" in call.row.checks or any(f.pipe is Pipe.V for f in call.row.forms):
        return
    for arg, param in zip(call.op.args, call.row.params, strict=False):
        if not isinstance(arg, Region) or not param.memories:
            continue
        memory = context.memory(arg)
        if memory is None or memory in param.memories:
            continue
        context.report.add(
            "vector-operand",
            arg.span,
            f"{arg.buffer.name} lies in {memory.value}; {param.name} of {call.name} must lie in "
            f"{' or '.join(one.value for one in param.memories)}",
            related=(Related(arg.buffer.span, f"{arg.buffer.name} is declared here"),),
            causes=lying_in(arg, *param.memories),
        )


def outside_of_ub(call: Call) -> list[tuple[Param, Region]]:
    """Tiles of a vector operation that lie elsewhere, as the author said; others follow their uses."""
    if not call.row.forms or any(form.pipe is not Pipe.V for form in call.row.forms):
        return []
    return [
        (param, arg)
        for arg, param in zip(call.op.args, call.row.params, strict=False)
        if isinstance(arg, Region)
        and param.memories == (Memory.UB,)
        and not (param.kind == "operand" and arg.form == "start")
        and root(arg.buffer).scope in _NO_UB
    ]


def count_fits(call: Call, context: CheckContext) -> None:
    """`count` elements from where the tile starts lie in the buffer."""
    wanted = call.arg("count")
    least = interval(wanted)[0] if isinstance(wanted, (Expr, int)) else None
    if least is None:
        return
    for param in call.row.params:
        tile = call.region(param.name)
        room = None if tile is None else room_of(tile)
        if tile is not None and room is not None and least > room:
            context.report.add(
                "operand-size",
                call.span("count"),
                f"count is {show(wanted)}{f', {least} or more' * (least != wanted)}, but "
                f"{show_region(tile)} has {room} elements up to the end of {tile.buffer.name}",
                severity=Severity.ERROR if beyond(tile, room, least) else Severity.WARNING,
                causes=(("count", call.op.span),),
                blocks=False,  # in the program nothing may lie behind the tile
            )


def beyond(tile: Region, room: int, wanted: int) -> bool:
    """True where as many elements leave the storage, of which a view may be a part only."""
    own, whole = tile.buffer, root(tile.buffer)
    total, all_of_it = elements(own.shape), elements(whole.shape)
    if total is None or all_of_it is None:
        return False
    return (total - room + wanted) * own.dtype.bits > all_of_it * whole.dtype.bits


def room_of(tile: Region) -> int | None:
    """Elements from the start of a region to the end of its buffer."""
    total, at = elements(tile.buffer.shape), 0
    if total is None or len(tile.starts) != tile.buffer.rank:
        return None
    for start, extent in zip(tile.starts, tile.buffer.shape, strict=True):
        if isinstance(start, Expr) or isinstance(extent, Expr):
            return None
        at = at * int(extent) + int(start)
    return total - at


def element_types(context: CheckContext) -> None:
    """Tiles of vector calls have element types that the unit takes. Looked at after lowering, which
    says what device call it is; what the compiler made has right ones."""
    for stmt in walk_stmts(context.after.body):
        row = TABLE.get(stmt.op) if isinstance(stmt, TileOp) else None
        if not isinstance(stmt, TileOp) or row is None or not stmt.form or stmt.reason:
            continue
        if row.choose != "memories" and row.family not in ("matmul", "bitwise"):
            _types_of(stmt, row, row.form(stmt.form), context)


def _types_of(op: TileOp, row: Op, form: Form, context: CheckContext) -> None:
    pto = context.after.options.route == "pto"  # whose own types no row has
    tiles = [
        (arg, param)
        for arg, param in zip(op.args, row.params, strict=False)
        if isinstance(arg, Region)
    ]
    for arg, param in tiles:
        # The bits of a comparison go into any tile: the call takes it for bytes.
        if param.dtypes and param.role.reads and not pto:
            _require(arg, param.dtypes, f"{param.name} of T.{row.name}", context)
    every = [(arg, param) for arg, param in tiles if not param.dtypes]
    free = [(arg, param) for arg, param in every if param.role.reads] or every
    if not free:
        return
    first = next((arg for arg, param in free if not param.role.writes), free[0][0])
    if not (pto or _require(first, form.dtypes, form.name, context)):
        return
    if form.dtypes and not form.mixes:
        _one_type(op, row, first, context)


def _one_type(op: TileOp, row: Op, first: Region, context: CheckContext) -> None:
    """Tiles without a type of their own have that of the first; one that differs is told."""
    for arg, param in zip(op.args, row.params, strict=False):
        if not isinstance(arg, Region) or not _differs(arg, param, first):
            continue
        context.report.add(
            "dtype-unsupported",
            arg.span,
            f"{arg.buffer.name} holds {arg.buffer.dtype} and {first.buffer.name} "
            f"{first.buffer.dtype}: T.{row.name} does not convert",
            notes=("T.tile.cast converts a tile.",),
            related=(
                Related(arg.buffer.span, f"{arg.buffer.name}: {arg.buffer.dtype}"),
                Related(first.buffer.span, f"{first.buffer.name}: {first.buffer.dtype}"),
            ),
            causes=of_two_types(arg, first),
        )
        return


def _differs(tile: Region, param: Param, first: Region) -> bool:
    """Whether a tile would have to be converted. A sum of floats, which has its own list of types, may
    be wider than what is added to it, not narrower."""
    kind, wanted = tile.buffer.dtype, first.buffer.dtype
    if not param.dtypes:
        return kind != wanted and "bool" not in (kind.name, wanted.name)
    summed = param.role.reads and param.role.writes and kind.kind == wanted.kind == "float"
    return summed and kind.bits < wanted.bits


def _require(tile: Region, dtypes: Dtypes, what: str, context: CheckContext) -> bool:
    """False where the type is told to be wrong."""
    allowed = dtypes.get(context.platform.name)
    kind = tile.buffer.dtype.name
    if allowed is None or kind in allowed or (kind == "bool" and "uint8" in allowed):
        return True
    context.report.add(
        "dtype-unsupported",
        tile.span,
        f"{tile.buffer.name} holds {kind}; on {context.platform.name} {what} takes "
        f"{', '.join(sorted(allowed))}",
        causes=retyped(tile, *sorted(allowed)),
    )
    return False


WORD_BITS = 16


def word_bits(call: Call, context: CheckContext) -> None:
    """The unit has bit operations on 16-bit words only. With a count CANN reads every type as words
    and counts these: of 32-bit elements half, of bytes twice as many as there are."""
    tile = call.region("src0")
    allowed = None if tile is None else call.row.forms[0].dtypes.get(context.platform.name)
    if tile is None or allowed is None:
        return
    if tile.buffer.dtype.name in allowed:
        _one_width(call, tile, context)
        return
    bits, count = tile.buffer.dtype.bits, size(tile)
    if tile.buffer.dtype.kind == "float" or call.row.name.endswith(("not", "xor")):
        _require(tile, call.row.forms[0].dtypes, call.row.forms[0].name, context)
        return
    much = "half of the elements" if bits > WORD_BITS else "the bytes behind the tiles, too"
    context.report.add(
        "dtype-unsupported",
        tile.span,
        f"{tile.buffer.name} holds {tile.buffer.dtype}, and {call.row.forms[0].name} counts 16-bit "
        f"words: {count or 'so many'} of them are {much}",
        notes=("T.view the tiles as int16 with as many words as they have.",),
        severity=Severity.ERROR if bits > WORD_BITS else Severity.WARNING,
    )


def _one_width(call: Call, first: Region, context: CheckContext) -> None:
    """The other tiles have integers that are as wide."""
    kind = first.buffer.dtype
    for name in ("dst", "src1"):
        tile = call.region(name)
        if tile is None or tile.buffer.dtype.name == "bool":
            continue
        if tile.buffer.dtype.bits == kind.bits and tile.buffer.dtype.kind in ("int", "uint"):
            continue
        context.report.add(
            "dtype-unsupported",
            tile.span,
            f"{tile.buffer.name} holds {tile.buffer.dtype} and {first.buffer.name} {kind}: "
            f"{call.name} does not convert",
            notes=("T.tile.cast converts a tile.",),
            related=(Related(first.buffer.span, f"{first.buffer.name}: {kind}"),),
            causes=of_two_types(tile, first),
        )
        return
