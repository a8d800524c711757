"""Rules of the matrix operations: memories, shapes and types of operands, room for hidden slots."""

from __future__ import annotations

from dataclasses import dataclass

from tl_ascend.checks.causes import along, moved, of_two_types, resized_along, retyped
from tl_ascend.checks.context import Call, CheckContext, shape_text
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Cause, Related
from tl_ascend.ir.expr import Expr, Scalar
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.slots import K_STEP, depth_of
from tl_ascend.ops.dtypes import FED
from tl_ascend.target.hardware import Memory

_INPUTS = ("float16", "bfloat16", "int8", "int4", "float8_e4m3", "float8_e5m2")


def gemm_operands(call: Call, context: CheckContext) -> None:
    """Operands lie where the operation reads them, and their shapes and types agree."""
    if not _memories(call, context):
        return
    tiles = [call.region(name) for name in "ABC"]
    a, b, c = tiles
    if a is None or b is None or c is None or not _ranks(call, context, (a, b, c)):
        return
    _shapes(call, context, _sizes(call, a, b), c)
    _types(call, context, a, b, c)


def _memories(call: Call, context: CheckContext) -> bool:
    right = True
    for param in call.row.params:
        arg = call.arg(param.name)
        if not isinstance(arg, Region) or not param.memories:
            continue
        memory = context.memory(arg)
        if memory is None or memory in param.memories:
            continue
        right = False
        wanted = param.memories[0].value
        context.report.add(
            "gemm-operand",
            arg.span,
            f"{arg.buffer.name} lies in {memory.value}; operand {param.name} of {call.name} must "
            f"lie in {wanted}",
            notes=_memory_note(call),
            related=(Related(arg.buffer.span, f"{arg.buffer.name} is allocated here"),),
            causes=moved(arg, param.memories[0], call.op.span),
        )
    return right


def _memory_note(call: Call) -> tuple[str, ...]:
    if call.row.name == "gemm_v0":
        return (
            "gemm_v0 takes A and B from L1 and moves them to L0A and L0B itself; T.mma takes "
            "operands that lie there already.",
        )
    return ("T.gemm_v0 takes A and B from L1; T.mma wants them in L0A and L0B.",)


def _ranks(call: Call, context: CheckContext, tiles: tuple[Region, ...]) -> bool:
    for name, tile in zip("ABC", tiles, strict=True):
        lead = tile.extents[:-2]
        if len(tile.extents) >= 2 and all(isinstance(e, Expr) or e == 1 for e in lead):
            continue
        context.report.add(
            "gemm-operand",
            tile.span,
            f"operand {name} of {call.name} has the extents {shape_text(tile.extents)}; it must be "
            "a matrix, with extents of 1 before the last two",
        )
        return False
    return True


@dataclass(frozen=True, slots=True)
class _Sizes:
    """M, N and K as A and B give them, transposition done."""

    m: Scalar
    n: Scalar
    k_of_a: Scalar
    k_of_b: Scalar


def _sizes(call: Call, a: Region, b: Region) -> _Sizes:
    rows, columns = a.extents[-2:]
    m, k_of_a = (columns, rows) if call.arg("transpose_A") is True else (rows, columns)
    rows, columns = b.extents[-2:]
    k_of_b, n = (columns, rows) if call.arg("transpose_B") is True else (rows, columns)
    return _Sizes(m, n, k_of_a, k_of_b)


def _shapes(call: Call, context: CheckContext, sizes: _Sizes, c: Region) -> None:
    a, b = call.arg("A"), call.arg("B")
    if _differ(sizes.k_of_a, sizes.k_of_b):
        note, cause = _exchanged(call, a, b, c)
        context.report.add(
            "gemm-operand",
            call.op.span,
            f"K is {sizes.k_of_a} in {a.buffer.name} {shape_text(a.extents)} but {sizes.k_of_b} in "
            f"{b.buffer.name} {shape_text(b.extents)}",
            notes=(*note, _transposed(call)),
            causes=(
                *cause,
                *_resized(call, "A", "K", sizes.k_of_b),
                *_resized(call, "B", "K", sizes.k_of_a),
            ),
        )
        return
    for name, want, have in (("M", sizes.m, c.extents[-2]), ("N", sizes.n, c.extents[-1])):
        if _differ(want, have):
            side = "A" if name == "M" else "B"
            operand = a if name == "M" else b
            note, cause = _exchanged(call, a, b, c)
            context.report.add(
                "gemm-operand",
                c.span,
                f"{name} is {want} in {operand.buffer.name} {shape_text(operand.extents)} but "
                f"{have} in {c.buffer.name} {shape_text(c.extents)}",
                notes=(*note, "The operation takes M and N from C.", _transposed(call)),
                causes=(
                    *cause,
                    *_resized(call, side, name, have),
                    *_resized(call, "C", name, want),
                ),
            )


