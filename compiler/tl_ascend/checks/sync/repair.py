"""The flag that is missing, as a change of the text, where both accesses stand in one block."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tl_ascend.checks.sync.events import PIPES
from tl_ascend.checks.sync.halves import Lost
from tl_ascend.checks.sync.outcome import Pair
from tl_ascend.checks.sync.proof import Added
from tl_ascend.checks.sync.words import busy_on
from tl_ascend.diagnostics.report import LANGUAGE, Applicability, Edit, Fix, Where
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import Block, For, If, Kernel, Stmt, TileOp, blocks_of, walk_stmts, within
from tl_ascend.ir.storage import root
from tl_ascend.ir.text import show
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import FLAG_PAIRS, Pipe


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a statement stands, as the author wrote it. `span`: of that statement."""

    block: int
    at: int
    span: Span


class Repairs:
    """`kernel`: as the author wrote it; `lowered`: what it became. `tried`: the calls that each of
    them adds; `costly`: executions are long, so that those between loops are not tried here."""

    def __init__(self, kernel: Kernel, lowered: Kernel) -> None:
        self._kernel, self._lowered = kernel, lowered
        self._places: dict[Span, list[_Place]] = defaultdict(list)
        self._blocks: list[Block] = []
        self._outer: list[_Place | None] = []  # what each block stands in
        self.tried: dict[Fix, tuple[Added, ...]] = {}
        self.costly = False

    def flag(
        self, pairs: Sequence[Pair], pipes: tuple[Pipe, Pipe], number: int | None
    ) -> tuple[Fix, ...]:
        """A flag before each second access of the pairs, which the same flag would order."""
        if number is None or pipes not in FLAG_PAIRS:
            return ()
        flag = pipes[0].value.lower(), pipes[1].value.lower(), number
        added: dict[Added, None] = {}
        for span in dict.fromkeys(pair.after.stmt.span for pair in pairs):
            alike = [pair for pair in pairs if pair.after.stmt.span == span]
            calls = self._flag(alike, flag)
            if not calls and not added:
                return ()
            added.update(dict.fromkeys(calls))
        title = f"Set a flag {pipes[0].value}->{pipes[1].value} and wait for it"
        fix = self._fix(title, tuple(added))
        if self.costly and any(map(self._apart, pairs)):
            self.tried.pop(fix[0])
        return fix

    def _apart(self, pair: Pair) -> bool:
        """True where two accesses stand in different blocks."""
        before, after = self._of(pair.before.stmt.span), self._of(pair.after.stmt.span)
        return before is None or after is None or before.block != after.block

    def _flag(self, pairs: Sequence[Pair], flag: tuple[str, str, int]) -> tuple[Added, ...]:
        """Set a flag behind the last statement that the second access has to come after, and wait for it
        before that: both in the innermost block around the first two, so that they match."""
        spans = [pair.before.stmt.span for pair in pairs]
        after = self._beside(spans[0], pairs[0].after.stmt.span)
        if after is None:
            return ()
        found = [self._around(span, after.block) for span in spans]
        before = [place.at for place in found if place is not None and place.at < after.at]
        source = Pipe[flag[0].upper()]
        least = self._same_pipe(after, max(before), source)
        last = self._last(after, least)
        return Added(last, True, "set_flag", flag), Added(after.span, False, "wait_flag", flag)

    def _beside(self, first: Span, second: Span) -> _Place | None:
        """The second of two statements, or one around it, where that stands in one block with the first,
        or one around the first, and behind it."""
        if self._of(first) is None or self._of(second) is None:
            return None
        for number in reversed(range(len(self._blocks))):
            before, after = (self._around(span, number) for span in (first, second))
            if before is not None and after is not None:
                return after if before.at < after.at else None
        return None

    def barrier(self, pair: Pair) -> tuple[Fix, ...]:
        """A barrier of the pipe that does both."""
        after = self._of(pair.after.stmt.span)
        if after is None:
            return ()
        pipe = PIPES[pair.pipes[1]].value
        added = (Added(after.span, False, "pipe_barrier", (pipe.lower(),)),)
        return self._fix(f"Let {pipe} finish before", added)

    def full_barrier(self, pair: Pair) -> tuple[Fix, ...]:
        """A barrier of all pipes before the second access."""
        after = self._of(pair.after.stmt.span)
        if after is None:
            return ()
        return self._fix("Order all before", (Added(after.span, False, "barrier_all", ()),))

    def wait(self, pair: Pair, half: Lost) -> tuple[Fix, ...]:
        """Wait for a flag that is set and that nobody waits for."""
        after, sets = self._of(pair.after.stmt.span), self._of(half.span)
        if after is None or sets is None or sets.block != after.block:
            return ()
        if half.written is None and sets.at >= after.at:
            return ()
        source, target = (PIPES[number].value.lower() for number in half.pipes)
        number = half.number if half.written is None else half.written
        added = (Added(after.span, False, "wait_flag", (source, target, number)),)
        return self._fix("Wait for the flag that is set", added)

    def before(self, span: Span | None, half: Lost) -> tuple[Stmt | None, tuple[Fix, ...]]:
        """Wait for a flag before it is set again: before a statement of its block, or the first one
        that gives its pipe work; and which statement that is."""
        sets = self._of(half.span)
        if sets is None or half.call is None or self._waits(sets, half.call):
            return None, ()
        place = self._first(sets, half) if span is None else self._of(span)
        if place is None or place.block != sets.block or place.at >= sets.at:
            return None, ()
        source, target = (PIPES[number].value.lower() for number in half.pipes)
        added = (Added(place.span, False, "wait_flag", (source, target, half.call.args[2])),)
        stmt = self._blocks[place.block][place.at]
        return stmt, self._fix("Wait for the flag before it is set again", added)

    def _waits(self, sets: _Place, call: TileOp) -> bool:
        """True where a call beside a set may wait for its flag."""
        pipes = [str(arg).upper() for arg in call.args[:2]]
        return any(
            isinstance(stmt, TileOp)
            and stmt.op == "wait_flag"
            and [str(arg).upper() for arg in stmt.args[:2]] == pipes
            for stmt in self._blocks[sets.block]
        )

    def _first(self, sets: _Place, half: Lost) -> _Place | None:
        """The first statement beside a set that works on the pipe which has to wait, on what the setting
        pipe works on before the set."""
        source, target = (PIPES[number] for number in half.pipes)
        block = self._blocks[sets.block][: sets.at]
        busy = {pipe: busy_on(self._lowered.body, pipe) for pipe in (source, target)}
        used = [_touched(stmt) for stmt in block if stmt.span in busy[source]]
        uids = {uid for reads, writes in used for uid in reads | writes}
        for at, stmt in enumerate(block):
            if stmt.span in busy[target] and uids & set().union(*_touched(stmt)):
                return _Place(sets.block, at, stmt.span)
        return None

    def set(self, pairs: Sequence[Pair], half: Lost) -> tuple[Lost, tuple[Fix, ...]]:
        """Set a flag that is waited for, behind what the wait orders: the places where that may be, with
        what is to be said of the first."""
        assert half.call is not None
        wait = self._of(half.span)
        if wait is None:
            return half, ()
        found = [self._around(pair.before.stmt.span, wait.block) for pair in pairs]
        places = [place for place in found if place is not None]
        if len(places) < len(found) or len({place.at > wait.at for place in places}) != 1:
            return half, ()
        last = max(places, key=lambda place: place.at)
        block, source = self._blocks[wait.block], PIPES[half.pipes[0]]
        branch = self._lacking(block[last.at], half)
        if branch:
            spans = [branch[-1].span]
        else:
            end = _Place(wait.block, len(block), last.span) if last.at > wait.at else wait
            spans = [block[self._same_pipe(end, last.at, source)].span, last.span]
        names = [pipe.value.lower() for pipe in (source, PIPES[half.pipes[1]])]
        flag = (*names, half.call.args[2])
        fixes = [
            self._fix("Set the flag that is waited for", (Added(span, True, "set_flag", flag),))
            for span in dict.fromkeys(spans)
        ]
        return self._told(half, spans[0], bool(branch)), tuple(fix for (fix,) in fixes)

    def _told(self, half: Lost, span: Span, branch: bool) -> Lost:
        """With where the set belongs."""
        place = (
            "the set belongs behind this, in this branch"
            if branch
            else "the set belongs behind this"
        )
        notes = half.notes
        if branch:
            notes = (f"{notes[0]} The other branch sets it, this one does not.", *notes[1:])
        return replace(half, notes=notes, related=(*half.related, (span, place)))

    def _lacking(self, stmt: Stmt, half: Lost) -> Block:
        """The branch that sets no such flag, up to the last work of the pipe that has to set it, where
        the other branch sets one."""
        if not isinstance(stmt, If) or half.call is None:
            return ()
        pipes = [str(arg).upper() for arg in half.call.args[:2]]
        lacking = [block for block in blocks_of(stmt) if not any(_sets(block, pipes))]
        if len(lacking) != 1:
            return ()
        pipe = PIPES[half.pipes[0]]
        busy = busy_on(self._lowered.body, pipe)
        last = [at for at, one in enumerate(lacking[0]) if _spans(one) & busy]
        return lacking[0][: last[-1] + 1] if last else ()

    def _fix(self, title: str, added: tuple[Added, ...]) -> tuple[Fix, ...]:
        edits = tuple(
            Edit(
                replace(one.place, part=""),
                f"{LANGUAGE}.{_text(one)}",
                Where.BELOW if one.below else Where.ABOVE,
            )
            for one in added
        )
        fix = Fix(title, edits, Applicability.UNSAFE)
        self.tried[fix] = added
        return (fix,)

    def _same_pipe(self, after: _Place, least: int, pipe: Pipe) -> int:
        """The last statement above that gives work to a pipe: what stands between may be the next to be
        waited for, and this flag orders it, too."""
        block = self._blocks[after.block]
        busy = busy_on(self._lowered.body, pipe)
        rest = range(after.at - 1, least, -1)
        return next((at for at in rest if block[at].span in busy), least)

    def _last(self, after: _Place, least: int) -> Span:
        """The last statement above that touches what the second access touches, one of them writing."""
        block = self._blocks[after.block]
        reads, writes = _touched(block[after.at])
        for at in range(after.at - 1, least, -1):
            others = _touched(block[at])
            if writes & (others[0] | others[1]) or reads & others[1]:
                return block[at].span
        return block[least].span

    def _of(self, span: Span) -> _Place | None:
        """The first copy of what stands in a macro that is called several times."""
        if not self._blocks:
            self._block(self._kernel.body)
        found = self._places.get(span, [])
        return found[0] if found else None

    def _around(self, span: Span, number: int) -> _Place | None:
        """What stands in a block and is a statement, or one around it."""
        place = self._of(span)
        while place is not None and place.block != number:
            place = self._outer[place.block]
        return place

    def _block(self, block: Block, outer: _Place | None = None) -> None:
        number = len(self._blocks)
        self._blocks.append(block)
        self._outer.append(outer)
        for at, stmt in enumerate(block):
            if isinstance(stmt, For) and stmt.kind == "parallel":
                self._as_one(stmt, _Place(number, at, stmt.span))
                continue
            place = _Place(number, at, stmt.span)
            self._places[stmt.span].append(place)
            for inner in blocks_of(stmt):
                self._block(inner, place)

    def _as_one(self, loop: Stmt, place: _Place) -> None:
        """A T.Parallel is a single piece of work."""
        for span in dict.fromkeys(stmt.span for stmt in within(loop)):
            self._places[span].append(place)


def _sets(block: Block, pipes: list[str]) -> Iterator[Stmt]:
    """The sets of flags between two pipes."""
    for stmt in walk_stmts(block):
        if isinstance(stmt, TileOp) and stmt.op == "set_flag":
            if [str(arg).upper() for arg in stmt.args[:2]] == pipes:
                yield stmt


def _spans(stmt: Stmt) -> set[Span]:
    return {one.span for one in within(stmt)}


def _text(one: Added) -> str:
    args = (f'"{arg}"' if isinstance(arg, str) else show(arg) for arg in one.args)
    return f"{one.name}({', '.join(args)})"


def _touched(stmt: Stmt) -> tuple[set[int], set[int]]:
    """The buffers that a statement and what stands in it read, and those that they write."""
    effects = [effect_of(inner) for inner in within(stmt)]
    read = (region for effect in effects for region in (*effect.reads, *effect.scalars))
    written = (region for effect in effects for region in effect.writes)
    return {root(r.buffer).uid for r in read}, {root(r.buffer).uid for r in written}
