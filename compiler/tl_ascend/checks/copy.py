"""Rules of T.copy: extents that can be deduced and fit, a data path that exists."""

from __future__ import annotations

from tl_ascend.checks.causes import lying_in, of_fewer_dimensions, of_two_types, resized, retyped
from tl_ascend.checks.context import Call, CheckContext, count, shape_text
from tl_ascend.checks.copy_parts import stated_parts
from tl_ascend.diagnostics.report import Edit, Fix, Related
from tl_ascend.ir.affine import interval, same
from tl_ascend.ir.expr import Expr, Scalar
from tl_ascend.ir.geometry import CopyFault, is_one, resolve_copy
from tl_ascend.ir.nodes import Region
from tl_ascend.ir.text import show_region
from tl_ascend.target.conversions import OUT_OF_L0C, PLATFORMS
from tl_ascend.target.hardware import Memory

_NAMES = {Memory.GM: "GM", Memory.UB: "the UB"}


def copy_extents(call: Call, context: CheckContext) -> None:
    """The extents of both sides follow from what was written, and agree."""
    source, target = call.arg("src"), call.arg("dst")
    if not isinstance(source, Region) or not isinstance(target, Region):
        return
    # Only a plain copy compares the shapes of whole buffers.
    loose = call.row.name != "copy" or call.arg("transpose") is True
    resolved = resolve_copy(source, target, loose)
    if resolved is CopyFault.PARTIAL_SOURCE:
        _partial_index(source, context)
    elif resolved is CopyFault.PARTIAL_TARGET:
        _partial_index(target, context)
    elif resolved is CopyFault.NO_EXTENTS and _has_path(call, source, target, context):
        context.report.add(
            "copy-shape",
            call.op.span,
            f"{show_region(source)} and {show_region(target)} are single elements: neither side "
            "says how much to copy",
            notes=("Give a slice or a whole buffer on one side; the other takes its extents.",),
        )
    elif resolved is CopyFault.SHAPES_DIFFER:
        _shapes_differ(call, source, target, context)
    elif isinstance(resolved, tuple) and not _fit(call, *resolved, context):
        stated_parts(call, source, target, context)


def _partial_index(region: Region, context: CheckContext) -> None:
    buffer = region.buffer
    given, rank = len(region.starts), buffer.rank
    rest = ", ".join([":"] * (rank - given))
    full = f"{show_region(region)[:-1]}, {rest}]"
    # The text of an index is rebuilt from its value: only where that is what the author wrote.
    simple = all(not isinstance(s, Expr) for s in (*region.starts, *region.extents))
    fix = Fix(f"Write {full}", (Edit(region.span, full),)) if simple else None
    context.report.add(
        "copy-shape",
        region.span,
        f"{buffer.name} is {rank}-dimensional, {shape_text(buffer.shape)}, and is given "
        f"{count(given, 'index')}: every dimension needs one",
        notes=(f"For the whole of the remaining dimensions write {full}.",),
        fixes=(fix,) if fix else (),
    )


def _shapes_differ(call: Call, source: Region, target: Region, context: CheckContext) -> None:
    a, b = source.buffer, target.buffer
    context.report.add(
        "copy-shape",
        call.op.span,
        f"{a.name} has the shape {shape_text(a.shape)} and {b.name} {shape_text(b.shape)}: two "
        "whole buffers must have the same shape",
        notes=("Give a slice or a corner, such as A[i, 0], where the shapes differ.",),
        related=(
            Related(a.span, f"{a.name}: {shape_text(a.shape)}"),
            Related(b.span, f"{b.name}: {shape_text(b.shape)}"),
        ),
        causes=(*resized(source, b.shape), *resized(target, a.shape)),
    )


def _fit(call: Call, source: Region, target: Region, context: CheckContext) -> bool:
    """True where something is told."""
    told = len(context.report.findings)
    sides = [(source, target), (target, source)]
    for outside, inside in sides:
        if context.memory(outside) is Memory.GM and context.memory(inside) is not Memory.GM:
            if not _too_many_axes(call, outside, inside, context):
                _too_large(call, outside, inside, context)
                _too_wide(call, outside, inside, context)
    return len(context.report.findings) > told


def _too_many_axes(call: Call, outside: Region, inside: Region, context: CheckContext) -> bool:
    axes = [e for e in outside.extents if not is_one(e) and not isinstance(e, Expr)]
    if len(axes) <= 2:
        return False
    context.report.add(
        "copy-shape",
        call.op.span,
        f"{show_region(outside)} has {len(axes)} extents above 1, {shape_text(tuple(axes))}; a "
        "copy moves at most two dimensions",
        notes=("The transfer has rows and columns only. Put the copy into a loop over the rest.",),
        causes=(of_fewer_dimensions(inside),),
    )
    return True


