"""The flag that is missing, as a change of the text, where both accesses stand in one block."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

from tl_ascend.checks.sync.halves import Lost
from tl_ascend.checks.sync.outcome import Pair
from tl_ascend.diagnostics.report import LANGUAGE, Applicability, Edit, Fix, Where
from tl_ascend.ir.nodes import Block, For, Kernel, Stmt, blocks_of, walk_stmts
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import FLAG_PAIRS, Pipe


@dataclass(frozen=True, slots=True)
class _Place:
    """Where a statement stands, as the author wrote it. `span`: of that statement."""

    block: int
    at: int
    span: Span


class Repairs:
    """`kernel`: as the author wrote it."""

    def __init__(self, kernel: Kernel) -> None:
        self._kernel = kernel
        self._places: dict[Span, list[_Place]] = defaultdict(list)
        self._blocks = 0

    def flag(
        self, pairs: Sequence[Pair], pipes: tuple[Pipe, Pipe], number: int | None
    ) -> tuple[Fix, ...]:
        """Set a flag behind the last of the first accesses, and wait for it before the second."""
        after = self._of(pairs[0].after.stmt.span)
        if number is None or after is None or pipes not in FLAG_PAIRS:
            return ()
        found = [self._of(pair.before.stmt.span) for pair in pairs]
        before = [p for p in found if p is not None and p.block == after.block and p.at < after.at]
        if not before or found[0] not in before:
            return ()
        last = max(before, key=lambda place: place.at)
        flag = f'("{pipes[0].value.lower()}", "{pipes[1].value.lower()}", {number})'
        edits = (
            Edit(last.span, f"{LANGUAGE}.set_flag{flag}", Where.BELOW),
            Edit(after.span, f"{LANGUAGE}.wait_flag{flag}", Where.ABOVE),
        )
        title = f"Set a flag {pipes[0].value}->{pipes[1].value} and wait for it"
        return (Fix(title, edits, Applicability.UNSAFE),)

    def wait(self, pair: Pair, half: Lost) -> tuple[Fix, ...]:
        """Wait for a flag that is set and that nobody waits for."""
        after, sets = self._of(pair.after.stmt.span), self._of(half.span)
        if after is None or sets is None or half.turns:
            return ()
        if sets.block != after.block or sets.at >= after.at:
            return ()
        call = half.wait.removeprefix("T.")
        edits = (Edit(after.span, f"{LANGUAGE}.{call}", Where.ABOVE),)
        return (Fix("Wait for the flag that is set", edits, Applicability.UNSAFE),)

    def _of(self, span: Span) -> _Place | None:
        """None for code that stands in several places."""
        if not self._blocks:
            self._block(self._kernel.body)
        found = self._places.get(span, [])
        return found[0] if len(found) == 1 else None

    def _block(self, block: Block) -> None:
        self._blocks += 1
        number = self._blocks
        for at, stmt in enumerate(block):
            if isinstance(stmt, For) and stmt.kind == "parallel":
                self._as_one(stmt, _Place(number, at, stmt.span))
                continue
            self._places[stmt.span].append(_Place(number, at, stmt.span))
            for inner in blocks_of(stmt):
                self._block(inner)

    def _as_one(self, loop: Stmt, place: _Place) -> None:
        """A T.Parallel is a single piece of work."""
        for span in dict.fromkeys(stmt.span for stmt in walk_stmts((loop,))):
            self._places[span].append(place)
