"""Where an error about a flag or barrier may stand: at it, at its other half, at what they order."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from tests.checks.sync_sites import calls_of

from tl_ascend.driver.check import Checker, FileReport, KernelReport, options_for
from tl_ascend.driver.files import Files
from tl_ascend.ir.hazards import hazards, numbered

AROUND = 12  # lines before a set, behind a wait of a flag between the cores


@dataclass(frozen=True)
class Places:
    """By the line of a call: `halves`, the lines of calls with the same pipes; `ordered`, the lines of
    the statements that it keeps in order."""

    halves: dict[int, set[int]]
    ordered: dict[int, set[int]]

    @classmethod
    def of_file(cls, path: str, text: str) -> Places:
        """What a whole program's calls order."""
        files = Files()
        files.set_text(path, text)
        report = Checker(files).check(path, options_for(path))
        ordered: dict[int, set[int]] = defaultdict(set)
        for kernel in report.kernels:
            _orders(report, kernel, ordered)
        return cls(_halves(text), ordered)

    def of(self, rows: Iterable[int]) -> set[int]:
        """The lines for a mutation of some lines."""
        calls = {half for row in rows for half in self.halves.get(row, {row})} | set(rows)
        return calls | {row for call in calls for row in self.ordered.get(call, ())}


def _orders(report: FileReport, kernel: KernelReport, ordered: dict[int, set[int]]) -> None:
    if kernel.lowered is None:
        return
    stmts = numbered(kernel.lowered)
    places = [report.range_of(stmt.span) for stmt in stmts]
    rows = [place.start.row if place is not None else 0 for place in places]
    for call, found in hazards(kernel.lowered).items():
        for hazard in found:
            ordered[rows[call]] |= {rows[hazard.before], rows[hazard.after]}


def _halves(text: str) -> dict[int, set[int]]:
    """Calls of the same pipes belong together, whatever their ids; so do flags between the cores of one
    id, with the lines around them."""
    groups: dict[str, set[int]] = defaultdict(set)
    members: dict[int, str] = {}
    for call in calls_of(ast.parse(text)):
        cross = "cross" in call.name
        arguments = [argument.lower() for argument in call.arguments]
        key = f"cross {arguments[1 if 'set' in call.name else 0]}" if cross else str(arguments[:2])
        if call.name == "barrier_all":
            key = f"barrier {call.node.lineno}"
        row = call.node.lineno
        members[row] = key
        groups[key].add(row)
        if cross:
            sets = "set" in call.name
            around = range(row - AROUND, row) if sets else range(row, row + AROUND)
            groups[key] |= set(around)
    return {row: groups[key] for row, key in members.items()}
