"""From which statement to which a buffer holds something that is still wanted.

Statements are numbered in source order. Two answers, because neither alone serves: `minimal` counts
first use to last use and stretches over a loop only where a use lies deeper than the first; `sound`
also stretches over a loop when an iteration may read what an earlier one left in the buffer.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from tl_ascend.ir.affine import same
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import (
    Block,
    Buffer,
    CoreScope,
    For,
    Kernel,
    Region,
    Stmt,
    While,
    blocks_of,
)
from tl_ascend.ir.storage import root
from tl_ascend.source.span import Span


@dataclass(frozen=True, slots=True)
class Life:
    """Closed intervals of statement numbers, and the statements of first and last use. `opens`: the
    statement that holds the first use, in the innermost block that holds all of them; a loop
    that was cut into several is none. `again`: an iteration behind the last use may use it again."""

    buffer: Buffer
    opens: int
    minimal: tuple[int, int]
    sound: tuple[int, int]
    first: Stmt
    last: Stmt
    again: bool = False


@dataclass(frozen=True, slots=True)
class _Step:
    """One level of nesting: statement number, which of its blocks, whether it surely runs."""

    number: int
    branch: int
    loop: bool
    certain: bool
    span: Span


# Writes that are remembered; forgetting one only makes a life longer.
MAX_WRITES = 256

_Path = tuple[_Step, ...]


@dataclass(slots=True)
class _Use:
    at: int
    path: _Path
    stmt: Stmt
    reads: list[Region]
    writes: list[Region]


@dataclass(slots=True)
class _Scan:
    """`ends`: last statement number inside a loop, by the loop's number."""

    count: int = 0
    ends: dict[int, int] = field(default_factory=dict)
    uses: dict[int, list[_Use]] = field(default_factory=dict)

    def block(self, block: Block, path: _Path) -> None:
        for stmt in block:
            number = self.count
            self.count += 1
            self._record(stmt, number, path)
            for branch, nested in enumerate(blocks_of(stmt)):
                self.block(nested, _enter(stmt, number, branch, path))
            self.ends[number] = self.count - 1

    def _record(self, stmt: Stmt, number: int, path: _Path) -> None:
        effect = effect_of(stmt)
        for region in (*effect.scalars, *effect.reads):
            self._use(region, stmt, number, path).reads.append(region)
        for region in effect.writes:
            self._use(region, stmt, number, path).writes.append(region)

    def _use(self, region: Region, stmt: Stmt, number: int, path: _Path) -> _Use:
        uses = self.uses.setdefault(root(region.buffer).uid, [])
        if not uses or uses[-1].at != number:
            uses.append(_Use(number, path, stmt, [], []))
        return uses[-1]


def _enter(stmt: Stmt, number: int, branch: int, path: _Path) -> _Path:
    if isinstance(stmt, CoreScope):
        return path
    runs = isinstance(stmt, For) and isinstance(stmt.extent, int) and stmt.extent > 0
    return (*path, _Step(number, branch, isinstance(stmt, (For, While)), runs, stmt.span))


def lives(kernel: Kernel) -> dict[int, Life]:
    """The life of every buffer that a statement touches, by uid, GM tensors included."""
    scan = _Scan()
    scan.block(kernel.body, ())
    return {uid: _life(scan, uses) for uid, uses in scan.uses.items()}


def _life(scan: _Scan, uses: list[_Use]) -> Life:
    start, end = uses[0].at, uses[-1].at
    home = {step.number for step in uses[0].path if step.loop}
    for use in uses:
        deeper = [step.number for step in use.path if step.loop and step.number not in home]
        end = max([end, *(scan.ends[number] for number in deeper[:1])])
    minimal, again = (start, end), any(s.loop and s.number not in home for s in uses[-1].path)
    for loop in sorted({step.number for use in uses for step in use.path if step.loop}):
        inside = [use for use in uses if any(step.number == loop for step in use.path)]
        if _carried(inside, loop):
            start, end = min(start, loop), max(end, scan.ends[loop])
            again = again or inside[-1] is uses[-1]
    buffer = root((uses[0].reads or uses[0].writes)[0].buffer)
    return Life(buffer, _opens(uses), minimal, (start, end), uses[0].stmt, uses[-1].stmt, again)


def _opens(uses: list[_Use]) -> int:
    path = uses[0].path
    spans = [None, *(step.span for step in path), None]
    for depth, step in enumerate(path):
        cut = step.span in (spans[depth], spans[depth + 2])  # a loop and its pieces share a span
        if not cut and any(use.path[depth : depth + 1] != (step,) for use in uses):
            return step.number
    return uses[0].at


def _carried(uses: list[_Use], loop: int) -> bool:
    """True where an iteration of `loop` may read what it has not written itself."""
    written: deque[tuple[Region, _Path, bool]] = deque(maxlen=MAX_WRITES)
    for use in uses:
        for region in use.reads:
            if not any(_covers(write, region, use.path) for write in written):
                return True
        below = use.path[[step.number for step in use.path].index(loop) + 1 :]
        certain = all(step.certain for step in below)
        written.extend((region, use.path, certain) for region in use.writes)
    return False


def _covers(write: tuple[Region, _Path, bool], region: Region, path: _Path) -> bool:
    target, at, certain = write
    return (certain or path[: len(at)] == at) and contains(target, region)


def contains(outer: Region, inner: Region) -> bool:
    """True where every element of `inner` is certainly one of `outer`."""
    if fills(outer) and root(outer.buffer).uid == root(inner.buffer).uid:
        return outer.buffer.uid == inner.buffer.uid or outer.buffer.alias_of is None
    if outer.buffer.uid != inner.buffer.uid or len(outer.starts) != len(inner.starts):
        return False
    pairs = zip(outer.starts, inner.starts, outer.extents, inner.extents, strict=True)
    return all(same(a, b) is True and same(x, y) is True for a, b, x, y in pairs)


def fills(region: Region) -> bool:
    """True where the region is certainly the whole buffer."""
    shape = region.buffer.shape
    return len(shape) == len(region.extents) and all(
        same(a, 0) is True and same(b, c) is True
        for a, b, c in zip(region.starts, region.extents, shape, strict=True)
    )
