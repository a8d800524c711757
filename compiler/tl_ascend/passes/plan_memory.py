"""Give every tile on chip an address.

Buffers lie one behind the other in order of first use, as upstream has them; one that nothing uses
gets no bytes. With planning off, what is used in a loop and behind it counts as used where the loop
begins. With planning on, bytes are reused where not everything fits, and only there, so that
addresses stay put while there is room, by such as cost little order among them (`plan_reuse`). Where
that does not suffice, what an operation fills takes the bytes of an operand that dies in it, which
upstream's planner never does. Annotated addresses are kept. A tile that is no multiple of a fractal
has room for whole ones, as far as they fit: the matrix side writes these.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tl_ascend.ir.handing import hands_on
from tl_ascend.ir.liveness import Life, lives
from tl_ascend.ir.nodes import MEMORY_PLANNING, Buffer, Kernel, Placement
from tl_ascend.ir.storage import BLOCK, ON_CHIP, buffers, fractal_bytes, placed_bytes, round_up
from tl_ascend.passes.capacity import report_capacity, report_risky
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.plan_reuse import (
    Reuse,
    always,
    around,
    is_moved,
    know_pipes,
    never,
    price,
    when_full,
    when_full_apart,
)
from tl_ascend.passes.template_slots import clear_of_slots
from tl_ascend.target.hardware import Capacity, Memory, Pipe

Span = tuple[int, int]

INSISTENCE = 40  # attempts before a plan is given up


@dataclass(slots=True)
class Item:
    """A buffer to place. `size` in bytes, whole blocks; `whole`: with all fractals that the matrix side
    touches, more where a tile is no multiple of them; `pipes`: that use it, once that matters."""

    buffer: Buffer
    size: int
    life: Life
    order: int
    whole: int = 0
    address: int | None = None
    fixed: bool = False
    reason: str = ""
    pipes: frozenset[Pipe] = frozenset()

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
            know_pipes(kernel, items, capacity)
            _plan(kernel, memory, items, context)
        else:
            line_up(items, capacity)
            report_capacity(kernel, memory, items, planned, context)
        clear_of_slots(kernel, memory, items, plan if planned else None, context)
        for item in items:
            changed[item.buffer.uid] = replace(
                kernel.placements[item.buffer.uid],
                address=item.address,
                address_reason=item.reason,
                fixed=item.fixed,
            )
    return kernel.with_placements(changed)


def has_room(kernel: Kernel, memory: Memory, context: PassContext) -> bool:
    """True where everything in a memory would get an address. The kernel is lowered up to here."""
    items, capacity = _items(kernel, memory, lives(kernel)), context.platform.memories[memory]
    if not items:
        return True
    if kernel.options.on(MEMORY_PLANNING):
        know_pipes(kernel, items, capacity)
        handing = context.upstream == "none"
        return plan(items, capacity) or (handing and plan(items, capacity, handing=True))
    line_up(items, capacity)
    return max(item.end for item in items) <= capacity.plannable


def _plan(kernel: Kernel, memory: Memory, items: Sequence[Item], context: PassContext) -> None:
    """Addresses with planning on, and what is to be said about them."""
    capacity = context.platform.memories[memory]
    fits = plan(items, capacity)
    lined_up = [(item.address, item.reason) for item in items]
    handed = not fits and plan(items, capacity, handing=True)
    if handed and context.upstream == "none":
        report_risky(kernel, memory, _risky(items), context)
        return
    own = [(item.address, item.reason) for item in items]
    _set(items, lined_up)
    report_risky(kernel, memory, _risky(items), context)
    report_capacity(kernel, memory, items, True, context, handed)
    _set(items, own)


def declared_addresses(kernel: Kernel, memory: Memory, capacity: Capacity) -> dict[int, int | None]:
    """Where upstream puts the buffers of a memory, by uid: by their declared bytes, one behind the
    other. Nothing, where they do not fit so, and bytes would be shared or are not there."""
    items = _items(kernel, memory, lives(kernel))
    planned = kernel.options.on(MEMORY_PLANNING)
    end = _line_up(items, [item.size for item in items], BLOCK, planned)
    return {item.buffer.uid: item.address for item in items} if end <= capacity.plannable else {}


def _set(items: Sequence[Item], places: Sequence[tuple[int | None, str]]) -> None:
    for item, (address, reason) in zip(items, places, strict=True):
        item.address, item.reason = address, reason


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
    """Planning off: order of first use, behind the annotated ones, nothing shared; with room for whole
    fractals where that fits, which upstream leaves to chance."""
    for whole in (True, False):
        sizes = [item.whole if whole else item.size for item in items]
        for alignment in (capacity.alignment, BLOCK):
            if _line_up(items, sizes, alignment) <= capacity.plannable:
                return


def _line_up(
    items: Sequence[Item], sizes: Sequence[int], alignment: int, planned: bool = False
) -> int:
    """Place them; where the last one ends."""
    taken = {id(item): size for item, size in zip(items, sizes, strict=True)}
    ends = [(item.address or 0) + taken[id(item)] for item in items if item.fixed]
    cursor, before = max(ends, default=0), ""
    order = by_first_use(items)
    for item in order if planned else sorted(order, key=lambda item: item.life.opens):
        item.address = round_up(cursor, alignment)
        item.reason = f"behind {before}" if before else "first in this memory"
        item.reason += ", in order of first use (memory planning is off)"
        cursor, before = item.address + taken[id(item)], item.buffer.name
    return cursor


def _risky(items: Sequence[Item]) -> list[tuple[Item, Item]]:
    """Buffers that share bytes although a loop may carry the value of the first."""
    return [
        (one, other)
        for one in items
        for other in items
        if one is not other and not one.fixed and not other.fixed and _touch(one, other)
        if one.life.sound != one.life.minimal and meet(one, other, sound=True)
        if one.address != other.address or not _handed(one, other)
    ]


def plan(items: Sequence[Item], capacity: Capacity, handing: bool = False) -> bool:
    """Planning on: True where everything fits into what can be planned. Upstream has no room for parts
    of fractals; where a kernel fits only without, it has none here either. `handing`: a buffer may
    take the bytes of one that dies as it is filled."""
    plain = [item.size for item in items]
    for item in items:
        item.size = item.whole
    if plain != [item.size for item in items]:
        if _attempts(items, capacity, handing):
            return True
        for item, size in zip(items, plain, strict=True):
            item.size = size
    if _attempts(items, capacity, handing):
        return True
    line_up(items, capacity)
    return False


def _attempts(items: Sequence[Item], capacity: Capacity, handing: bool) -> bool:
    by_use = by_first_use(items)
    by_size = sorted(by_use, key=lambda item: -item.size)
    moved_first = sorted(by_use, key=lambda item: not is_moved(item))
    attempts = [
        (order, reuse, sound)
        for sound in (True, False)
        for order, reuse in (
            (by_use, never),
            (moved_first, when_full_apart),
            (by_use, when_full),
            (by_use, around),
            (by_use, always),
            (by_size, always),
        )
    ]
    limit = capacity.plannable
    for alignment in (capacity.alignment, BLOCK):
        for order, reuse, sound in attempts:
            if _without_place(items, order, limit, _Fit(alignment, sound, handing), reuse) is None:
                return True
    return any(
        _insist(items, by_size, limit, _Fit(BLOCK, sound, handing)) for sound in (True, False)
    )


def _insist(items: Sequence[Item], order: Sequence[Item], limit: int, fit: _Fit) -> bool:
    """Attempts in which what found no place comes first the next time."""
    for _ in range(INSISTENCE):
        failed = _without_place(items, order, limit, fit, always)
        if failed is None:
            return True
        order = [failed, *(item for item in order if item is not failed)]
    return False


def by_first_use(items: Sequence[Item]) -> list[Item]:
    """The buffers that are free to place."""
    loose = [item for item in items if not item.fixed]
    return sorted(loose, key=lambda item: (item.start_of_life, item.order))


@dataclass(frozen=True, slots=True)
class _Fit:
    """What decides whether a buffer may lie somewhere."""

    alignment: int
    sound: bool
    handing: bool

    def apart(self, item: Item, other: Item, address: int) -> bool:
        """True where the two never hold something at one time, or one hands its bytes on."""
        if not meet(item, other, self.sound):
            return True
        return self.handing and address == other.address and _handed(item, other)

    def free(self, item: Item, done: Sequence[Item], address: int) -> bool:
        """True where nothing is in the way."""
        end = address + item.size
        near = [d for d in done if (d.address or 0) < end and address < d.end]
        return all(self.apart(item, d, address) for d in near)


def _handed(one: Item, other: Item) -> bool:
    if one.fixed or other.fixed or one.size != other.size:
        return False
    return hands_on(one.life, other.life) or hands_on(other.life, one.life)


def _without_place(
    items: Sequence[Item], order: Sequence[Item], limit: int, fit: _Fit, reuse: Reuse
) -> Item | None:
    """One attempt: behind everything so far, or into a gap where `reuse` says so. What does not fit."""
    done = [item for item in items if item.fixed]
    for item in order:
        cursor = round_up(reuse.behind(item, done), fit.alignment)
        item.reason = "in order of first use"
        if reuse.apart and is_moved(item):
            item.reason += " of what transfers use"
        item.address = cursor
        blocked = reuse.around and not fit.free(item, done, cursor)
        if reuse.wanted(cursor + item.size > limit or blocked):
            gaps = _gaps(item, done, fit, limit) if reuse.apart else ()
            item.address = min(gaps, key=lambda gap: price(item, done, gap), default=None)
            if item.address is None:
                item.address = _lowest_gap(item, done, fit)
            item.reason = _reuse_reason(item, done)
        if item.end > limit:
            return item
        done.append(item)
    return None


def _gaps(item: Item, done: Sequence[Item], fit: _Fit, limit: int) -> list[int]:
    """The places where it may lie, from the lowest on."""
    ends = (round_up(d.end, fit.alignment) for d in done)
    places = sorted({0, *ends, *(d.address or 0 for d in done)})
    return [at for at in places if at + item.size <= limit and fit.free(item, done, at)]


def _lowest_gap(item: Item, done: Sequence[Item], fit: _Fit) -> int:
    partners = [d for d in done if fit.handing and meet(item, d, fit.sound) and _handed(item, d)]
    for address in sorted(d.address or 0 for d in partners):
        if fit.free(item, done, address):
            return address
    taken = sorted((d.address or 0, d.end) for d in done if meet(item, d, fit.sound))
    address = 0
    for low, high in taken:
        if address + item.size <= low:
            break
        address = max(address, round_up(high, fit.alignment))
    return address


def _reuse_reason(item: Item, done: Sequence[Item]) -> str:
    shared = [
        d.buffer.name for d in done if d.address is not None and _touch(item, d) and d.size > 0
    ]
    if not shared:
        return "lowest free place"
    giver = next((d for d in done if d.address == item.address and _handed(item, d)), None)
    if giver is not None and meet(item, giver, sound=False):
        return f"takes the bytes of {giver.buffer.name}, whose last use fills it"
    names = ", ".join(shared[:4])
    return f"shares bytes with {names}, which hold{'s' if len(shared) == 1 else ''} nothing then"


def _touch(a: Item, b: Item) -> bool:
    return (a.address or 0) < b.end and (b.address or 0) < a.end


def meet(a: Item, b: Item, sound: bool) -> bool:
    """True where both hold something at one time."""
    x, y = (a.life.sound, b.life.sound) if sound else (a.life.minimal, b.life.minimal)
    return x[0] <= y[1] and y[0] <= x[1]
