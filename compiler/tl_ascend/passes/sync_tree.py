"""The code of one core with the synchronisation that is being added to it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from types import MappingProxyType

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Scalar, Var, loads
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.nodes import Block, Break, CoreScope, For, If, Stmt, TileOp, While, blocks_of
from tl_ascend.ir.periodic import canonical
from tl_ascend.ir.phases import Phases, phases_of
from tl_ascend.passes.sync_access import Access, Overlaps, Token, Work, tokens
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Pipe

# In the reasons of calls that themselves keep no two accesses in order: the ends of a flag that is
# handed from one iteration to the next, what a `break` does for it, and a flag that answers another.
FIRST = "for the first iteration"
LAST = "behind the last iteration"
AGAIN = "is going to set again"
LEFT = "where its loop is left"

MAX_IDS = 4  # of one flag

Further = Mapping[int, Sequence[Work]]
_NONE: Further = MappingProxyType({})
FLAGS = ("set_flag", "wait_flag")
Flag = tuple[Pipe, Pipe, Scalar]


def flag_of(op: TileOp) -> Flag:
    """The pipes and the id of a flag call of the author."""
    source, target, event = op.args[:3]
    return _pipe(source), _pipe(target), canonical(event)


def _pipe(name: object) -> Pipe:
    return next((pipe for pipe in Pipe if pipe.value == str(name).upper()), Pipe.ALL)


class Kind(Enum):
    """A flag joins two pipes, a barrier orders one, ALL orders everything."""

    FLAG = "flag"
    BARRIER = "barrier"
    ALL = "all"


# A walk asks for them at each statement; to look a member up in its class takes Python 3.11 longer.
FLAG, BARRIER, ALL = Kind.FLAG, Kind.BARRIER, Kind.ALL


@dataclass(frozen=True, slots=True)
class Count:
    """`expr` grows by one from each iteration of the first of some loops to the next, whichever run of
    it that is in, while the last of them runs once. `loops`: from inside out."""

    expr: Scalar
    loops: tuple[For, ...]

    @property
    def names(self) -> tuple[Var, ...]:
        return tuple(loop.var for loop in self.loops)

    def at(self, home: For, end: bool) -> Scalar:
        """What it is when a loop begins, or when it has ended."""
        values: dict[Var, Scalar] = {}
        for loop in self.loops:
            values[loop.var] = loop.start
            if loop is home:
                extent = binary("max", loop.extent, 0)
                values[loop.var] = binary("+", loop.start, extent) if end else loop.start
                break
        found: Scalar = substitute(self.expr, values)  # type: ignore[arg-type]
        return found


@dataclass(slots=True, eq=False)
class Sync:
    """One addition, for the sake of the access `wanted`. `early`: its set stands behind a producer,
    not beside the wait; `ahead`: for how many iterations later, so that as many sets stand before
    the loop `home` and waits behind it. The iterations of the loop around it, `loop`, take its `ids` in
    turns, the first of which is `event`: -1 until it is given. `banned` are those that failed. `cut`:
    the loop may end in any iteration; `branch`: handed on not by each iteration, but by those that take
    a branch, whose turn nobody counts; `count`: what counts turns, where not the loop alone does.
    `moved`: for which of the first iterations it is not set right before the loop; `kept`: which of
    the last waits do not stand right behind it."""

    kind: Kind
    source: Pipe
    target: Pipe
    number: int
    span: Span
    reason: str
    wanted: Access | None = None
    loop: For | None = None
    early: bool = False
    ahead: int = 0
    home: Node | None = None
    cut: bool = False
    branch: bool = False
    ids: int = 1
    event: int = -1
    count: Count | None = None
    banned: set[int] = field(default_factory=set)
    moved: set[int] = field(default_factory=set)
    kept: set[int] = field(default_factory=set)
    _by_ids: dict[int, list[Token]] = field(default_factory=dict)

    @property
    def ends(self) -> bool:
        """True where its last waits stand in the last iteration: behind a loop that may end before
        it is not known whose turn it is."""
        return self.cut and self.ids != self.ahead > 0

    @property
    def place(self) -> tuple[object, ...]:
        """Whatever may change in a walk."""
        return self.kind, self.early, self.ids, self.event

    def token(self, turn: int) -> Token:
        """One of its ids."""
        ids = self.ids
        if ids not in self._by_ids:
            var = None if ids == 1 or self.loop is None else self.loop.var
            run = self.count.names if self.count else ()
            self._by_ids[ids] = tokens(self.number, self.target, ids, var, run)
        return self._by_ids[ids][turn % ids]

    @property
    def own(self) -> bool:
        """True where the loop that hands it on is the one whose iterations count its turns."""
        return self.home is not None and self.home.stmt is self.loop and self.count is None

    def keeps(self, turn: int) -> bool:
        """True where one of the last waits stands further behind the loop."""
        return self.own and turn in self.kept

    def with_ids(self, ids: int) -> None:
        """Begin again with another number of ids."""
        self.ids, self.event = ids, -1
        self.banned.clear()

    def beside(self) -> None:
        """Set the flag right before the wait after all."""
        self.early, self.ahead, self.home, self.branch = False, 0, None, False
        self.with_ids(1)


def countable(sync: Sync, ids: int, ahead: int) -> bool:
    """True where iterations can take so many ids in turns, and it is known behind the loop whose
    turn it is."""
    loop = sync.loop
    known = loop is not None and not loads(loop.extent) and not sync.cut
    return loop is not None and ids <= MAX_IDS and (ahead in (0, ids) or known)


@dataclass(frozen=True, slots=True)
class Turn:
    """A flag that a loop hands on, and for which of the first iterations it is set, or which of the last
    ones did that."""

    sync: Sync
    turn: int


@dataclass(slots=True, eq=False)
class Node:
    """A statement with its work, pipe by pipe, and with what is put before and behind it.
    `tail`: at the end of its body, where a loop evaluates its condition once more. `carried`: flags
    that a loop hands from one iteration to later ones, or a loop in it does. `inside`: the set of its
    accesses and of those nested in it. `breaks`: those that leave the loop around it, or itself where
    it is one; `left`: what they do first, waits before sets, each with its turn, so that the
    same flags are set as behind the loop. `apart`: code of another core is in it; `first`: set behind
    it, for a loop that comes later; `last`: waited for before it, of a loop that came before;
    `early`: the flags for its own first iterations stand before what is waited for before it."""

    stmt: Stmt
    works: list[Work]
    blocks: list[list[Node]]
    inside: int
    breaks: list[Node]
    apart: bool
    before: list[Sync] = field(default_factory=list)
    after: list[Sync] = field(default_factory=list)
    tail: list[Sync] = field(default_factory=list)
    carried: list[Sync] = field(default_factory=list)
    left: list[tuple[str, Sync, int]] = field(default_factory=list)
    first: list[Turn] = field(default_factory=list)
    last: list[Turn] = field(default_factory=list)
    early: bool = False

    @property
    def leaves(self) -> bool:
        """True where there may be a way out of the block that it stands in."""
        return self.apart or (bool(self.breaks) and not isinstance(self.stmt, (For, While)))

    @property
    def cut(self) -> bool:
        """True for a loop that may end before its last iteration."""
        return self.apart or bool(self.breaks)


def build_tree(
    block: Block, overlaps: Overlaps, further: Further = _NONE, phases: Phases = ()
) -> list[Node]:
    """Nodes of a block. `further`: by the identity of a statement, what comes before it as well;
    `phases`: of the branches around it."""
    return [_node(stmt, overlaps, further, phases) for stmt in block]


def _node(stmt: Stmt, overlaps: Overlaps, further: Further, phases: Phases) -> Node:
    works = overlaps.works(effect_of(stmt), phases)
    works += further.get(id(stmt), ())
    if isinstance(stmt, TileOp) and stmt.op in FLAGS:
        for pipe in flag_of(stmt)[:2]:
            overlaps.use(pipe)
    sides = phases_of(stmt.condition) if isinstance(stmt, If) else ((), ())
    blocks = [
        build_tree(inner, overlaps, further, (*phases, *side))
        for inner, side in zip(blocks_of(stmt), sides, strict=False)
    ]
    found = Node(stmt, works, blocks, 0, [], isinstance(stmt, CoreScope))
    for part in works:
        found.inside |= part.keys
    for node in (node for inner in blocks for node in inner):
        found.inside |= node.inside
        found.apart = found.apart or node.apart
        if not isinstance(node.stmt, (For, While)):
            found.breaks += node.breaks
    if isinstance(stmt, Break):
        found.breaks.append(found)
    return found


def walk_nodes(nodes: Sequence[Node]) -> list[Node]:
    """All nodes, outer before inner."""
    found: list[Node] = []
    for node in nodes:
        found.append(node)
        for block in node.blocks:
            found += walk_nodes(block)
    return found
