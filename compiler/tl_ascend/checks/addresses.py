"""Addresses that the author gives by T.annotate_address: aligned, and no two tiles at one place."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tl_ascend.checks.context import CheckContext
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.liveness import Life, fills, lives
from tl_ascend.ir.nodes import MEMORY_PLANNING, Buffer, Kernel, Stmt, TileOp, walk_stmts
from tl_ascend.ir.overwritten import Written, overwritten, written_by
from tl_ascend.ir.storage import buffers, elements, placed_bytes, root
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Memory

# Bytes that a vector operation takes at a time.
REPEAT = 256

# For two buffers, by uid: where what is read of one was overwritten.
_Spoilt = dict[frozenset[int], tuple[Related, ...]]


@dataclass(frozen=True, slots=True)
class _Placed:
    """A buffer with an annotated address. `end`: behind its last byte."""

    buffer: Buffer
    memory: Memory
    address: int
    end: int
    life: Life


def annotated_addresses(context: CheckContext) -> None:
    """Each starts where its memory allows it, and bytes belong to one live buffer at a time."""
    kernel = context.after
    if not kernel.addresses:
        return
    placed = _placed(context)
    for item in placed:
        capacity = context.platform.memories[item.memory]
        unit = capacity.alignment
        if item.address % unit and item.end <= capacity.physical:  # the end is told as such
            context.report.add(
                "address-conflict",
                item.buffer.span,
                f"{item.buffer.name} shall lie at byte {item.address} of {item.memory.value}, which "
                f"is no multiple of {unit}",
                notes=(f"Give an address that is a multiple of {unit} bytes.",),
            )
    spoilt = _spoilt(placed, context)
    for at, item in enumerate(placed):
        for other in placed[at + 1 :]:
            if item.memory is other.memory and _share(item, other):
                uids = frozenset((item.buffer.uid, other.buffer.uid))
                _report(item, other, spoilt.get(uids, ()), context)


def _placed(context: CheckContext) -> list[_Placed]:
    kernel, found = context.after, []
    alive = lives(kernel)
    for buffer in buffers(kernel):
        place, life = kernel.placements.get(buffer.uid), alive.get(buffer.uid)
        if buffer.uid not in kernel.addresses or place is None or life is None:
            continue
        size, address = placed_bytes(buffer, place), kernel.addresses[buffer.uid]
        if size is not None and isinstance(address, int):
            found.append(_Placed(buffer, place.memory, address, address + size, life))
    return found


def _share(a: _Placed, b: _Placed) -> bool:
    together = a.life.minimal[0] <= b.life.minimal[1] and b.life.minimal[0] <= a.life.minimal[1]
    return together and a.address < b.end and b.address < a.end


def _spoilt(placed: Sequence[_Placed], context: CheckContext) -> _Spoilt:
    """The pairs of which one certainly overwrites what is read of the other: they overlap in part (a
    tile within another one may be a view of it)."""
    beside = {
        a.buffer.uid: frozenset(
            b.buffer.uid for b in placed if a.memory is b.memory and _in_part(a, b)
        )
        for a in placed
    }
    by_uid = {item.buffer.uid: item for item in placed}
    found: _Spoilt = {}
    for stmt in walk_stmts(context.before.body):
        pair = _ahead(stmt, by_uid)
        if pair is not None:
            found[pair] = (Related(stmt.span, "writes ahead of what it reads"),)
    return (_in_turn(context.before, beside) if any(beside.values()) else {}) | found


def _in_turn(kernel: Kernel, beside: Mapping[int, frozenset[int]]) -> _Spoilt:
    """What one statement writes, another overwrites, and a third reads. `beside`: what a write of a
    buffer overwrites a part of."""

    def spoils(stmt: Stmt, written: Mapping[int, Written]) -> Iterator[int]:
        for region in effect_of(stmt).writes:
            for uid in beside.get(region.buffer.uid, ()) if fills(region) else ():
                tile = written.get(uid)
                if tile is not None and tile.by is not stmt and _whole(tile):
                    yield uid

    def may_spoil(stmt: Stmt) -> bool:
        return any(beside.get(region.buffer.uid) for region in effect_of(stmt).writes)

    found: _Spoilt = {}
    for one in overwritten(kernel, spoils, may_spoil):
        mine = root(one.region.buffer)
        for uid, buffer in written_by((one.by,)).items():
            if uid in beside[mine.uid]:
                story = (
                    Related(one.by.span, f"overwrites a part of {mine.name} with {buffer.name}"),
                    Related(one.read.span, f"reads {mine.name} as it was before"),
                )
                found.setdefault(frozenset((mine.uid, uid)), story)
    return found


def _in_part(a: _Placed, b: _Placed) -> bool:
    """True where bytes are common, and each has some of its own."""
    low, high = sorted((a, b), key=lambda item: item.address)
    return low.address < high.address < low.end < high.end


def _whole(tile: Written) -> bool:
    return any(fills(r) for r in effect_of(tile.by).writes if r.buffer is tile.buffer)


def _ahead(stmt: Stmt, placed: Mapping[int, _Placed]) -> frozenset[int] | None:
    """The pair of tiles of a vector operation that goes from front to back, element by element, and
    writes to bytes that it reads later."""
    row = TABLE.get(stmt.op) if isinstance(stmt, TileOp) else None
    if row is None or not {"same_size", "copy_path", "converted_types"} & set(row.checks):
        return None
    effect = effect_of(stmt)
    for target in effect.writes:
        for source in effect.reads:
            a, b = placed.get(source.buffer.uid), placed.get(target.buffer.uid)
            if a is None or b is None or not (fills(source) and fills(target)):
                continue
            if a.memory is b.memory is Memory.UB and _behind(a, b):
                return frozenset((a.buffer.uid, b.buffer.uid))
    return None


def _behind(a: _Placed, b: _Placed) -> bool:
    """True where elements of the second tile lie on later ones of the first; where they are converted,
    on such as another repeat reads."""
    sizes = a.buffer.dtype.bits // 8, b.buffer.dtype.bits // 8
    if sizes[0] == sizes[1]:
        return a.address < b.address and _in_part(a, b) and a.end - a.address > REPEAT
    if 0 in sizes or b.address >= a.end:
        return False
    count = elements(a.buffer.shape) or 1
    last = min(count, (a.end - b.address - 1) // sizes[1]) - 1
    ahead = (b.address - a.address + at * (sizes[1] - sizes[0]) for at in (0, max(last, 0)))
    return max(ahead) >= REPEAT


def _report(
    first: _Placed, second: _Placed, story: tuple[Related, ...], context: CheckContext
) -> None:
    """With planning on upstream's compiler stops; without, the author may know better, unless what is
    read is certainly overwritten."""
    planned = context.after.options.on(MEMORY_PLANNING) and context.upstream != "none"
    low, high = max(first.address, second.address), min(first.end, second.end)
    context.report.add(
        "address-conflict",
        second.buffer.span,
        f"{second.buffer.name} and {first.buffer.name} both hold something in bytes {low} to {high} of "
        f"{first.memory.value}",
        notes=(
            f"{first.buffer.name}: {first.address} to {first.end}",
            f"{second.buffer.name}: {second.address} to {second.end}",
        ),
        related=(Related(first.buffer.span, f"{first.buffer.name} lies there, too"), *story),
        severity=Severity.ERROR if planned or story else Severity.INFO,
    )
