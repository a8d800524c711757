"""Give every tile on chip an address.

Buffers lie one behind the other in order of first use, as upstream has them; one that nothing uses
gets no bytes. With planning off, what is used in a loop and behind it counts as used where the loop
begins. With planning on, bytes are reused where not everything fits, and only there, so that
addresses stay put while there is room. Annotated addresses are kept.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tl_ascend.ir.liveness import Life, lives
from tl_ascend.ir.nodes import MEMORY_PLANNING, Buffer, Kernel, Placement
from tl_ascend.ir.storage import BLOCK, ON_CHIP, buffers, fractal_bytes, placed_bytes, round_up
from tl_ascend.passes.capacity import report_capacity, report_risky
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.template_slots import clear_of_slots
from tl_ascend.target.hardware import Capacity, Memory

Span = tuple[int, int]


@dataclass(slots=True)
class Item:
    """A buffer to place. `size` in bytes, whole blocks; `whole`: with all fractals that the matrix side
    touches, more where a tile is no multiple of them."""

    buffer: Buffer
    size: int
    life: Life
    order: int
    whole: int = 0
    address: int | None = None
    fixed: bool = False
    reason: str = ""

    @property
    def end(self) -> int:
        return (self.address or 0) + self.size

    @property
    def start_of_life(self) -> int:
        return self.life.minimal[0]


def plan_memory(kernel: Kernel, context: PassContext) -> Kernel:
    """Set the addresses of all placements on chip, and report what does not fit."""
    alive = lives(kernel)
    planned = kernel.options.on(MEMORY_PLANNING)
    changed: dict[int, Placement] = {}
    for memory in ON_CHIP:
        items = _items(kernel, memory, alive)
        if not items:
            continue
        capacity = context.platform.memories[memory]
        if planned:
            plan(items, capacity)
            report_risky(kernel, memory, _risky(items), context)
        else:
            line_up(items, capacity)
        clear_of_slots(kernel, memory, items, plan if planned else None, context)
        report_capacity(kernel, memory, items, planned, context)
        for item in items:
            changed[item.buffer.uid] = replace(
                kernel.placements[item.buffer.uid],
                address=item.address,
                address_reason=item.reason,
                fixed=item.fixed,
            )
    return kernel.with_placements(changed)


def _items(kernel: Kernel, memory: Memory, alive: dict[int, Life]) -> list[Item]:
    items = []
    for order, buffer in enumerate(buffers(kernel)):
        place = kernel.placements.get(buffer.uid)
        size = None if place is None else placed_bytes(buffer, place)
        life = alive.get(buffer.uid)
        if place is None or place.memory is not memory or size is None or life is None:
            continue
        whole = round_up(fractal_bytes(buffer, place) or size, BLOCK)
        item = Item(buffer, round_up(size, BLOCK), life, order, whole)
        if buffer.uid in kernel.addresses:
            item.address, item.fixed = kernel.addresses[buffer.uid], True
            item.reason = "as T.annotate_address says"
        items.append(item)
    return items


def line_up(items: Sequence[Item], capacity: Capacity) -> None:
    """Planning off: order of first use, behind the annotated ones, nothing shared."""
    for alignment in (capacity.alignment, BLOCK):
        cursor = max((item.end for item in items if item.fixed), default=0)
        before = ""
        for item in sorted(by_first_use(items), key=lambda item: item.life.opens):
            item.address = round_up(cursor, alignment)
            item.reason = f"behind {before}" if before else "first in this memory"
            item.reason += ", in order of first use (memory planning is off)"
            cursor, before = item.end, item.buffer.name
        if cursor <= capacity.plannable:
            return


def _risky(items: Sequence[Item]) -> list[tuple[Item, Item]]:
    """Buffers that share bytes although a loop may carry the value of the first."""
    return [
        (one, other)
        for one in items
        for other in items
        if one is not other and not one.fixed and not other.fixed and _touch(one, other)
        if one.life.sound != one.life.minimal and meet(one, other, sound=True)
    ]


def plan(items: Sequence[Item], capacity: Capacity) -> bool:
    """Planning on: True where everything fits into what can be planned. Upstream has no room for parts
    of fractals; where a kernel fits only without, it has none here either."""
    plain = [item.size for item in items]
    for item in items:
        item.size = item.whole
    if plain != [item.size for item in items]:
        if _attempts(items, capacity):
            return True
        for item, size in zip(items, plain, strict=True):
            item.size = size
    if _attempts(items, capacity):
        return True
    line_up(items, capacity)
    return False


def _attempts(items: Sequence[Item], capacity: Capacity) -> bool:
    by_use = by_first_use(items)
    by_size = sorted(by_use, key=lambda item: -item.size)
    attempts = [
        (order, reuse, sound)
        for sound in (True, False)
        for order, reuse in ((by_use, _when_full), (by_use, _always), (by_size, _always))
    ]
    for alignment in (capacity.alignment, BLOCK):
        for order, reuse, sound in attempts:
            if _place(items, order, capacity.plannable, alignment, reuse, sound):
                return True
    return False


def by_first_use(items: Sequence[Item]) -> list[Item]:
    """The buffers that are free to place."""
    loose = [item for item in items if not item.fixed]
    return sorted(loose, key=lambda item: (item.start_of_life, item.order))


_Reuse = Callable[[int, int, int], bool]


def _when_full(cursor: int, size: int, limit: int) -> bool:
    return cursor + size > limit


def _always(cursor: int, size: int, limit: int) -> bool:
    return True


def _place(
    items: Sequence[Item],
    order: Sequence[Item],
    limit: int,
    alignment: int,
    reuse: _Reuse,
    sound: bool,
) -> bool:
    """One attempt: behind everything so far, or into the lowest gap where `reuse` says so."""
    done = [item for item in items if item.fixed]
    for item in order:
        cursor = round_up(max((d.end for d in done), default=0), alignment)
        item.reason = "in order of first use"
        item.address = cursor
        if reuse(cursor, item.size, limit):
            item.address = _lowest_gap(item, done, alignment, sound)
            item.reason = _reuse_reason(item, done)
        if item.end > limit:
            return False
        done.append(item)
    return True


def _lowest_gap(item: Item, done: Sequence[Item], alignment: int, sound: bool) -> int:
    taken = sorted((d.address or 0, d.end) for d in done if meet(item, d, sound))
    address = 0
    for low, high in taken:
        if address + item.size <= low:
            break
        address = max(address, round_up(high, alignment))
    return address


def _reuse_reason(item: Item, done: Sequence[Item]) -> str:
    shared = [
        d.buffer.name for d in done if d.address is not None and _touch(item, d) and d.size > 0
    ]
    if not shared:
        return "lowest free place"
    names = ", ".join(shared[:4])
    return f"shares bytes with {names}, which hold{'s' if len(shared) == 1 else ''} nothing then"


def _touch(a: Item, b: Item) -> bool:
    return (a.address or 0) < b.end and (b.address or 0) < a.end


def meet(a: Item, b: Item, sound: bool) -> bool:
    """True where both hold something at one time."""
    x, y = (a.life.sound, b.life.sound) if sound else (a.life.minimal, b.life.minimal)
    return x[0] <= y[1] and y[0] <= x[1]
