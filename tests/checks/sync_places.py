"""Where an error about a flag or barrier may stand: at it, at its other half, at what they order."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from tests.checks.sync_sites import Mutation, Site, calls_of

from tl_ascend.driver.check import Checker, FileReport, KernelReport, options_for
from tl_ascend.driver.files import Files
from tl_ascend.ir.hazards import hazards, numbered

AROUND = 12  # lines before a set, behind a wait of a flag between the cores


@dataclass(frozen=True)
class Places:
    """By the line of a call: `halves`, the lines of calls with the same pipes; `ordered`, the lines of
    the statements that it keeps in order; `consumers`, of those that wait; `others`, the lines of the
    calls that may be its other half."""

    halves: dict[int, set[int]]
    ordered: dict[int, set[int]]
    consumers: dict[int, set[int]]
    others: dict[int, set[int]]

    @classmethod
    def of_file(cls, path: str, text: str) -> Places:
        """What a whole program's calls order."""
        files = Files()
        files.set_text(path, text)
        report = Checker(files).check(path, options_for(path))
        ordered: dict[int, set[int]] = defaultdict(set)
        consumers: dict[int, set[int]] = defaultdict(set)
        for kernel in report.kernels:
            _orders(report, kernel, ordered, consumers)
        return cls(_halves(text), ordered, consumers, _others(text))

    def strict(self, mutation: Mutation) -> set[int]:
        """The changed call itself; for one that is gone, its other half, or what it kept waiting; for a
        pair that is turned round, either."""
        if mutation.kind.startswith("swap"):
            return set(mutation.rows).union(*(self.consumers.get(row, ()) for row in mutation.rows))
        if not mutation.kind.startswith(("delete", "drop")):
            return set(mutation.rows)
        gone = set(mutation.rows)
        near = {row for call in gone for row in self.others.get(call, ())} - gone
        return near | {row for call in gone for row in self.consumers.get(call, ())}

    def of(self, rows: Iterable[int]) -> set[int]:
        """The lines for a mutation of some lines."""
        calls = {half for row in rows for half in self.halves.get(row, {row})} | set(rows)
        return calls | {row for call in calls for row in self.ordered.get(call, ())}


def _orders(
    report: FileReport,
    kernel: KernelReport,
    ordered: dict[int, set[int]],
    consumers: dict[int, set[int]],
) -> None:
    if kernel.lowered is None:
        return
    stmts = numbered(kernel.lowered)
    places = [report.range_of(stmt.span) for stmt in stmts]
    rows = [place.start.row if place is not None else 0 for place in places]
    for call, found in hazards(kernel.lowered).items():
        for hazard in found:
            ordered[rows[call]] |= {rows[hazard.before], rows[hazard.after]}
            consumers[rows[call]].add(rows[hazard.after])


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


def _others(text: str) -> dict[int, set[int]]:
    """Calls of the other name with the same pipes, and an id that is, or may be, the same; of a flag
    between the cores also the lines behind its waits, where what waits stands."""
    calls = [call for call in calls_of(ast.parse(text)) if call.name != "barrier_all"]
    found: dict[int, set[int]] = defaultdict(set)
    for call in calls:
        row = call.node.lineno
        for other in calls:
            cross = "cross" in call.name
            if cross != ("cross" in other.name) or call.name == other.name:
                continue
            if _flag(call)[0] == _flag(other)[0] and _alike(_flag(call)[1], _flag(other)[1]):
                found[row].add(other.node.lineno)
        if call.name == "wait_cross_flag":
            found[row] |= set(range(row + 1, row + AROUND))
    for call in calls:
        if call.name == "set_cross_flag":
            waits = sorted(found[call.node.lineno])
            found[call.node.lineno] |= {row for at in waits for row in range(at, at + AROUND)}
    return found


def _flag(call: Site) -> tuple[list[str], str]:
    """The pipes within a core, and the id."""
    arguments = [argument.lower() for argument in call.arguments]
    if "cross" in call.name:
        return [], arguments[1 if "set" in call.name else 0]
    return arguments[:2], arguments[2] if len(arguments) > 2 else ""


def _alike(one: str, other: str) -> bool:
    return one == other or not (one.isdigit() and other.isdigit())
