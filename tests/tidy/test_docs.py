"""The documentation is current, and its links lead somewhere."""

from __future__ import annotations

import re

import pytest
from scripts import generate_docs
from tests.corpus.differences import DOCUMENT, read_listed
from tests.tidy.files import ROOT, tracked

from tl_ascend.cli import check

LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(?:#[\w-]*)?\)")
TEXTS = [p for p in tracked() if p.endswith(".md")]


def test_the_generated_documentation_is_current() -> None:
    assert generate_docs.stale() == [], "run scripts/generate_docs.py"


def test_each_check_that_upstream_lacks_is_shown() -> None:
    """39 are known; the table of docs/diagnostics is made of these files."""
    files = sorted(generate_docs.GAPS.glob("gap_*.py"))
    assert [int(path.stem.split("_")[1]) for path in files] == [*range(1, 40)]
    texts = [path.read_text(encoding="utf-8") for path in files]
    assert [path for path, text in zip(files, texts, strict=True) if "[TL" not in text] == []


def test_every_family_of_operations_has_a_heading() -> None:
    families = {row.family for row in generate_docs.ROWS}
    assert families <= set(generate_docs.FAMILIES)


@pytest.mark.parametrize("path", TEXTS)
def test_links_lead_to_files(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    targets = [t for t in LINK.findall(text) if "://" not in t]
    assert [t for t in targets if not ((ROOT / path).parent / t).exists()] == []


@pytest.mark.parametrize("path", ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"])
def test_files_that_the_documentation_names_exist(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    named = re.findall(
        r"`((?:compiler|server|tests|examples|scripts|docs|editors)/[\w./-]*)`", text
    )
    assert [n for n in named if not (ROOT / n).exists()] == []


def test_the_readme_shows_what_tl_check_says(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(ROOT)
    check.main(["examples/faulty", "--color", "never", "--no-cache"])
    said = [line.rstrip() for line in capsys.readouterr().out.splitlines()]
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = [line[4:] for line in readme.splitlines() if line.startswith("    ") or not line]
    start = shown.index(said[0])
    assert shown[start : start + len(said)] == said


def test_the_kinds_of_differences_to_upstream_are_documented() -> None:
    rows = DOCUMENT.read_text(encoding="utf-8").splitlines()
    start = rows.index("| kind | kernels | reason |") + 2
    assert rows[start : rows.index("", start)] == read_listed().table
