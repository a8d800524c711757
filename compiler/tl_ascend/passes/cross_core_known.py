"""What each pipe of both cores is certainly behind, along an order of their code.

Bits stand for marks: the latest access to GM before a flag is set. What is kept of every pipe, of the
scalar unit (which issues all calls of its core), of the accesses to each tile and of each flag that is
set, are the marks that it is *not* certainly behind. `Code` is made once, `missing` walks it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tl_ascend.ir.affine import interval
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Scalar, Var, free_vars, loads
from tl_ascend.ir.liveness import fills
from tl_ascend.ir.nodes import Break, For, If, Kernel, Region, Stmt, While, blocks_of
from tl_ascend.ir.storage import ON_CHIP
from tl_ascend.passes.cross_core_order import Either, Item, Loop, Met, Plain, Set, Wait
from tl_ascend.target.hardware import Core, Memory, Pipe

PIPES = tuple(pipe for pipe in Pipe if pipe is not Pipe.ALL)
Marks = Mapping[tuple[int, Pipe], int]  # by identity of a statement and pipe
_State = list[int]
_WHOLE, _PART = "whole", "part"
_FIXED = ("block", "subblock", "shape")
_SET = 1 << 64  # beside the marks of a flag that is set: more than there are flags
_Place = tuple[Core, int, object]  # of a tile, by number


@dataclass(slots=True)
class _Step:
    """Work of one pipe. Numbers are places in the state: `behind`, what it is ordered behind, the
    scalar unit included; `leaves`: what is ordered behind it. `met`: where it certainly meets others,
    and whether it writes there."""

    own: int
    mark: int
    behind: list[int]
    leaves: list[int] = field(default_factory=list)
    met: list[tuple[_Place, bool]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class _Flag:
    """A call: `kind` of it, the scalar unit and the pipe that it concerns, what is known of its flag's
    latest set, and of those that are not waited for yet. `asked`: the mark that it is to be behind."""

    kind: type[Set | Wait | Met]
    flag: int
    issued: int
    pipe: int
    latest: int
    open: int
    last: bool
    asked: int


@dataclass(frozen=True, slots=True)
class _Ways:
    blocks: list[list[_Node]]


@dataclass(frozen=True, slots=True)
class _Rounds:
    """`moving`: accesses whose place another iteration calls otherwise."""

    body: list[_Node]
    moving: set[int]
    certain: bool


@dataclass(frozen=True, slots=True)
class _Leave:
    pass


_Node = _Step | _Flag | _Ways | _Rounds | _Leave


class Code:
    """The code of both cores in an order, made ready. `marks`: what is made where; `asked`: the mark
    that a wait is to be behind, by the identity of its call."""

    def __init__(
        self, kernel: Kernel, items: Sequence[Item], marks: Marks, asked: Mapping[int, int]
    ) -> None:
        self._kernel, self._marks, self._asked = kernel, marks, asked
        self._places: dict[object, int] = {}
        self._flags: dict[int, int] = {}
        self._moving: dict[Var, set[int]] = defaultdict(set)
        self._steps: list[_Step] = []
        self._body = [node for item in items for node in self._item(item)]
        self._meet()

    def missing(self, flags: set[int]) -> int:
        """The marks that some wait is not behind, where these flags count."""
        # At the start there are no marks: as if each tile had been touched then, and each flag set.
        size = len(self._places)
        walk = _Walk(flags, size, [0] * (size + len(self._flags)))
        walk.block(self._body)
        return walk.missing

    def _at(self, key: object) -> int:
        return self._places.setdefault(key, len(self._places))

    # --- statements -------------------------------------------------------------------------------

    def _item(self, item: Item) -> Iterator[_Node]:
        if isinstance(item, Plain):
            yield from self._stmt(item.core, item.stmt)
        elif isinstance(item, Loop):
            yield from self._heads(item.heads)
            names = [head.stmt.var for head in item.heads if isinstance(head.stmt, For)]
            yield self._rounds(item.body, names, item.certain)
        elif isinstance(item, Either):
            yield from self._heads(item.heads)
            yield _Ways([self._block(block) for block in item.blocks])
        else:
            yield self._flag(item)

    def _block(self, items: Iterable[Item]) -> list[_Node]:
        return [node for item in items for node in self._item(item)]

    def _heads(self, heads: Iterable[Plain]) -> Iterator[_Node]:
        for head in heads:
            yield from self._work(head.core, head.stmt)

    def _rounds(self, body: Iterable[Item], names: Iterable[Var], certain: bool) -> _Rounds:
        moving: set[int] = set()
        done = self._block(body)
        for name in names:
            moving |= self._moving[name]
        return _Rounds(done, moving, certain)

    def _flag(self, item: Set | Wait | Met) -> _Flag:
        call = None if isinstance(item, Met) else item.call
        pipe = self._at((item.core, Pipe.S))
        if call is not None and isinstance(item, Set):
            pipe = next(self._at((item.core, p)) for p in PIPES if p.value == call.args[0])
        return _Flag(
            type(item),
            item.flag,
            self._at((item.core, Pipe.S)),
            pipe,
            self._at(("latest", item.flag)),
            self._flags.setdefault(item.flag, len(self._flags)),
            isinstance(item, Wait) and item.last,
            self._asked.get(id(call), 0) if isinstance(item, Wait) else 0,
        )

    def _stmt(self, core: Core, stmt: Stmt) -> Iterator[_Node]:
        yield from self._work(core, stmt)
        blocks = [[Plain(core, inner) for inner in block] for block in blocks_of(stmt)]
        if isinstance(stmt, For):
            rounds = self._rounds(blocks[0], [stmt.var], _some(stmt.extent))
            if rounds.body:
                yield rounds
        elif isinstance(stmt, While):
            yield self._rounds(blocks[0], (), False)
        elif isinstance(stmt, If):
            yield _Ways([self._block(block) for block in blocks])
        elif isinstance(stmt, Break):
            yield _Leave()

    # --- work -------------------------------------------------------------------------------------

    def _work(self, core: Core, stmt: Stmt) -> Iterator[_Step]:
        """What a statement does itself, one step after the other."""
        effect = effect_of(stmt)
        works = [(step.pipe, step.reads, step.writes, step.behind) for step in effect.steps]
        if effect.scalars:
            works.insert(0, (Pipe.S, effect.scalars, (), ()))
        earlier: list[int] = []
        for pipe, reads, writes, others in works:
            if pipe is Pipe.ALL:
                continue
            own, mark = self._at((core, pipe)), self._marks.get((id(stmt), pipe), 0)
            before = (self._at((core, p)) for p in (Pipe.S, *others) if p is not Pipe.ALL)
            step = _Step(own, mark, [*before, *earlier])
            for regions, write in ((reads, False), (writes, True)):
                for region in regions:
                    self._access(core, step, region, write)
            earlier = [own] if reads else []  # what only fills up may be left out
            self._steps.append(step)
            yield step

    def _access(self, core: Core, step: _Step, region: Region, write: bool) -> None:
        """Of accesses to one tile of which one writes, those are ordered that certainly overlap."""
        box = self._box(region)
        if box is None:
            return
        uid = region.buffer.uid
        for at in (_WHOLE,) if box == _PART else (_WHOLE, _PART if box == _WHOLE else box):
            step.met.append(((core, uid, at), write))
        for at in {box, _WHOLE if box == _WHOLE else _PART}:
            number = self._at(((core, uid, at), write, step.own))
            step.leaves.append(number)
            for start in region.starts if at == box else ():
                for name in free_vars(start):
                    self._moving[name].add(number)

    def _box(self, region: Region) -> object:
        """Where in its tile a region is; None where that is not certain."""
        buffer = region.buffer
        if buffer.alias_of is not None or self._kernel.memory(buffer) not in ON_CHIP:
            return None
        if len(region.starts) != buffer.rank or not all(map(_some, region.extents)):
            return None
        if fills(region):
            return _WHOLE
        return (region.starts, region.extents) if all(map(_steady, region.starts)) else _PART

    def _meet(self) -> None:
        """Put into each step what it meets of what others leave."""
        left: dict[_Place, list[tuple[bool, int, int]]] = defaultdict(list)
        for key, number in self._places.items():
            if isinstance(key, tuple) and len(key) == 3:
                place, write, own = key
                left[place].append((write, own, number))
        for step in self._steps:
            for place, writes in step.met:
                for write, own, number in left[place]:
                    # What its own pipe did before, it is behind.
                    if (write or writes) and own != step.own:
                        step.behind.append(number)


@dataclass(slots=True)
class _Walk:
    """One walk. `size`: where what is kept of open flags begins in the state."""

    flags: set[int]
    size: int
    state: _State
    missing: int = 0
    left: list[list[_State]] = field(default_factory=list)

    def block(self, nodes: Sequence[_Node]) -> None:
        for node in nodes:
            if isinstance(node, _Step):
                self._step(node)
            elif isinstance(node, _Flag):
                self._flag(node)
            elif isinstance(node, _Rounds):
                self._rounds(node)
            elif isinstance(node, _Ways):
                self._ways(node)
            elif self.left:
                self.left[-1].append(self.state[:])

    def _step(self, step: _Step) -> None:
        state = self.state
        known = state[step.own]
        for at in step.behind:
            known &= state[at]
        if step.mark:
            mark, size = step.mark, self.size
            opened = [keys and keys | mark for keys in state[size:]]
            self.state = state = [keys | mark for keys in state[:size]] + opened
        state[step.own] = known
        for at in step.leaves:
            state[at] = known

    def _flag(self, node: _Flag) -> None:
        state = self.state
        self.missing |= node.asked & state[node.issued]
        if node.flag not in self.flags:
            return
        opened = self.size + node.open
        if node.kind is Set:
            state[node.latest] = known = state[node.pipe] & state[node.issued]
            state[opened] |= _SET | known
        elif node.kind is Met:
            state[node.issued] &= state[node.latest]
            state[opened] = 0
        else:
            state[node.issued] &= state[node.latest if node.last else opened]

    def _ways(self, node: _Ways) -> None:
        before, ends = self.state, []
        for block in node.blocks:
            self.state = before[:]
            self.block(block)
            ends.append(self.state)
        self.state = _joined(ends)

    def _rounds(self, node: _Rounds) -> None:
        """Until another iteration tells nothing new."""
        head = self.state
        while True:
            self.state = head[:]
            self.left.append([])
            self.block(node.body)
            for at in node.moving:
                self.state[at] = -1
            left = self.left.pop()
            both = _joined([head, self.state])
            if both == head:
                break
            head = both
        self.state = _joined([self.state if node.certain else head, *left])


def touches(kernel: Kernel, stmt: Stmt, pipe: Pipe) -> bool:
    """True where a statement itself touches a tensor in GM on a pipe."""
    effect = effect_of(stmt)
    regions = effect.scalars if pipe is Pipe.S else ()
    for step in effect.steps:
        if step.pipe is pipe:
            regions += step.reads + step.writes
    for region in regions:
        if kernel.memory(region.buffer) is Memory.GM:
            return True
    return False


def _joined(states: Sequence[_State]) -> _State:
    """What holds where any of them may be."""
    first, *others = states
    for other in others:
        first = [one | two for one, two in zip(first, other, strict=True)]
    return first


def _some(extent: Scalar) -> bool:
    low = interval(extent)[0]
    return low is not None and low > 0


def _steady(start: Scalar) -> bool:
    """True for what is the same throughout an iteration."""
    roles = (name.role for name in free_vars(start))
    return not loads(start) and all(role == "loop" or role in _FIXED for role in roles)
