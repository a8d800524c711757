"""Why a buffer lies where it lies."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.ide.facts import Facts
from tl_ascend.ide.units import size
from tl_ascend.ir.nodes import Buffer, For, Placement, Stmt, While, within
from tl_ascend.ir.reasons import Place, Reason
from tl_ascend.ir.storage import ON_CHIP, buffers, placed_bytes, root
from tl_ascend.target.hardware import Memory


def reasons_of_buffer(facts: Facts, buffer: Buffer) -> Iterator[Reason]:
    """Memory, layout, share, address, life and neighbours of a buffer (of the tile under a view)."""
    yield from reasons_of_place(facts, buffer)
    own = root(buffer)
    place = facts.final.placements.get(own.uid)
    if place is not None and place.memory in ON_CHIP:
        yield from _life(facts, own)
        yield from _sharing(facts, own)


def reasons_of_place(facts: Facts, buffer: Buffer) -> Iterator[Reason]:
    """The part of it that needs no look at the statements."""
    own = root(buffer)
    place = facts.final.placements.get(own.uid)
    if place is None:
        yield facts.not_lowered(buffer.span)
        return
    span = buffer.span
    if own is not buffer:
        yield Reason("view", span, f"the bytes of {own.name}", "", (Place("made", own.span),))
    causes = () if place.scope_cause is None else (Place("used", place.scope_cause),)
    yield Reason("memory", span, place.memory.value, place.scope_reason, causes)
    if place.memory is Memory.REGISTER:
        return
    yield Reason("layout", span, place.layout, place.layout_reason)
    told = {buffer.span, own.span}
    yield from (
        r for r in facts.final.reasons if r.span in told and r.topic in ("share", "versions")
    )
    if place.memory in ON_CHIP:
        yield from _on_chip(facts, buffer, own, place)


def _on_chip(facts: Facts, buffer: Buffer, own: Buffer, place: Placement) -> Iterator[Reason]:
    span, count = buffer.span, placed_bytes(own, place)
    if place.address is not None:
        end = "" if count is None else f" to {place.address + count:,}"
        yield Reason("address", span, f"{place.address:,}{end}", place.address_reason)
    else:
        yield Reason("address", span, "none", "nothing uses it, so it gets no bytes")
    if count is not None:
        room = facts.kernel.platform.memories[place.memory].plannable
        share = f"{size(room)} ({100 * count / room:.1f} %)"
        yield Reason("size", span, f"{size(count)} of {share} that can be planned")


def _life(facts: Facts, buffer: Buffer) -> Iterator[Reason]:
    life = facts.lives.get(buffer.uid)
    if life is None:
        return
    places = [Place("first used", life.first.span), Place("last used", life.last.span)]
    why = ""
    if life.sound != life.minimal:
        why = "kept over the loop, an iteration may read what an earlier one left"
        loop = _loop(facts, life.sound)
        places += [] if loop is None else [Place("loop", loop.span)]
    yield Reason("life", buffer.span, "from first to last use", why, tuple(places))


def _loop(facts: Facts, life: tuple[int, int]) -> Stmt | None:
    """The outermost loop that ends with a life."""
    for number in range(life[0], life[1] + 1):
        stmt = facts.statements[number]
        if isinstance(stmt, (For, While)):
            if number + sum(1 for _ in within(stmt)) - 1 == life[1]:
                return stmt
    return None


def _sharing(facts: Facts, buffer: Buffer) -> Iterator[Reason]:
    """With whom a buffer shares bytes."""
    own = _bytes(facts, buffer)
    if own is None:
        return
    for other in buffers(facts.final):
        theirs = _bytes(facts, other)
        if other.uid == buffer.uid or theirs is None:
            continue
        low, high = max(own[1], theirs[1]), min(own[2], theirs[2])
        if own[0] is theirs[0] and low < high:
            text = f"bytes {low:,} to {high:,} with {other.name}"
            why, places = _why_shared(facts, buffer, other)
            yield Reason("shares", buffer.span, text, why, places)


def _bytes(facts: Facts, buffer: Buffer) -> tuple[Memory, int, int] | None:
    place = facts.final.placements.get(buffer.uid)
    size = None if place is None else placed_bytes(buffer, place)
    if place is None or place.address is None or size is None:
        return None
    return place.memory, place.address, place.address + size


def _why_shared(facts: Facts, one: Buffer, other: Buffer) -> tuple[str, tuple[Place, ...]]:
    a, b = facts.lives.get(one.uid), facts.lives.get(other.uid)
    fixed = [x.name for x in (one, other) if facts.final.placements[x.uid].fixed]
    if fixed:
        return f"T.annotate_address gives {' and '.join(fixed)} this place", ()
    if a is None or b is None:
        return "one of them is not used", ()
    first, second = (a, b) if a.minimal[0] <= b.minimal[0] else (b, a)
    places = (
        Place(f"{first.buffer.name} last used", first.last.span),
        Place(f"{second.buffer.name} first used", second.first.span),
    )
    if first.sound[1] < second.sound[0] or second.sound[1] < first.sound[0]:
        return "their lives do not meet", places
    if first.minimal[1] < second.minimal[0]:
        return (
            "one is first used behind the last use of the other, though a loop may carry it",
            places,
        )
    return "not everything fits", places
