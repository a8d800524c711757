"""Addresses that the author gives by T.annotate_address: aligned, and no two tiles at one place."""

from __future__ import annotations

from dataclasses import dataclass

from tl_ascend.checks.context import CheckContext
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.liveness import Life, lives
from tl_ascend.ir.nodes import MEMORY_PLANNING, Buffer
from tl_ascend.ir.storage import buffers, placed_bytes
from tl_ascend.target.hardware import Memory


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
        unit = context.platform.memories[item.memory].alignment
        if item.address % unit:
            context.report.add(
                "address-conflict",
                item.buffer.span,
                f"{item.buffer.name} shall lie at byte {item.address} of {item.memory.value}, which "
                f"is no multiple of {unit}",
                notes=(f"Give an address that is a multiple of {unit} bytes.",),
            )
    for at, item in enumerate(placed):
        for other in placed[at + 1 :]:
            if item.memory is other.memory and _share(item, other):
                _report(item, other, context)


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


def _report(first: _Placed, second: _Placed, context: CheckContext) -> None:
    """With planning on upstream's compiler stops; without, the author may know better."""
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
        related=(Related(first.buffer.span, f"{first.buffer.name} lies there, too"),),
        severity=Severity.ERROR if planned else Severity.INFO,
    )
