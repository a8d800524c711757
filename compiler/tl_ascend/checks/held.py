"""Flags that are held across device templates which set and wait for the same ones themselves."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, TypeAlias

from tl_ascend.checks.certain import launched, on_one_core, runs_through, told_where
from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.taken import Ranges, points_of, truths
from tl_ascend.diagnostics.report import Related
from tl_ascend.ir.effects import form_of
from tl_ascend.ir.expr import Expr, Scalar, free_vars
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.geometry import transfer
from tl_ascend.ir.nodes import Block, For, If, Kernel, Let, Region, TileOp, blocks_of, walk_stmts
from tl_ascend.ir.tabulate import numbers
from tl_ascend.ir.text import show
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Core

MOST_LOOPS = 3  # around each other that are followed into further iterations
TURNS = 16, 2, 2  # iterations that are followed, of the outermost loop first
SIZES = 999, 121  # that symbolic dimensions are given: no tile is as long, and most leave a rest
_Flag: TypeAlias = "tuple[str, str, int]"
_Values: TypeAlias = "Mapping[Expr, Scalar]"


@dataclass(frozen=True, slots=True)
class _State:
    """`names`: what names stand for; `turns`: the values of loops; `ranges`: all that these take, where
    they are known; `conditions`: which hold, or do not."""

    names: _Values = field(default_factory=dict)
    turns: Mapping[Expr, int] = field(default_factory=dict)
    ranges: Ranges = field(default_factory=dict)
    conditions: tuple[tuple[Scalar, bool], ...] = ()

    def named(self, var: Expr, value: Scalar) -> _State:
        """With a name."""
        return replace(self, names={**self.names, var: substitute(value, self.names)})

    def where(self, condition: Scalar, holds: bool) -> _State:
        """Behind a condition."""
        one = substitute(condition, self.names), holds
        return replace(self, conditions=(*self.conditions, one))

    def turn(self, loop: For, at: int, extent: int) -> _State:
        """In an iteration."""
        assert isinstance(loop.start, int)
        ends = loop.start, loop.start + extent - 1
        return replace(
            self, turns={**self.turns, loop.var: at}, ranges={**self.ranges, loop.var: ends}
        )

    def number(self, value: Any) -> Any:
        """As it is in this iteration."""
        return substitute(substitute(value, self.names), self.turns)


@dataclass(frozen=True, slots=True)
class _Held:
    """A flag that the author has set and not yet waited for. `always`: its id is written as a number."""

    stmt: TileOp
    always: bool


def template_ids(context: CheckContext) -> None:
    """A flag that is held across a template which uses its id is set twice without a wait. Symbolic
    dimensions are looked at with some sizes."""
    kernel = context.after
    told: set[_Flag] = set()
    if not _meet(kernel):
        return
    _Walk(context, kernel, told).go("")
    sizes = tuple(v for t in kernel.tensors for e in t.shape for v in free_vars(e))
    for size in SIZES if sizes else ():
        names: dict[Expr, Scalar] = dict.fromkeys(sizes, size)
        every = ", ".join(f"{show(var)} = {size}" for var in names)
        _Walk(context, kernel, told, names).go(f" with {every}")


def _meet(kernel: Kernel) -> bool:
    """True where some flag is one of a pair that a template uses, too."""
    mine: set[tuple[str, str]] = set()
    theirs: set[tuple[str, str]] = set()
    for stmt in walk_stmts(kernel.body):
        if not isinstance(stmt, TileOp):
            continue
        form = form_of(stmt)
        if stmt.op == "set_flag" and not _is_ours(stmt):
            mine.add(_pair(stmt))
        elif form is not None:
            events = form.events_on(kernel.options.route)
            theirs |= {(a.value.upper(), b.value.upper()) for a, b, _ in events}
    return bool(mine & theirs)


@dataclass(slots=True)
class _Walk:
    """Through the code of a kernel, the calls in the order of the text. `told`: the flags that are."""

    context: CheckContext
    kernel: Kernel
    told: set[_Flag]
    sizes: _Values = field(default_factory=dict)
    when: str = ""

    def go(self, when: str) -> None:
        """On each core. `when`: with which sizes, in words."""
        self.when = when
        launch = self.kernel.launch
        if launch is None:
            return
        blocks = substitute(launch.blocks, self.sizes)
        ranges = launched(replace(self.kernel, launch=replace(launch, blocks=blocks)))
        for core in (Core.CUBE, Core.VECTOR):
            held: dict[_Flag, _Held] = {}
            known = on_one_core(ranges) if core is Core.CUBE else ranges
            for stmt, state in self._turns(self.kernel.body, _State(self.sizes, {}, known), 0):
                if not _is_ours(stmt) and _runs_on(stmt, core):
                    self._follow(stmt, state, held)

    def _turns(self, block: Block, state: _State, depth: int) -> Iterator[tuple[TileOp, _State]]:
        for stmt in block:
            if isinstance(stmt, TileOp):
                yield stmt, state
            elif isinstance(stmt, Let):
                state = state.named(stmt.var, stmt.value)
            elif isinstance(stmt, If):
                for inner, holds in ((stmt.then, True), (stmt.other, False)):
                    yield from self._turns(inner, state.where(stmt.condition, holds), depth)
            elif isinstance(stmt, For) and depth < MOST_LOOPS:
                yield from self._loop(stmt, state, depth)
            else:
                for inner in blocks_of(stmt):
                    yield from self._turns(inner, state, depth)

    def _loop(self, loop: For, state: _State, depth: int) -> Iterator[tuple[TileOp, _State]]:
        start, extent = state.number(loop.start), state.number(loop.extent)
        if not runs_through(replace(loop, start=start, extent=extent)):
            yield from self._turns(loop.body, state, depth)
            return
        assert isinstance(start, int) and isinstance(extent, int)
        for at in range(start, start + min(extent, TURNS[depth])):
            inner = state.turn(replace(loop, start=start), at, extent)
            yield from self._turns(loop.body, inner, depth + 1)

    def _follow(self, stmt: TileOp, state: _State, held: dict[_Flag, _Held]) -> None:
        if stmt.op == "set_flag":
            flag = _flag(stmt, state)
            held |= {} if flag is None else {flag: _Held(stmt, isinstance(stmt.args[2], int))}
        elif stmt.op == "wait_flag":
            _returned(stmt, held, state)
        else:
            self._clash(stmt, state, held)

    def _clash(self, stmt: TileOp, state: _State, held: dict[_Flag, _Held]) -> None:
        form = form_of(stmt)
        if form is None:
            return
        events = form.events_on(self.kernel.options.route)
        names = {(a.value.upper(), b.value.upper(), number) for a, b, number in events}
        for flag in sorted(names & held.keys() - self.told):
            part = (
                "" if form.fill is None else _part(stmt, state, held[flag].always, bool(self.when))
            )
            if part is not None and (part or not self.when):
                self.told.add(flag)
                self._tell(stmt, flag, held[flag], names, part)

    def _tell(self, stmt: TileOp, flag: _Flag, held: _Held, names: set[_Flag], part: str) -> None:
        source, target, number = flag
        same = sorted(n for a, b, n in names if (a, b) == (source, target))
        ids = f"ids {' and '.join(map(str, same))}" if len(same) > 1 else f"id {same[0]}"
        notes = (f"{part}{self.when}: what is missing is filled.",) if part else ()
        self.context.report.add(
            "flag-id",
            held.stmt.span,
            f"{source}->{target} id {number} is held across T.{stmt.op}, whose template sets it, too: "
            f"{stmt.op} uses {ids} of this pair",
            notes=(
                *notes,
                "A flag that is set twice without a wait is undefined. Take another id, 2 to 5.",
            ),
            related=(Related(stmt.span, f"uses {source}->{target} {ids}"),),
            causes=(("held", held.stmt.span),),
        )


def _runs_on(stmt: TileOp, core: Core) -> bool:
    form = form_of(stmt)
    return form is None or form.core in (core, Core.ANY)


def _returned(stmt: TileOp, held: dict[_Flag, _Held], state: _State) -> None:
    """Of a flag that is not known any may have been waited for."""
    flag = _flag(stmt, state)
    for one in list(held):
        if one == flag or flag is None and one[:2] == _pair(stmt):
            del held[one]


def _is_ours(stmt: TileOp) -> bool:
    return TABLE[stmt.op].kind == "sync" and bool(stmt.reason)


def _pair(stmt: TileOp) -> tuple[str, str]:
    source, target = stmt.args[:2]
    return str(source).upper(), str(target).upper()


def _flag(stmt: TileOp, state: _State) -> _Flag | None:
    number = state.number(stmt.args[2])
    return (*_pair(stmt), number) if type(number) is int else None


def _part(stmt: TileOp, state: _State, always: bool, sized: bool) -> str | None:
    """Where a copy from GM moves a part of its tile, so that it fills the rest with flags of its own;
    None where that is not certain. `always`: in whichever iteration; `sized`: with sizes that were
    chosen, so that only a rest behind whole tiles counts."""
    source = stmt.args[0]
    if not isinstance(source, Region):
        return None
    moved = transfer(source)
    pairs = (("row", moved.rows, moved.valid_rows), ("column", moved.columns, moved.valid_columns))
    for what, *sizes in pairs:
        all_, any_ = (substitute(size, state.names) for size in sizes)
        valid = any_ if always else substitute(any_, state.turns)
        if not isinstance(all_, int) or (sized and all_ not in _counts(any_, {}, state)[0]):
            continue
        if isinstance(valid, int) and not sized:
            if valid < all_:
                return ""
            continue
        counts, points = _counts(valid, {} if always else state.turns, state)
        at = next((at for at, count in enumerate(counts) if 0 < count < all_), None)
        if at is not None:
            told = told_where({**({} if always else state.turns), **points(at)}, state.ranges)
            return f"It moves {counts[at]} of {all_} {what}s{told}"
    return None


def _counts(
    valid: Scalar, turns: _Values, state: _State
) -> tuple[list[int], Callable[[int], Mapping[Expr, int]]]:
    """How many rows there are, wherever the conditions hold, and where that is; in iterations that are
    not given all of them count."""
    conditions = [(substitute(c, turns), holds) for c, holds in state.conditions]
    names = dict.fromkeys(v for e in (valid, *(c for c, _ in conditions)) for v in free_vars(e))
    points, columns = points_of([(v, *state.ranges[v]) for v in names if v in state.ranges])
    found = numbers(valid, columns, len(points)) if points else None
    holds = [(truths(c, columns, len(points)), wanted) for c, wanted in conditions]
    kept = [
        at
        for at in range(len(found or ()))
        if all(truth is not None and truth[at] is wanted for truth, wanted in holds)
    ]

    def where(at: int) -> Mapping[Expr, int]:
        return {var: column[kept[at]] for var, column in columns.items()}

    return [found[at] for at in kept] if found else [], where