def _exchanged(
    call: Call, a: Region, b: Region, c: Region
) -> tuple[tuple[str, ...], tuple[Cause, ...]]:
    """What is said, and the cause, where all agrees with A and B in each other's place."""
    sizes = _sizes(call, b, a)
    pairs = (sizes.k_of_a, sizes.k_of_b), (sizes.m, c.extents[-2]), (sizes.n, c.extents[-1])
    if a.buffer is b.buffer or any(_differ(one, other) for one, other in pairs):
        return (), ()
    if not all(isinstance(one, int) for pair in pairs for one in pair):
        return (), ()
    text = f"With {b.buffer.name} as A and {a.buffer.name} as B all sizes agree."
    return (text,), (("exchanged", call.op.span),)


_AXES = {"A": ("M", "K"), "B": ("K", "N"), "C": ("M", "N")}


def _resized(call: Call, side: str, name: str, length: Scalar) -> tuple[Cause, ...]:
    """The causes where an operand ought to have this length for M, N or K."""
    operand, axis = call.arg(side), _AXES[side].index(name) - 2
    axis = -3 - axis if call.arg(f"transpose_{side}") is True else axis
    # A tile that is both operands cannot be mended for one of them.
    twice = side != "C" and call.arg("A").buffer is call.arg("B").buffer
    declared = () if twice else along(operand, axis, length)
    return resized_along(operand, name, length), *declared


def _transposed(call: Call) -> str:
    def order(name: str, plain: str, turned: str) -> str:
        return f"{name} is read as {turned if call.arg(f'transpose_{name}') is True else plain}"

    return f"{order('A', 'M x K', 'K x M')}, {order('B', 'K x N', 'N x K')}."


def _differ(a: Scalar, b: Scalar) -> bool:
    return not isinstance(a, Expr) and not isinstance(b, Expr) and a != b


def _types(call: Call, context: CheckContext, a: Region, b: Region, c: Region) -> None:
    one, other = a.buffer.dtype, b.buffer.dtype
    if one != other:
        context.report.add(
            "gemm-operand",
            call.op.span,
            f"{a.buffer.name} holds {one} and {b.buffer.name} {other}; the matrix unit multiplies "
            "operands of one type",
            causes=of_two_types(a, b),
        )
    elif one.name not in _INPUTS:
        _not_fed(call, context, a)
    wanted = "int32" if one.kind in ("int", "uint") else "float32"
    if c.buffer.dtype.name != wanted and one == other and one.name in _INPUTS:
        context.report.add(
            "gemm-operand",
            c.span,
            f"{c.buffer.name} holds {c.buffer.dtype}; the matrix unit accumulates {one} in "
            f"{wanted}",
            notes=("Convert on the way out: a copy from L0C to a float16 tensor in GM rounds.",),
            causes=(
                *retyped(c, wanted),
                *(cause for one in (a, b) for cause in retyped(one, *_summed_in(c))),
            ),
        )


def _summed_in(c: Region) -> tuple[str, ...]:
    """The element types whose products an accumulator takes."""
    return {"int32": ("int8",), "float32": ("float16", "bfloat16")}.get(c.buffer.dtype.name, ())


def _not_fed(call: Call, context: CheckContext, a: Region) -> None:
    """Types that the unit has no products of, and float32, which upstream's moves are not made for."""
    kind, taken = a.buffer.dtype.name, FED.get(context.platform.name, frozenset())
    moved = not taken or kind in taken
    names = ("float16", "bfloat16", "int8") if moved else tuple(sorted(taken))
    blocks = "The move from L1 to L0 works in blocks of 16 elements, which fit 16-bit types."
    context.report.add(
        "dtype-unsupported",
        call.op.span,
        f"{call.name} of {kind} operands: the matrix unit is fed with {', '.join(names[:-1])} or "
        f"{names[-1]}",
        notes=(blocks,) if moved else (),
        severity=Severity.WARNING if moved else Severity.ERROR,
        causes=retyped(a, *_INPUTS),
    )


