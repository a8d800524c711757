"""Kernels with tokens lost, doubled, exchanged and cut off: never an exception, never TL901."""

from __future__ import annotations

import io
import tokenize
from functools import lru_cache
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tl_ascend.ide.model import Settings
from tl_ascend.ide.workspace import Workspace
from tl_ascend.source.span import Position

ROOT = Path(__file__).resolve().parents[2]
PATH = "/project/kernel.py"
# Cases of budgets use them up, each time: they would be most of the time of this test.
FILES = sorted(
    p
    for folder in ("tests/check", "examples")
    for p in (ROOT / folder).rglob("*.py")
    if not p.name.startswith(("budget", "host_code"))
)
ODD = [
    *("None", "-1", "0", "1.5", "10**9", "True", "'x'", "[]", "()", "{}", "...", "lambda: 0"),
    *("*", "**", "T", "A", "cid", "def", "with", "for", "return", "\\", "\n", "    ", "ä𝄞", "\x0c"),
]

Token = tuple[int, int]


@lru_cache
def read(path: Path) -> str:
    return path.read_text(encoding="utf-8")


def tokens(text: str) -> list[Token]:
    """Where the tokens of a line stand, as offsets; of a broken text, those before the break."""
    starts = [0]
    for line in io.StringIO(text, newline=""):
        starts.append(starts[-1] + len(line))
    found: list[Token] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(text, newline="").readline):
            if token.string and token.start[0] == token.end[0]:
                base = starts[token.start[0] - 1]
                found.append((base + token.start[1], base + token.end[1]))
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def changed(text: str, kind: str, at: int, other: int, odd: str) -> str:
    """One change of one token."""
    places = tokens(text)
    if not places:
        return text
    start, end = places[at % len(places)]
    first, last = places[other % len(places)]
    new = {
        "lost": "",
        "doubled": f"{text[start:end]} {text[start:end]}",
        "exchanged": text[first:last],
        "odd": odd,
    }
    return text[:start] if kind == "cut off" else text[:start] + new[kind] + text[end:]


KINDS = ("lost", "doubled", "exchanged", "odd", "cut off")
number = st.integers(0, 5000)
change = st.tuples(st.sampled_from(KINDS), number, number, st.sampled_from(ODD))


@settings(
    max_examples=200, derandomize=True, deadline=None, suppress_health_check=[HealthCheck.too_slow]
)
@given(st.sampled_from(FILES), st.lists(change, min_size=1, max_size=4))
def test_damaged_kernels(path: Path, changes: list[tuple[str, int, int, str]]) -> None:
    workspace = Workspace(Settings("A3"), str(ROOT))
    text = read(path)
    for kind, at, other, odd in changes:  # one after the other, as an author types
        text = changed(text, kind, at, other, odd)
        workspace.set_text(PATH, text)
        analysis = workspace.analyse(PATH, lambda: False)
        assert "internal-error" not in [d.name for d in analysis.diagnostics], text
        for row in (1, 5, 12):
            analysis.hover(Position(row, at % 40))
