"""Which buffers should share bytes where not all of them fit.

Who fills bytes must wait for whoever used them, be that in an earlier iteration. That costs least
among results of one pipe, and most where a transfer into a tile has to wait for one out of another:
then a loop cannot load what comes next while it stores. So tiles that transfers use come first to have
places of their own, and what shares takes the place with the lowest price.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import Kernel, walk_stmts
from tl_ascend.ir.storage import root, round_up
from tl_ascend.target.hardware import Capacity, Pipe

if TYPE_CHECKING:
    from tl_ascend.passes.plan_memory import Item

_IN, _OUT = Pipe.MTE2, frozenset({Pipe.MTE3, Pipe.FIX})
_IN_AND_OUT, _TO_FILL, _ELSE = 4, 2, 1  # prices


@dataclass(frozen=True, slots=True)
class Reuse:
    """When bytes are reused. `apart`: at the lowest price, not at the lowest place. `around`: buffers
    with addresses of the author's are met only where their lives begin, as upstream's planner does."""

    always: bool = False
    when_full: bool = True
    apart: bool = False
    around: bool = False

    def behind(self, item: Item, done: Iterable[Item]) -> int:
        """Where what is placed ends."""
        begun = (d for d in done if not self.around or d.start_of_life <= item.start_of_life)
        return max((d.end for d in begun), default=0)

    def wanted(self, full: bool) -> bool:
        """Whether to look for a place among what is placed."""
        return self.always or (full and self.when_full)


never, when_full, always = Reuse(when_full=False), Reuse(), Reuse(always=True)
when_full_apart = Reuse(apart=True)
around = Reuse(around=True)


def know_pipes(kernel: Kernel, items: Sequence[Item], capacity: Capacity) -> None:
    """Find the pipes of buffers that may have to share."""
    sizes = sum(round_up(max(item.size, item.whole), capacity.alignment) for item in items)
    if sizes <= capacity.plannable and not any(item.fixed for item in items):
        return
    known: dict[int, set[Pipe]] = {item.buffer.uid: set() for item in items}
    for stmt in walk_stmts(kernel.body):
        for step in effect_of(stmt).steps:
            for region in (*step.reads, *step.writes):
                known.get(root(region.buffer).uid, set()).add(step.pipe)
    for item in items:
        item.pipes = frozenset(known[item.buffer.uid])


def is_moved(item: Item) -> bool:
    """True for what transfers from or to GM use."""
    return _IN in item.pipes or bool(_OUT & item.pipes)


def price(item: Item, done: Iterable[Item], address: int) -> int:
    """What it costs to share the bytes from an address on."""
    end = address + item.size
    return sum(_price(item, d) for d in done if (d.address or 0) < end and address < d.end)


def _price(one: Item, other: Item) -> int:
    a, b = one.pipes, other.pipes
    if (_IN in a and _OUT & b) or (_IN in b and _OUT & a):
        return _IN_AND_OUT
    if _IN in a or _IN in b:
        return _TO_FILL
    return _ELSE if a != b else 0
