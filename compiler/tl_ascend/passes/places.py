"""Where the statements of the text that both cores come from are in the code of each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tl_ascend.ir.nodes import Block, CoreScope, Kernel, blocks_of
from tl_ascend.passes.exchange import Address, Site, point_of, points_of, ways_out
from tl_ascend.passes.signals import AFTER, BEFORE, Spot
from tl_ascend.passes.split_cores import SEQUENCE
from tl_ascend.target.hardware import Core

_Key = tuple[Core, Address]
LAST = 1 << 30  # behind every statement of a block


@dataclass(frozen=True, slots=True)
class Places:
    """`blocks`: of each block of the text, by core, where its statements are: the place in the text
    and the address of each. `ways_out`: every `break`, on each core that has it."""

    blocks: dict[_Key, list[tuple[int, Address]]]
    ways_out: tuple[Site, ...]

    def has(self, core: Core, prefix: Address) -> bool:
        """True where a core has code of a block."""
        return (core, prefix) in self.blocks

    def spot(self, core: Core, prefix: Address, index: int | None) -> Spot | None:
        """Before a statement of a block (None: at its end), whether or not the core has it."""
        found = self.blocks.get((core, prefix))
        if found is None:
            return None
        for place, address in found if index is not None else ():
            if index is not None and place >= index:
                return Spot(BEFORE, address, (*prefix, index))
        return Spot(AFTER, found[-1][1], (*prefix, LAST))


def places_of(kernel: Kernel) -> Places | None:
    """None where the cores have no text in common."""
    if SEQUENCE not in kernel.attrs:
        return None
    points = dict(points_of(kernel.attrs[SEQUENCE], ()))
    blocks: dict[_Key, list[tuple[int, Address]]] = {}
    for at, scope in enumerate(kernel.body):
        if isinstance(scope, CoreScope):
            for prefix, place, address in _statements(scope.body, (at, 0), 1, points):
                blocks.setdefault((scope.core, prefix), []).append((place, address))
    return Places(blocks, tuple(ways_out(kernel)))


def _statements(
    block: Block, prefix: Address, depth: int, points: dict[int, Address]
) -> Iterator[tuple[Address, int, Address]]:
    """The block of the text, the place in it and the address of every statement."""
    for index, stmt in enumerate(block):
        address = (*prefix, index)
        point = point_of(stmt, depth, points)
        if point:
            yield point[:-1], point[-1], address
        for branch, inner in enumerate(blocks_of(stmt)):
            yield from _statements(inner, (*address, branch), depth + 1, points)