def _too_large(call: Call, outside: Region, inside: Region, context: CheckContext) -> None:
    moved, room = _least_moved(outside), 1
    for extent in inside.extents:
        if isinstance(extent, Expr):
            return
        room *= int(extent)
    if moved is None or moved <= room:
        return
    context.report.add(
        "copy-shape",
        call.op.span,
        f"{show_region(outside)} selects {moved} elements, {shape_text(outside.extents)}, but "
        f"{show_region(inside)} has {room}, {shape_text(inside.extents)}",
        related=(Related(inside.buffer.span, f"{inside.buffer.name}: {room} elements"),),
        causes=(*resized(inside, outside.extents), *resized(outside, inside.extents)),
    )


def _too_wide(call: Call, outside: Region, inside: Region, context: CheckContext) -> None:
    """Of the same number of rows, whatever that is, each one is longer than those of the tile."""
    axes = _real_axes(outside), _real_axes(inside)
    if call.row.name == "copy" and call.arg("transpose") is True:
        return
    if len(axes[0]) != len(axes[1]) or all(not isinstance(e, Expr) for _, e in axes[0]):
        return
    pairs = [(at, a, b) for (at, a), (_, b) in zip(*axes, strict=True) if not same(a, b)]
    if len(pairs) != 1:
        return
    ((at, moved, room),) = pairs
    if isinstance(moved, Expr) or isinstance(room, Expr) or _clipped(outside, at) <= room:
        return
    context.report.add(
        "copy-shape",
        call.op.span,
        f"{show_region(outside)} has {moved} elements along dimension {at}, but "
        f"{show_region(inside)} has {room}",
        related=(
            Related(inside.buffer.span, f"{inside.buffer.name}: {shape_text(inside.buffer.shape)}"),
        ),
        causes=(*resized(inside, outside.extents), *resized(outside, inside.extents)),
    )


def _real_axes(region: Region) -> list[tuple[int, Scalar]]:
    return [(at, extent) for at, extent in enumerate(region.extents) if not is_one(extent)]


def _clipped(region: Region, at: int) -> int:
    """How many elements are surely moved along an axis: at the lowest start."""
    extent, full, low = region.extents[at], region.buffer.shape[at], interval(region.starts[at])[0]
    if isinstance(extent, Expr) or isinstance(full, Expr) or low is None:
        return 0
    return max(0, min(int(extent), int(full) - low))


def _least_moved(region: Region) -> int | None:
    """How many elements are moved at the lowest start, which some iteration surely takes."""
    moved = 1
    for start, extent, full in zip(region.starts, region.extents, region.buffer.shape, strict=True):
        low = interval(start)[0]
        if isinstance(extent, Expr) or isinstance(full, Expr) or low is None:
            return None
        moved *= max(0, min(int(extent), int(full) - low))
    return moved


def copy_path(call: Call, context: CheckContext) -> None:
    """The two memories are joined by a data path, or by a way through GM that we lower."""
    source, target = call.arg("src"), call.arg("dst")
    if not isinstance(source, Region) or not isinstance(target, Region):
        return
    a, b = context.memory(source), context.memory(target)
    if a is None or b is None or _has_path(call, source, target, context):
        return
    paths = [form.memories for form in call.row.forms if form.memories]
    sources = [one for one, other in paths if other is b]
    targets = [other for one, other in paths if one is a]
    ways = [memory.value for memory in targets]
    context.report.add(
        "copy-scope",
        call.op.span,
        f"{_no_path(a, b)} from {_NAMES.get(a, a.value)} ({source.buffer.name}) to "
        f"{_NAMES.get(b, b.value)} ({target.buffer.name})",
        notes=(
            f"From {_NAMES.get(a, a.value)} a tile can go to {_any_of(ways)}."
            if ways
            else f"No copy starts in {a.value}.",
        ),
        related=tuple(
            Related(r.buffer.span, f"{r.buffer.name} lies in {m.value}")
            for r, m in ((source, a), (target, b))
        ),
        causes=(*lying_in(source, *sources), *lying_in(target, *targets)),
    )


def _no_path(source: Memory, target: Memory) -> str:
    """Out of L0C the hardware reaches L1 too, by a call that no row has."""
    if (source, target) == (Memory.L0C, Memory.L1):
        return "T.copy does not lead"
    return "no data path leads"


def _has_path(call: Call, source: Region, target: Region, context: CheckContext) -> bool:
    """False where `copy_path` tells that there is none."""
    ends = context.memory(source), context.memory(target)
    return None in ends or any(form.memories == ends for form in call.row.forms)


