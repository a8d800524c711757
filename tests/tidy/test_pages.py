"""Every diagnostic has a page, and the page's examples do what the page says."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.harness.compare import analyse, describe, run_text
from tests.harness.expectations import parse
from tests.harness.pages import FOLDER, HEADINGS, read

from tl_ascend.diagnostics.catalogue import BY_CODE, RULES, Severity
from tl_ascend.ide.model import Diagnostic

CODES = [rule.code for rule in RULES]
EXAMPLES = [c for c in CODES if (FOLDER / f"{c}.md").exists() and read(c).has_example]
WITH_EXAMPLE = [c for c in EXAMPLES if not read(c).of_settings and c != "TL102"]


def test_every_diagnostic_has_a_page_and_every_page_a_diagnostic() -> None:
    assert sorted(CODES) == sorted(p.stem for p in FOLDER.iterdir())


@pytest.mark.parametrize("code", CODES)
def test_a_page_has_its_headings(code: str) -> None:
    page = read(code)
    assert page.title == f"# {code} {BY_CODE[code].name}"
    wanted = HEADINGS if page.has_example else ("What", "Why", "Source")
    assert tuple(page.sections) == wanted
    assert all(page.sections.values())
    assert page.sections["Source"].startswith("- ")
    assert max(map(len, page.text.splitlines())) <= 120


def told(text: str, code: str) -> list[Diagnostic]:
    """Findings, without the hints of other rules."""
    found = analyse("/page/kernel.py", text, "A3")
    return [d for d in found.diagnostics if d.severity > Severity.HINT or d.code == code]


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_the_wrong_example_is_told_so(code: str) -> None:
    found = told(read(code).example("Wrong"), code)
    assert {d.code for d in found} == {code}, [describe(d) for d in found]


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_the_wrong_example_shows_the_place(code: str) -> None:
    """As in a case of tests/check: carets, or `# ~` where a statement starts its line."""
    text = read(code).example("Wrong")
    assert [e.code for e in parse(text).findings] == [code]
    (outcome,) = run_text(text, "/page/kernel.py")
    assert [c for c in outcome.complaints if not c.startswith("no kernel")] == []


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_the_right_example_is_right(code: str) -> None:
    found = told(read(code).example("Right"), code)
    assert [describe(d) for d in found] == []


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_the_right_example_is_checked(code: str) -> None:
    index = analyse("/page/kernel.py", read(code).example("Right"), "A3").index
    assert index is not None and index.report.kernels
    assert [k.reason for k in index.report.kernels if k.status != "checked"] == []


def of_file(folder: Path, data: str, settings: str = "") -> set[str]:
    """What is told of a file that lies in a project."""
    (folder / "pyproject.toml").write_text(settings, encoding="utf-8")
    (folder / "kernel.py").write_text(data, encoding="utf-8")
    found = analyse(str(folder / "kernel.py"), None, "A3").diagnostics
    return {d.code for d in found if d.severity > Severity.HINT}


@pytest.mark.parametrize("code", [c for c in EXAMPLES if read(c).of_settings])
def test_settings_of_a_page_are_told_and_right(code: str, tmp_path: Path) -> None:
    for heading, wanted in (("Wrong", {code}), ("Right", set())):
        folder = tmp_path / heading
        folder.mkdir()
        assert (
            of_file(folder, read("TL102").example("Right"), read(code).example(heading)) == wanted
        )


def test_a_file_that_is_no_text_is_told_and_right(tmp_path: Path) -> None:
    """Only a file on disk has bytes."""
    assert of_file(tmp_path, read("TL102").example("Wrong")) == {"TL102"}
    assert of_file(tmp_path, read("TL102").example("Right")) == set()
