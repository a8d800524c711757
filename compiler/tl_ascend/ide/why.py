"""Why lowering did what it did with what stands at a position: for the editor and `ir --why`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tl_ascend.driver.check import FileReport, KernelReport
from tl_ascend.ide.cursor import node_at
from tl_ascend.ide.facts import Facts
from tl_ascend.ide.why_buffer import reasons_of_buffer
from tl_ascend.ide.why_statement import reasons_of_statement
from tl_ascend.ir.nodes import Alloc, Buffer
from tl_ascend.ir.reasons import Reason
from tl_ascend.source.span import Position, Range, Span
from tl_ascend.source.units import span_of


@dataclass(frozen=True, slots=True)
class Explanation:
    """All reasons for a buffer (`buffer`) or for the statement in `range`."""

    range: Range
    reasons: tuple[Reason, ...]
    buffer: Buffer | None = None


def why(facts: Facts, position: Position) -> Explanation | None:
    """What lowering decided about what stands at a position of one kernel; None where nothing."""
    if not concerns(facts.report, facts.kernel, position):
        return None
    node = node_at(facts.report.file, position)
    if isinstance(node, (ast.Name, ast.arg)):
        part = "name" if isinstance(node, ast.arg) else ""
        name = node.arg if isinstance(node, ast.arg) else node.id
        buffer = named(facts.report, facts.kernel, name, span_of(node, part))
        place = facts.report.range_of(span_of(node, part))
        if isinstance(buffer, Buffer) and place is not None:
            return Explanation(place, tuple(reasons_of_buffer(facts, buffer)), buffer)
    return _of_statement(facts, position)


def why_near(facts: Facts, position: Position) -> tuple[Explanation, ...]:
    """The same; where nothing stands at the column, what the statements of the line became."""
    exact = why(facts, position)
    if exact is not None:
        return (exact,)
    rows = [place for place, _ in facts.ranges if place.start.row <= position.row <= place.end.row]
    found = (_of_statement(facts, start) for start in sorted({place.start for place in rows}))
    return tuple({told.range: told for told in found if told is not None}.values())


def concerns(report: FileReport, kernel: KernelReport, position: Position) -> bool:
    """False where a position is inside the text of other kernels only."""
    around = {k.span for k in report.kernels if _inside(report, k, position)}
    return not around or kernel.span in around


def _inside(report: FileReport, kernel: KernelReport, position: Position) -> bool:
    place = report.range_of(Span(kernel.span.home, kernel.span.node))
    return place is not None and place.path == report.file.source.path and place.contains(position)


def named(report: FileReport, kernel: KernelReport, name: str, at: Span) -> object:
    """What a name stands for: the last binding before the place, else the first one; None where the
    kernel binds none."""
    bound = [(s, v) for s, n, v in kernel.values if n == name and s.home == at.home]
    params = ((p.span, p.value) for p in kernel.kernel.params if p.name == name)
    bound = [(s, v) for s, v in params if s.home == at.home] + bound
    before = [value for span, value in bound if span.node <= at.node]
    return before[-1] if before else bound[0][1] if bound else None


def _of_statement(facts: Facts, position: Position) -> Explanation | None:
    """The innermost statement around a position; a declaration stands for its buffer."""
    around = [(place, span) for place, span in facts.ranges if place.contains(position)]
    if not around:
        return None
    place, span = max(around, key=lambda entry: (entry[0].start, _backwards(entry[0].end)))
    for stmt in facts.written.get(span, ()):
        if isinstance(stmt, Alloc):
            return Explanation(place, tuple(reasons_of_buffer(facts, stmt.buffer)), stmt.buffer)
    reasons = tuple(reasons_of_statement(facts, span))
    return Explanation(place, reasons) if reasons else None


def _backwards(end: Position) -> tuple[int, int]:
    return -end.row, -end.column


def lines(facts: Facts, reasons: Iterable[Reason]) -> Iterator[tuple[str, str]]:
    """Topic and text of each reason."""
    for reason in reasons:
        text = _sentence(reason)
        places = ", ".join(_places(facts, reason))
        yield reason.topic, f"{text} ({places})" if places else text


def _sentence(reason: Reason) -> str:
    return ": ".join(part for part in (reason.decision, reason.because) if part)


def _places(facts: Facts, reason: Reason) -> Iterator[str]:
    for place in reason.places:
        found = facts.report.range_of(place.span)
        if found is not None:
            other = found.path != facts.report.file.source.path
            file = f" of {found.path}" if other else ""
            yield f"{place.word} in line {found.start.row}{file}"


def as_text(facts: Facts, reasons: Iterable[Reason]) -> str:
    """For a terminal: a topic and its reason on each line."""
    told = list(lines(facts, reasons))
    width = max((len(topic) for topic, _ in told), default=0)
    return "".join(f"{topic:{width}}  {text}\n" for topic, text in told)


def as_markdown(facts: Facts, reasons: Iterable[Reason]) -> str:
    """For an editor: the same lines."""
    return _markdown(lines(facts, reasons))


def as_tooltip(reasons: Iterable[Reason]) -> str:
    """The same without places: it stays true while lines move, so hints need no refresh then."""
    return _markdown((reason.topic, _sentence(reason)) for reason in reasons)


def _markdown(told: Iterable[tuple[str, str]]) -> str:
    """With what Markdown would read as its own made plain."""
    return "  \n".join(f"{t.capitalize()}: {_MARKS.sub(_plain, text)}" for t, text in told)


# Marks within words and those with spaces around stand for themselves.
_MARKS = re.compile(r"[\\`<]|(?<!\w)_|_(?!\w)|\*(?=\S)|(?<=\S)\*")


def _plain(mark: re.Match[str]) -> str:
    return f"\\{mark.group()}"
