"""Say what does not fit into a memory, with the numbers and the buffers.

Over what any plan could fit is an error; so is over the physical size where the author keeps
planning off. Between what can be planned and the physical size is information, except where
upstream's planner runs, which refuses it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Applicability, Fix, Related
from tl_ascend.ir.nodes import AUTO_SYNC, MEMORY_PLANNING, Alloc, Kernel, walk_stmts
from tl_ascend.ir.storage import BLOCK
from tl_ascend.ir.text import show_shape
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.split_vector_cores import UNDIVIDED
from tl_ascend.passes.switches import switched_on
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Capacity, Memory

if TYPE_CHECKING:
    from tl_ascend.passes.plan_memory import Item

_RULES = {Memory.UB: "ub-overflow", Memory.L1: "l1-overflow"}
_MAX_NAMES = 4
_HANDED = (
    'With upstream = "none" it fits: what an operation fills can take the bytes of an operand that is '
    "used there for the last time. Upstream's planner does not do that; write into the operand."
)


def report_capacity(
    kernel: Kernel,
    memory: Memory,
    items: Sequence[Item],
    planned: bool,
    context: PassContext,
    handed: bool = False,
) -> None:
    """Report at most one finding about a memory. `handed`: our own plan fits, with buffers that take
    the bytes of operands."""
    if memory is Memory.UB and kernel.attrs.get(UNDIVIDED):
        return  # twice the sizes that the author asked for: no ground for a finding
    capacity = context.platform.memories[memory]
    top = max(item.end for item in items)
    if top <= capacity.plannable or _report_annotated(kernel, memory, items, planned, context):
        return
    peak = _peak(items)
    crowd = peak if planned else list(items)
    if planned and sum(item.size for item in peak) <= capacity.plannable:
        crowd = list(items)  # alive at one time they would fit, but no arrangement was found
    end = sum(item.size for item in crowd) if planned else top
    certain = end > capacity.physical or (planned and context.upstream != "none")
    if any(item.fixed for item in items) and _only_scratch(kernel, items, capacity.physical):
        certain = False  # the author's tiles lie where they shall; how much of the rest is used?
    crossing = _crossing(crowd, capacity)
    live = sum(item.size for item in peak)
    context.report.add(
        _RULES.get(memory, "l0-overflow"),
        _span(kernel, crossing),
        _message(memory, crowd, end, capacity, certain),
        notes=(
            *_table(crowd),
            *((_HANDED,) if handed else _advice(planned, live, capacity, certain)),
        ),
        related=tuple(
            Related(_span(kernel, item), f"{item.buffer.name}: {item.size} bytes")
            for item in crowd
            if item is not crossing
        ),
        fixes=_plan(kernel) if certain and not planned and live <= capacity.plannable else (),
        causes=tuple(("lengths", item.buffer.uid) for item in crowd) if len(crowd) == 1 else (),
        severity=Severity.ERROR if certain else Severity.INFO,
    )


def _plan(kernel: Kernel) -> tuple[Fix, ...]:
    """Switch memory planning on, where the author has not switched it off. Flags that the author set
    by hand know nothing of bytes that two buffers share."""
    meant = Applicability.SAFE if kernel.options.on(AUTO_SYNC) else Applicability.UNSAFE
    return switched_on(kernel.options, MEMORY_PLANNING, meant)


def _report_annotated(
    kernel: Kernel, memory: Memory, items: Sequence[Item], planned: bool, context: PassContext
) -> bool:
    """Report where it is for annotated addresses, not for sizes, that something does not fit."""
    capacity = context.platform.memories[memory]
    room, fixed = capacity.physical, [item for item in items if item.fixed]
    item = next((item for item in fixed if item.end > room >= item.size), None)
    if item is not None:
        text = (
            f"{item.buffer.name} shall lie at byte {item.address} of {memory.value} and takes "
            f"{item.size} bytes: it ends at byte {item.end}, behind the last one, {room}"
        )
        note = f"The last address at which it fits is {(room - item.size) // BLOCK * BLOCK}."
    else:
        loose = [item for item in items if not item.fixed and item.end > room]
        if not fixed or not loose or sum(item.size for item in items) > capacity.plannable:
            return False
        if _only_scratch(kernel, items, room):
            return False
        item = loose[0]
        text = (
            f"{item.buffer.name} takes {item.size} bytes of {memory.value}, for which the annotated "
            f"addresses of {_names(fixed)} leave no room"
        )
        note = "Without memory planning other buffers begin behind the annotated ones."
        if planned:
            note = "Annotate addresses that leave no gaps."
    span = _span(kernel, item)
    context.report.add(_RULES.get(memory, "l0-overflow"), span, text, notes=(note,))
    return True


def _only_scratch(kernel: Kernel, items: Sequence[Item], room: int) -> bool:
    """True where nothing but hidden scratch reaches beyond the memory."""
    hidden = {buffer.uid for buffer in kernel.scratch}
    return all(item.end <= room for item in items if item.buffer.uid not in hidden)


def report_risky(
    kernel: Kernel, memory: Memory, pairs: Sequence[tuple[Item, Item]], context: PassContext
) -> None:
    """Say where a plan fits only if no iteration reads what the one before left."""
    for one, other in pairs[:1]:
        context.report.add(
            _RULES.get(memory, "l0-overflow"),
            _span(kernel, one),
            f"{memory.value} is large enough only if {one.buffer.name} holds nothing from one "
            f"iteration to the next: {other.buffer.name} shares its bytes",
            notes=("Upstream's planner assumes so, too.",),
            related=(Related(_span(kernel, other), f"{other.buffer.name} lies there as well"),),
            severity=Severity.INFO,
        )


def _peak(items: Sequence[Item]) -> list[Item]:
    """The buffers that hold something at the statement where most bytes do. Annotated ones do not
    count: their author may share bytes on purpose."""
    best: list[Item] = []
    for moment in sorted({item.life.minimal[0] for item in items}):
        here = [
            item
            for item in items
            if not item.fixed
            if item.life.minimal[0] <= moment <= item.life.minimal[1]
        ]
        if sum(i.size for i in here) > sum(i.size for i in best):
            best = here
    return best


def _crossing(crowd: Sequence[Item], capacity: Capacity) -> Item:
    """The first buffer that does not fit behind those before it."""
    total = 0
    for item in crowd:
        total += item.size
        if total > capacity.plannable or item.end > capacity.plannable:
            return item
    return crowd[-1]


def _span(kernel: Kernel, item: Item) -> Span:
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, Alloc) and stmt.buffer.uid == item.buffer.uid:
            return stmt.span
    return item.buffer.span


def _names(crowd: Sequence[Item]) -> str:
    names = [item.buffer.name for item in crowd]
    if len(names) > _MAX_NAMES + 1:
        names = [*names[:_MAX_NAMES], f"{len(names) - _MAX_NAMES} more"]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _message(
    memory: Memory, crowd: Sequence[Item], total: int, capacity: Capacity, certain: bool
) -> str:
    verb = "takes" if len(crowd) == 1 else "take"
    reserved = capacity.physical - capacity.plannable
    limit = f"{capacity.plannable} can be planned"
    if reserved:
        limit += f" ({capacity.physical} less {reserved} that the runtime keeps)"
    if not certain:
        return (
            f"{_names(crowd)} {verb} {total} bytes of {memory.value}, all of its "
            f"{capacity.physical} or nearly so; of these {limit}"
        )
    return f"{_names(crowd)} {verb} {total} bytes of {memory.value}, but only {limit}"


def _table(crowd: Sequence[Item]) -> tuple[str, ...]:
    lines = []
    for item in crowd:
        buffer = item.buffer
        shape = f"{buffer.dtype}[{show_shape(buffer.shape)}]"
        hidden = ", hidden scratch" if buffer.name == "tmp_ub" else ""
        lines.append(f"{buffer.name}: {shape} = {item.size} bytes{hidden}")
    return tuple(lines)


def _advice(planned: bool, live: int, capacity: Capacity, certain: bool) -> tuple[str, ...]:
    if not certain:
        return ("On the device it works; memory planning would refuse it.",)
    if planned:
        return ()
    if live <= capacity.plannable:
        return (
            f"At one time {live} bytes are in use: it fits with "
            "tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING, which is off.",
        )
    return ()
