"""What explanations ask of one lowered kernel, each answer computed once and only when asked."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from functools import cached_property
from itertools import count

from tl_ascend.driver.check import FileReport, KernelReport
from tl_ascend.ir.hazards import Hazard, hazards, numbered
from tl_ascend.ir.liveness import Life, lives
from tl_ascend.ir.nodes import (
    Block,
    CoreScope,
    For,
    Kernel,
    Stmt,
    TileOp,
    While,
    blocks_of,
    walk_stmts,
)
from tl_ascend.ir.reasons import Reason
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.sync_tree import FIRST, FLAGS, LAST
from tl_ascend.source.span import Range, Span


class Facts:
    """One kernel of one instance."""

    def __init__(self, report: FileReport, kernel: KernelReport) -> None:
        self.report, self.kernel = report, kernel
        self.final: Kernel = kernel.lowered or kernel.kernel

    def not_lowered(self, span: Span) -> Reason:
        """The one answer for all that stands in a kernel that is not known whole."""
        return Reason("limit", span, "not lowered", self.kernel.reason)

    @cached_property
    def lives(self) -> dict[int, Life]:
        return lives(self.final)

    @cached_property
    def statements(self) -> list[Stmt]:
        """The lowered statements, by number."""
        return numbered(self.final)

    @cached_property
    def numbers(self) -> dict[Span, list[int]]:
        """The numbers of the lowered statements that came of what stands at a span."""
        found: dict[Span, list[int]] = defaultdict(list)
        for number, stmt in enumerate(self.statements):
            found[stmt.span].append(number)
        return found

    @cached_property
    def hazards(self) -> dict[int, tuple[Hazard, ...]]:
        return hazards(self.final)

    @cached_property
    def written(self) -> dict[Span, list[Stmt]]:
        """The author's statements by span."""
        found: dict[Span, list[Stmt]] = defaultdict(list)
        for stmt in walk_stmts(self.kernel.kernel.body):
            found[stmt.span].append(stmt)
        return found

    @cached_property
    def ranges(self) -> list[tuple[Range, Span]]:
        """Where the author's and the lowered statements stand in this file."""
        spans = dict.fromkeys((*self.written, *self.numbers))
        places = ((self.report.range_of(span), span) for span in spans)
        path = self.report.file.source.path
        return [(r, span) for r, span in places if r is not None and r.path == path]

    @cached_property
    def beside(self) -> dict[int, tuple[list[int], list[int]]]:
        """The synchronisation that was added directly before and behind each loop and branch, by
        number."""
        found: dict[int, tuple[list[int], list[int]]] = {}

        def look(block: tuple[Stmt, ...], number: int) -> int:
            calls: list[int] = []
            last: list[int] | None = None
            for stmt in block:
                if isinstance(stmt, TileOp) and stmt.reason and TABLE[stmt.op].kind == "sync":
                    calls.append(number)
                    number += 1
                    continue
                at, inner = number, blocks_of(stmt)
                number += 1
                for nested in inner:
                    number = look(nested, number)
                if last is not None:
                    last += calls
                last = None
                if inner:
                    last = []
                    found[at] = calls, last
                calls = []
            if last is not None:
                last += calls
            return number

        look(self.final.body, 0)
        return found

    @cached_property
    def handed(self) -> dict[int, tuple[list[int], list[int]]]:
        """By the number of each loop the flags that its first iterations wait for, and the waits for
        what its last ones have set, wherever these stand in its block."""
        found: dict[int, tuple[list[int], list[int]]] = {}
        for block in self._blocks():
            flags = [(n, s) for n, s in block if isinstance(s, TileOp) and s.op in FLAGS]
            for at, loop in ((n, s) for n, s in block if isinstance(s, (For, While))):
                sets = [n for n, s in flags if n < at and _hands(s, "set_flag", FIRST, loop)]
                waits = [n for n, s in flags if n > at and _hands(s, "wait_flag", LAST, loop)]
                found[at] = sets, waits
        return found

    def _blocks(self) -> Iterator[list[tuple[int, Stmt]]]:
        """The blocks of the lowered kernel, each with the numbers of its statements."""
        numbers = count()

        def look(block: Block) -> Iterator[list[tuple[int, Stmt]]]:
            own = []
            for stmt in block:
                own.append((next(numbers), stmt))
                for nested in blocks_of(stmt):
                    yield from look(nested)
            yield own

        return look(self.final.body)

    @cached_property
    def scopes(self) -> dict[int, CoreScope]:
        """The core scope around each lowered statement, by number."""
        found: dict[int, CoreScope] = {}

        def look(block: tuple[Stmt, ...], number: int, scope: CoreScope | None) -> int:
            for stmt in block:
                if scope is not None:
                    found[number] = scope
                inner = stmt if isinstance(stmt, CoreScope) else scope
                number += 1
                for nested in blocks_of(stmt):
                    number = look(nested, number, inner)
            return number

        look(self.final.body, 0, None)
        return found


def _hands(call: TileOp, name: str, when: str, loop: For | While) -> bool:
    """True for the first or last use of a flag that the iterations of a loop hand on."""
    if call.op != name or not call.reason.startswith(when):
        return False
    why = call.reason.removeprefix(f"{when}: ")
    inside = (stmt for stmt in walk_stmts(loop.body) if isinstance(stmt, TileOp))
    return any((s.args[:2], s.reason) == (call.args[:2], why) for s in inside if s.op in FLAGS)
