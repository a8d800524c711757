"""One order of the code of both cores in which no wait for a flag between them lacks its set.

Each core is followed as far as the flags that are set allow. Loops around flags that neither core can
run alone are the same loop on both, if they go around equally often; a branch of both is the same if it
asks for the same. What came before what in such an order may still happen at the same time: which
accesses are ordered, `cross_core_spare` asks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from tl_ascend.ir.affine import same
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Binary, Expr, Scalar, free_vars, loads
from tl_ascend.ir.facts import Facts
from tl_ascend.ir.fold import binary, substitute
from tl_ascend.ir.nodes import (
    Block,
    Break,
    CoreScope,
    For,
    If,
    Kernel,
    Stmt,
    TileOp,
    While,
    blocks_of,
    walk_stmts,
    within,
)
from tl_ascend.ir.storage import root
from tl_ascend.target.hardware import Core

SET, WAIT = "set_cross_flag", "wait_cross_flag"
SIDES = (Core.CUBE, Core.VECTOR)


class NoOrder(Exception):
    """None was found."""


@dataclass(frozen=True, slots=True)
class Plain:
    """A statement of one core without flags in it."""

    core: Core
    stmt: Stmt


@dataclass(frozen=True, slots=True)
class Set:
    """A core tells the other one that its work on a pipe is done."""

    core: Core
    call: TileOp
    flag: int


@dataclass(frozen=True, slots=True)
class Wait:
    """`last`: for the latest set, not for an earlier one."""

    core: Core
    call: TileOp
    flag: int
    last: bool


@dataclass(frozen=True, slots=True)
class Met:
    """All sets of a flag were waited for; `core` has just done so for the latest, if any."""

    core: Core
    flag: int


@dataclass(frozen=True, slots=True)
class Either:
    """Branches; the cores in `heads` take what decides from where the statements beside them say."""

    heads: tuple[Plain, ...]
    blocks: tuple[tuple[Item, ...], ...]


@dataclass(frozen=True, slots=True)
class Loop:
    """`certain`: it is certainly run once."""

    heads: tuple[Plain, ...]
    body: tuple[Item, ...]
    certain: bool


Item = Plain | Set | Wait | Met | Either | Loop


def flag_of(stmt: Stmt) -> int | None:
    """The number of the flag that a call of the compiler sets or waits for."""
    if not isinstance(stmt, TileOp) or stmt.op not in (SET, WAIT) or not stmt.reason:
        return None
    flag = stmt.args[1 if stmt.op == SET else 0]
    return flag if isinstance(flag, int) else None


def flagged(stmt: Stmt) -> bool:
    """True where such calls are in a statement."""
    return any(flag_of(inner) is not None for inner in within(stmt))


def code_of(kernel: Kernel, core: Core) -> Block:
    """All code of a core. Errors: NoOrder, where it is not in one piece."""
    scopes = [stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, CoreScope)]
    if any(scope not in kernel.body for scope in scopes):
        raise NoOrder
    own = [scope.body for scope in scopes if scope.core is core]
    if len(own) != 1 or len(scopes) != 2:
        raise NoOrder
    return own[0]


def order(kernel: Kernel) -> tuple[Item, ...]:
    """The order for a kernel. Errors: NoOrder."""
    written = {
        root(region.buffer).uid
        for stmt in walk_stmts(kernel.body)
        for region in effect_of(stmt).writes
    }
    search = _Order(written)
    cube, vector = (code_of(kernel, core) for core in SIDES)
    if _set(cube) & _set(vector):  # each core counts what it is sent, under one number
        raise NoOrder
    return search.block(cube, vector, Facts().launched(kernel.launch))


_Counts = dict[int, Scalar]


@dataclass(slots=True)
class _Order:
    """`written`: what the kernel writes; `set`: how often flags are set and not waited for yet;
    `names`: variables of the vector cores' loops in terms of the cube core's."""

    written: set[int]
    set: _Counts = field(default_factory=lambda: defaultdict(int))
    names: dict[Expr, Scalar] = field(default_factory=dict)

    def block(self, cube: Block, vector: Block, facts: Facts) -> tuple[Item, ...]:
        """Blocks of the two cores that are run equally often."""
        found: list[Item] = []
        left = [list(cube), list(vector)]
        while any(left):
            moved = False
            for core, stmts in zip(SIDES, left, strict=True):
                while stmts and self._alone(core, stmts[0], facts, found):
                    del stmts[0]
                    moved = True
            if not moved:
                if not all(left):
                    raise NoOrder
                found.append(self._both(left[0].pop(0), left[1].pop(0), facts))
        return tuple(found)

    # --- one core ---------------------------------------------------------------------------------

    def _alone(self, core: Core, stmt: Stmt, facts: Facts, into: list[Item]) -> bool:
        """Let one core go on; False where it cannot alone."""
        flag = flag_of(stmt)
        if flag is not None and isinstance(stmt, TileOp):
            return self._call(core, stmt, flag, facts, into)
        if not flagged(stmt):
            into.append(Plain(core, stmt))
            return True
        if not isinstance(stmt, For) or not self._fixed(stmt.extent):
            return False
        return self._loop(core, stmt, facts, into)

    def _call(self, core: Core, call: TileOp, flag: int, facts: Facts, into: list[Item]) -> bool:
        count = self.set[flag]
        if call.op == SET:
            self.set[flag] = binary("+", count, 1)
            into.append(Set(core, call, flag))
            return True
        if not facts.at_least(count, 1):
            return False
        self.set[flag] = binary("-", count, 1)
        last = same(count, 1) is True
        into.append(Wait(core, call, flag, last))
        into += [Met(core, flag)] * last
        return True

    def _loop(self, core: Core, loop: For, facts: Facts, into: list[Item]) -> bool:
        """A whole loop of one core, if there are enough flags for all of its waits."""
        sets, waits = _calls(loop.body, SET), _calls(loop.body, WAIT)
        if sets is None or waits is None or sets.keys() & waits.keys():
            return False
        often = substitute(loop.extent, self.names)
        needed = {flag: binary("*", often, count) for flag, count in waits.items()}
        if not all(facts.at_least(binary("-", self.set[f], n), 0) for f, n in needed.items()):
            return False
        body = tuple(_inner(core, stmt) for stmt in loop.body)
        into.append(Loop((Plain(core, loop),), body, _some(often, facts)))
        for flag, count in sets.items():
            self.set[flag] = binary("+", self.set[flag], binary("*", often, count))
        for flag, number in needed.items():
            self.set[flag] = binary("-", self.set[flag], number)
            into += [Met(core, flag)] * (same(self.set[flag], 0) is True)
        return True

    # --- both -------------------------------------------------------------------------------------

    def _both(self, one: Stmt, two: Stmt, facts: Facts) -> Item:
        """A statement that both run, flags in it included."""
        heads = Plain(Core.CUBE, one), Plain(Core.VECTOR, two)
        if isinstance(one, For) and isinstance(two, For):
            if self._alike(one.extent, two.extent):
                return self._same_loop(one, two, heads, facts)
        elif isinstance(one, If) and isinstance(two, If):
            if self._alike(one.condition, two.condition):
                return self._same_branch(one, two, heads, facts)
        raise NoOrder

    def _same_loop(self, one: For, two: For, heads: tuple[Plain, ...], facts: Facts) -> Loop:
        if any(isinstance(stmt, Break) for stmt in walk_stmts((one, two))):
            raise NoOrder
        start = binary("-", substitute(two.start, self.names), one.start)
        if one.var is not two.var or same(start, 0) is not True:
            self.names[two.var] = binary("+", one.var, start)
        before = dict(self.set)
        body = self.block(one.body, two.body, facts.inside(one, 0))
        self._as(before)
        return Loop(heads, body, _some(one.extent, facts))

    def _same_branch(self, one: If, two: If, heads: tuple[Plain, ...], facts: Facts) -> Either:
        before, found = dict(self.set), []
        for at, (cube, vector) in enumerate(zip(blocks_of(one), blocks_of(two), strict=True)):
            found.append(self.block(cube, vector, facts.inside(one, at)))
            self._as(before)
        return Either(heads, tuple(found))

    def _as(self, before: _Counts) -> None:
        """As many flags must be set as before."""
        flags = {*before, *self.set}
        if not all(same(before.get(flag, 0), self.set[flag]) is True for flag in flags):
            raise NoOrder

    def _alike(self, one: Scalar, two: Scalar) -> bool:
        two = substitute(two, self.names)
        return self._fixed(one) and (one == two or same(one, two) is True)

    def _fixed(self, value: Scalar) -> bool:
        """True for what is the same on both cores, whenever they ask."""
        if any(root(load.buffer).uid in self.written for load in loads(value)):
            return False
        return not any(var.role == "let" for var in free_vars(value))


def _some(count: Scalar, facts: Facts) -> bool:
    """True where a loop is certainly run."""
    if isinstance(count, Binary) and count.op == "min":
        return _some(count.a, facts) and _some(count.b, facts)
    return facts.at_least(count, 1)


def _set(code: Block) -> set[int | None]:
    sets = (s for s in walk_stmts(code) if isinstance(s, TileOp) and s.op == SET)
    return {flag for flag in map(flag_of, sets) if flag is not None}


def _calls(block: Sequence[Stmt], op: str) -> _Counts | None:
    """How often a block sets flags, or waits for them; None where that depends on the way."""
    found: _Counts = defaultdict(int)
    for stmt in block:
        flag = flag_of(stmt)
        if flag is not None:
            if isinstance(stmt, TileOp) and stmt.op == op:
                found[flag] = binary("+", found[flag], 1)
        elif flagged(stmt):
            return None
        elif any(isinstance(inner, Break) for inner in within(stmt)) and not isinstance(
            stmt, (For, While)
        ):
            return None
    return found


def _inner(core: Core, stmt: Stmt) -> Item:
    """A statement of a loop that one core runs as a whole."""
    flag = flag_of(stmt)
    if flag is None or not isinstance(stmt, TileOp):
        return Plain(core, stmt)
    return Set(core, stmt, flag) if stmt.op == SET else Wait(core, stmt, flag, False)
