"""Tiles in L0A and L0B beside the slots of a template, which lie at address 0 and of which planners of
upstream know nothing: ours keeps clear of them, and what they overwrite is reported."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.nodes import Kernel
from tl_ascend.ir.slots import Wanted, wanted_behind
from tl_ascend.ir.storage import BLOCK, root, round_up
from tl_ascend.passes.context import PassContext
from tl_ascend.target.hardware import Capacity, Memory

if TYPE_CHECKING:
    from tl_ascend.passes.plan_memory import Item

Plan = Callable[[Sequence["Item"], Capacity], bool]


def clear_of_slots(
    kernel: Kernel, memory: Memory, items: Sequence[Item], plan: Plan | None, context: PassContext
) -> None:
    """`items`: as placed; `plan`: places them anew, None where the author or the order decides."""
    if memory not in (Memory.L0A, Memory.L0B):
        return
    by_uid = {item.buffer.uid: item for item in items}
    wanted = [
        w
        for w in wanted_behind(kernel, dict.fromkeys(by_uid, memory))
        if (by_uid[root(w.region.buffer).uid].address or 0) < w.bytes
    ]
    if not wanted:
        return
    before = {w.read.span: by_uid[root(w.region.buffer).uid].address or 0 for w in wanted}
    capacity = context.platform.memories[memory]
    moved = plan is not None and _beside(items, wanted, by_uid, capacity, plan)
    if moved and context.upstream == "none":
        return
    for one in wanted:
        item = by_uid[root(one.region.buffer).uid]
        _report(one, item, before[one.read.span], moved, capacity, context)


def _beside(
    items: Sequence[Item],
    wanted: Sequence[Wanted],
    by_uid: dict[int, Item],
    capacity: Capacity,
    plan: Plan,
) -> bool:
    """Place everything with the slots as tiles at address 0 that live as long as what is wanted."""
    slots = []
    for one in wanted:
        item = by_uid[root(one.region.buffer).uid]
        size = round_up(one.bytes, BLOCK)
        name = f"the slots of {one.call.op}"
        buffer = replace(item.buffer, name=name)
        slots.append(replace(item, buffer=buffer, size=size, whole=size, address=0, fixed=True))
    if not any(by_uid[root(w.region.buffer).uid].fixed for w in wanted):
        if plan([*slots, *items], capacity):
            return True
        plan(items, capacity)
    return False


def _report(
    one: Wanted, item: Item, address: int, moved: bool, capacity: Capacity, context: PassContext
) -> None:
    name, memory, end = item.buffer.name, one.memory.value, address + item.size
    whose = "upstream's compiler puts " if moved else ""
    lies = "at" if moved else "lies at"
    context.report.add(
        "l0-overflow",
        one.call.span,
        f"{one.call.op} overwrites {name}, which is read behind it: its template takes bytes 0 to "
        f"{one.bytes} of {memory}, and {whose}{name} {lies} {address} to {end}",
        notes=(_advice(one, item, capacity),),
        related=(
            Related(one.read.span, f"reads {name} as it was before"),
            Related(item.buffer.span, f"{name} is allocated here"),
        ),
    )


def _advice(one: Wanted, item: Item, capacity: Capacity) -> str:
    name, free = item.buffer.name, round_up(one.bytes, capacity.alignment)
    if free + item.size <= capacity.physical:
        return f"Put {name} behind the slots: T.annotate_address({{{name}: {free}}})."
    return (
        f"{name} has {item.size} bytes and {one.memory.value} {capacity.physical}: both do not fit. "
        f"Fill {name} again behind the call, or call it when {name} holds nothing any more."
    )
