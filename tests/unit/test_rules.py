"""Which diagnostics are told: selection, severities, patterns of files; and comments in odd texts."""

from __future__ import annotations

import pytest

from tl_ascend.diagnostics.catalogue import BY_NAME, Severity
from tl_ascend.driver.rules import BadChoice, Rules, selector, severity_named
from tl_ascend.driver.suppressions import suppressions
from tl_ascend.source.text import SourceText

UB, TAIL = BY_NAME["ub-overflow"], BY_NAME["tail"]


@pytest.mark.parametrize(
    ("rules", "told"),
    [
        (Rules(), True),
        (Rules(select=("TL8",)), False),
        (Rules(select=("TL503",), ignore=("TL5",)), True),
        (Rules(select=("TL5",), ignore=("ub-overflow",)), False),
        (Rules(select=("TL50",), ignore=("TL50",)), False),
        (Rules(ignore=("TL",), select=("TL5",)), True),
        (Rules(per_file=(("a/*", ("TL5",)),)), False),
        (Rules(per_file=(("k.py", ("ub-overflow",)),)), False),
        (Rules(per_file=(("**/k.py", ("ub-overflow",)),)), False),
        (Rules(per_file=(("b/*", ("TL",)), ("*.txt", ("TL",))), select=("TL503",)), True),
    ],
)
def test_the_more_exact_word_wins(rules: Rules, told: bool) -> None:
    assert rules.tells(UB, "a/b/k.py") == told


def test_severities() -> None:
    rules = Rules(
        severity=(("TL503", Severity.INFO), ("TL5", Severity.HINT), ("TL", Severity.WARNING))
    )
    assert rules.level(UB, Severity.ERROR) is Severity.INFO
    assert rules.level(TAIL, Severity.ERROR) is Severity.WARNING
    assert Rules().level(UB, Severity.HINT) is Severity.HINT
    last = Rules(severity=(("tail", Severity.INFO), ("TL803", Severity.ERROR)))
    assert last.level(TAIL, Severity.WARNING) is Severity.ERROR


def test_a_command_line_over_a_project() -> None:
    project = Rules(("TL5",), ("TL503",), (("tail", Severity.INFO),))
    assert Rules(select=("TL8",)).over(project).tells(TAIL, "k.py")
    assert not Rules(select=("TL8",)).over(project).tells(UB, "k.py")
    both = Rules(ignore=("TL501",)).over(project)
    assert (both.select, both.ignore) == (("TL5",), ("TL503", "TL501"))


def test_words() -> None:
    assert [selector(w) for w in ("tl503", " TL5 ", "tail")] == ["TL503", "TL5", "tail"]
    for word in ("TL0", "TL9999", "", "Tail", "tails"):
        with pytest.raises(BadChoice):
            selector(word)
    with pytest.raises(BadChoice, match="error, warning, info, hint"):
        severity_named("loud")


def found(text: str) -> list[tuple[int, tuple[str, ...], bool]]:
    comments = suppressions(SourceText("k.py", text))
    return [(c.range.start.row, c.names, c.whole_file) for c in comments]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("x = 1  # tl: ignore[a, b]", [(1, ("a", "b"), False)]),
        ("#tl:ignore[a]\r\n\f#  tl:  ignore-file [b,]\r", [(1, ("a",), False), (2, ("b",), True)]),
        ("x = '# tl: ignore[a]'\n'''\n# tl: ignore[a]\n'''", []),
        ("# tl: ignored\n# tl: ignore-all[a]\n# tl: instance M=1", []),
        ("# tl: ignore", [(1, (), False)]),
        ("# tl: ignore[a]  # tl: ignore[b]", [(1, ("a",), False), (1, ("b",), False)]),
        ("# tl: ignore[a]\nx = (\n'''", [(1, ("a",), False)]),
        ("x = '\N{MATHEMATICAL BOLD SMALL A}'  # tl: ignore[a]", [(1, ("a",), False)]),
    ],
)
def test_comments(text: str, wanted: object) -> None:
    assert found(text) == wanted