# Ways that convert from one element type to another: the vector unit, and the way out of L0C.
_CONVERTING = (Memory.UB, Memory.L0C)
_ROUNDED = ("float16", "bfloat16")


def copy_types(call: Call, context: CheckContext) -> None:
    """Transfers between GM and a core, and within the cube core, move bytes as they are."""
    source, target = call.arg("src"), call.arg("dst")
    if not isinstance(source, Region) or not isinstance(target, Region):
        return
    a, b = context.memory(source), context.memory(target)
    kinds = source.buffer.dtype, target.buffer.dtype
    if a is None or b is None or kinds[0] == kinds[1] or "bool" in [k.name for k in kinds]:
        return
    if (a, b) == (Memory.L0C, Memory.GM):
        _out_of_l0c(call, source, target, context)
    if a is Memory.L0C or (a in _CONVERTING and b in _CONVERTING):
        return
    names = source.buffer.name, target.buffer.name
    context.report.add(
        "dtype-unsupported",
        call.op.span,
        f"{names[0]} holds {kinds[0]} and {names[1]} {kinds[1]}: a transfer from {a.value} to "
        f"{b.value} does not convert",
        notes=("Copies within the UB and out of L0C convert: copy once more, within the UB.",),
        related=tuple(Related(r.buffer.span, r.buffer.name) for r in (source, target)),
        causes=(*of_two_types(source, target), *lying_in(source, *_converting_to(target, b))),
    )


def _out_of_l0c(call: Call, source: Region, target: Region, context: CheckContext) -> None:
    """The way out of L0C rounds sums of floats, and nothing else. A tile of another type is told where
    it is computed."""
    first, last = source.buffer.dtype.name, target.buffer.dtype.name
    sums = {one for one, _ in OUT_OF_L0C}
    if context.platform.name not in PLATFORMS or (first, last) in OUT_OF_L0C or first not in sums:
        return
    context.report.add(
        "dtype-unsupported",
        call.op.span,
        f"{source.buffer.name} holds {first} and {target.buffer.name} {last}: the way out of "
        "L0C makes float16 and bfloat16 of float32, and converts nothing else",
        notes=("Copy to a tile in the UB, and convert there.",),
        related=tuple(Related(r.buffer.span, r.buffer.name) for r in (source, target)),
        causes=(
            *retyped(source, *(one for one, other in sorted(OUT_OF_L0C) if other == last)),
            *retyped(target, *(other for one, other in sorted(OUT_OF_L0C) if one == first)),
        ),
    )


def _converting_to(target: Region, memory: Memory) -> tuple[Memory, ...]:
    """Where a tile ought to lie for its copy to convert."""
    if memory is Memory.UB:
        return (Memory.UB,)
    return (Memory.L0C,) if memory is Memory.GM and target.buffer.dtype.name in _ROUNDED else ()


def atomic_path(call: Call, context: CheckContext) -> None:
    """Additions go from a tile of the core to GM, and do not convert."""
    source, target = call.arg("src"), call.arg("dst")
    if not isinstance(source, Region) or not isinstance(target, Region):
        return
    for region, name, right in (
        (target, "dst", context.memory(target) in (Memory.GM, None)),
        (source, "src", context.memory(source) in (Memory.UB, Memory.L0C, None)),
    ):
        if not right:
            where = context.memory(region)
            assert where is not None
            context.report.add(
                "copy-scope",
                region.span,
                f"{name} of {call.name} lies in {_NAMES.get(where, where.value)} "
                f"({region.buffer.name}): a tile in the UB or L0C is added to one in GM",
            )
    if source.buffer.dtype != target.buffer.dtype:
        context.report.add(
            "dtype-unsupported",
            call.op.span,
            f"{source.buffer.name} holds {source.buffer.dtype} and {target.buffer.name} "
            f"{target.buffer.dtype}: {call.name} does not convert",
            causes=of_two_types(source, target),
        )
        return
    _added_type(call, source, target, context)


def _added_type(call: Call, source: Region, target: Region, context: CheckContext) -> None:
    """The element type is one that the way to GM adds."""
    ends, kind = (context.memory(source), context.memory(target)), source.buffer.dtype.name
    for form in call.row.forms:
        allowed = form.dtypes.get(context.platform.name)
        if form.memories != ends or allowed is None or kind in allowed:
            continue
        context.report.add(
            "dtype-unsupported",
            source.span,
            f"{source.buffer.name} holds {kind}; on {context.platform.name} {call.name} takes "
            f"{', '.join(sorted(allowed))}",
            related=(Related(source.buffer.span, f"{source.buffer.name}: {kind}"),),
            causes=retyped(source, *sorted(allowed)),
        )


def _any_of(names: list[str]) -> str:
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} or {names[-1]}"