def gemm_slots(call: Call, context: CheckContext) -> None:
    """The slices that upstream's template of gemm_v0 keeps in L0A and L0B fit there."""
    a, b = call.region("A"), call.region("B")
    if context.upstream == "none" or a is None or b is None:
        return
    if min(len(a.extents), len(b.extents)) < 2:
        return
    sizes = _sizes(call, a, b)
    if isinstance(sizes.k_of_a, Expr) or _differ(sizes.k_of_a, sizes.k_of_b):
        return
    depth = depth_of(int(sizes.k_of_a), context.before.options.route)
    for memory, name, width, tile in (
        (Memory.L0A, "M", sizes.m, a),
        (Memory.L0B, "N", sizes.n, b),
    ):
        if not isinstance(width, Expr):
            _slot(call, context, memory, name, int(width), depth, tile)


def _slot(
    call: Call,
    context: CheckContext,
    memory: Memory,
    name: str,
    width: int,
    depth: int,
    tile: Region,
) -> None:
    kind = tile.buffer.dtype
    need = width * depth * kind.bits // 8
    room = context.platform.memories[memory].physical
    if need <= room:
        return
    slots = "two slots, since K > 128" if depth > K_STEP else "one slot"
    context.report.add(
        "l0-overflow",
        call.op.span,
        f"gemm_v0 needs {need} bytes of {memory.value} for {tile.buffer.name}: {name} = {width} x "
        f"{depth} of K x {kind.bytes} bytes ({slots}); {memory.value} has {room}",
        notes=(
            f"The template moves A and B to L0 in steps of {K_STEP} along K and does not divide "
            f"{name}: with this type and K, {name} may be at most {room // (need // width)}.",
            "This is a limit of upstream's template.",
        ),
        related=(Related(tile.buffer.span, f"{tile.buffer.name}: {shape_text(tile.extents)}"),),
    )


# Elements of K that the matrix unit takes at a time: 32 bytes.
_FRACTAL_BYTES = 32


def gemm_tail(call: Call, context: CheckContext) -> None:
    """Where K takes more than one step of the template, the last step is right only for whole
    fractals (ascendc), or for whole steps (pto)."""
    a, b = call.region("A"), call.region("B")
    if context.upstream == "none" or a is None or b is None:
        return
    if min(len(a.extents), len(b.extents)) < 2 or a.buffer.dtype.bits < 8:
        return
    sizes = _sizes(call, a, b)
    k = sizes.k_of_a
    if isinstance(k, Expr) or _differ(k, sizes.k_of_b) or k <= K_STEP:
        return
    unit = _FRACTAL_BYTES * 8 // a.buffer.dtype.bits
    if context.before.options.route == "pto":
        unit = K_STEP
    if int(k) % unit:
        _report_tail(call, context, int(k), unit, a)


def _report_tail(call: Call, context: CheckContext, k: int, unit: int, a: Region) -> None:
    tail = k % K_STEP
    read = -(-tail // unit) * unit
    why = (
        "upstream's template for pto reads it from an offset that is a multiple of its own length"
        if unit == K_STEP
        else f"the matrix unit takes {unit} elements of {a.buffer.dtype} at a time and multiplies "
        f"{read}, with whatever lies in L1 behind the {tail}"
    )
    context.report.add(
        "gemm-tail",
        call.op.span,
        f"K is {k}: {-(-k // K_STEP)} steps of {K_STEP}, and the last one has {tail} elements, no "
        f"multiple of {unit}",
        notes=(
            f"{why[0].upper()}{why[1:]}.",
            f"Pad K to {-(-k // unit) * unit} with zeros, or walk K in a loop with at most {K_STEP} "
            "for each gemm_v0: a single short step is right.",
        ),
        related=(Related(a.buffer.span, f"{a.buffer.name}: {shape_text(a.extents)}"),),
    )
