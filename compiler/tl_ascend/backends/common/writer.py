"""Lines of an emitted program, and where each comes from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from tl_ascend.backends.manifest import SourceMap
from tl_ascend.source.span import Span

_STEP = "  "


class Writer:
    """Collects lines. `at`: the statement that is being written."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._map: list[tuple[int, Span]] = []
        self._depth = 0
        self.at: Span | None = None

    def line(self, text: str = "", span: Span | None = None) -> None:
        """One line; it comes from `span`, else from the statement that is being written."""
        self.lines.append(_STEP * self._depth + text if text else "")
        source = span or self.at
        if source is not None and text:
            self._map.append((len(self.lines), source))

    def directive(self, text: str) -> None:
        """A line of the preprocessor, which stands at the margin and comes from no statement."""
        self.lines.append(text)

    @contextmanager
    def block(self, head: str, span: Span | None = None) -> Iterator[None]:
        """`head {`, the lines in between deeper, `}`. Without a head it is a scope for names."""
        self.line(f"{head} {{".lstrip(), span)
        self._depth += 1
        try:
            yield
        finally:
            self._depth -= 1
            here, self.at = self.at, None
            self.line("}")
            self.at = here

    @contextmanager
    def otherwise(self) -> Iterator[None]:
        """The other branch of the `if` that was just closed."""
        assert self.lines[-1].strip() == "}", "there is no branch to continue"
        self.lines.pop()
        with self.block("} else"):
            yield

    def source_map(self, before: int) -> SourceMap:
        """The map of these lines, with so many other lines before them."""
        return SourceMap(tuple((row + before, span) for row, span in self._map))
