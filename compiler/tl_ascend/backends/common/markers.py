"""`#line` markers: what a compiler then says of a line, it says of the author's file."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from tl_ascend.backends.manifest import Emitted, SourceMap
from tl_ascend.source.span import Span


def marked(
    program: Emitted, place_of: Callable[[Span], tuple[str, int] | None], own: str
) -> Emitted:
    """The program with a marker wherever the numbers of lines do not follow each other. `place_of`: file
    and line of a statement; `own`: the file that the program is written to, for lines of ours."""
    spans = dict(program.source_map.lines)
    lines: list[str] = []
    rows: list[tuple[int, Span]] = []
    expected: tuple[str, int] = (own, 1)
    for row, text in enumerate(program.text.splitlines(), 1):
        span = spans.get(row)
        known = place_of(span) if span is not None else None
        if known is None and expected[0] != own:
            expected = (own, len(lines) + 2)
            lines.append(_marker(*expected))
        elif known is not None and known != expected:
            expected = known
            lines.append(_marker(*known))
        lines.append(text)
        expected = (expected[0], expected[1] + 1)
        if span is not None:
            rows.append((len(lines), span))
    return replace(program, text="\n".join(lines) + "\n", source_map=SourceMap(tuple(rows)))


def _marker(path: str, row: int) -> str:
    escaped = path.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line {row} "{escaped}"'
