"""tl-check as CI uses it: status, selection, comments, baselines, standard input, colours."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from tests.cli.support import MOVED, RIGHT, WIDE, Tool, write


def names(out: str) -> list[str]:
    return [d["name"] for d in json.loads(out)["diagnostics"]]


def test_the_exit_status(tool: Tool) -> None:
    write("right.py", RIGHT)
    write("wide.py", WIDE)
    assert tool("right.py").status == 0
    assert tool("wide.py").status == 1
    assert tool("wide.py", "--exit-zero").status == 0
    assert tool("right.py", "nowhere.py").status == 2


def test_a_missing_path_hides_no_other_file(tool: Tool) -> None:
    write("wide.py", WIDE)
    for order in (("wide.py", "nowhere.py"), ("nowhere.py", "wide.py")):
        said = tool(*order, "--output-format", "json")
        assert said.status == 2 and names(said.out) == ["ub-overflow"]
        assert "nowhere.py: no such file or folder" in said.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("--select", "TL999"),
        ("--ignore", "no-such-thing"),
        ("--severity", "tail=loud"),
        ("--severity", "tail"),
        ("-o", "sarif"),
        ("-o", "nothing:file"),
        ("--write-baseline",),
        ("--stdin-filename", "a.py"),
        ("--output-format", "nothing"),
        ("--baseline", "nowhere.json"),
        ("-",),
    ],
)
def test_what_cannot_be_done_is_status_2(tool: Tool, arguments: tuple[str, ...]) -> None:
    write("right.py", RIGHT)
    said = tool("right.py", *arguments)
    assert said.status == 2 and said.err


def test_selection(tool: Tool) -> None:
    write("wide.py", WIDE)
    for chosen, count in (
        ("--select=TL5", 1),
        ("--select=TL503", 1),
        ("--select=ub-overflow", 1),
        ("--select=TL2,tail", 0),
        ("--ignore=TL5", 0),
        ("--ignore=TL503", 0),
        ("--ignore=TL502", 1),
    ):
        assert len(names(tool("wide.py", "--format", "json", chosen).out)) == count, chosen
    both = tool("wide.py", "--format", "json", "--ignore=TL5", "--select=TL503")
    assert names(both.out) == ["ub-overflow"]
    assert tool("wide.py", "--select=TL5", "--ignore=TL503").status == 0


def test_severities(tool: Tool) -> None:
    write("wide.py", WIDE)
    said = tool("wide.py", "--severity", "TL5=error", "--severity", "ub-overflow=info")
    assert said.status == 0 and "info[TL503]" in said.out
    assert tool("wide.py", "--severity", "TL5=warning", "--fail-level", "warning").status == 1


PROJECT = """[tool.tl-ascend]
ignore = ["ub-overflow"]
[tool.tl-ascend.severity]
unknown-api = "warning"
[tool.tl-ascend.per-file-ignores]
"old/*" = ["TL104"]
"""


def test_settings_of_the_project(tool: Tool) -> None:
    write("pyproject.toml", PROJECT)
    write("wide.py", WIDE)
    write("old/deep/moved.py", MOVED)
    write("new/moved.py", MOVED)
    said = tool(".", "--format", "concise")
    assert [line.split(": ")[1] for line in said.out.splitlines()[:-1]] == [
        "warning[TL104] unknown-api"
    ]
    assert said.out.startswith("new/moved.py") and said.status == 0
    assert "ub-overflow" in tool("wide.py", "--select", "ub-overflow").out


def test_settings_that_are_wrong_are_told(tool: Tool) -> None:
    write("pyproject.toml", '[tool.tl-ascend]\nignore = ["ub-overflaw"]\n')
    write("right.py", RIGHT)
    assert "did you mean 'ub-overflow'?" in tool("right.py").out


def test_what_is_selected_does_not_hide_wrong_settings(tool: Tool) -> None:
    write("pyproject.toml", '[tool.tl-ascend]\nselect = ["TL5", "ub-overflaw"]\n')
    write("right.py", RIGHT)
    assert "did you mean 'ub-overflow'?" in tool("right.py").out
    assert "TL111" not in tool("right.py", "--ignore", "bad-settings").out


@pytest.mark.parametrize("mark", [".git/config", "pyproject.toml", ""])
def test_new_settings_count_beside_results_that_are_kept(tool: Tool, mark: str) -> None:
    if mark:
        write(mark, "")
    write("deep/wide.py", WIDE)
    place = "deep/wide.py"
    assert "ub-overflow" in tool(place).out and "ub-overflow" in tool(place).out
    write("deep/pyproject.toml", '[tool.tl-ascend]\nignore = ["ub-overflow"]\nplatfrom = "A2"\n')
    said = tool(place).out
    assert "ub-overflow" not in said and "did you mean 'platform'?" in said
    write("deep/pyproject.toml", "")
    assert "ub-overflow" in tool(place).out


def test_settings_that_are_wrong_are_told_once(tool: Tool) -> None:
    for project in ("one", "other"):
        write(f"{project}/pyproject.toml", '[tool.tl-ascend]\nplatform = "A7"\n')
        for name in ("a.py", "deep/b.py", "c.py"):
            write(f"{project}/{name}", RIGHT)
    said = [line for line in tool(".", "--format", "concise").out.splitlines() if "TL111" in line]
    assert [line.partition(":")[0] for line in said] == ["one/a.py", "other/a.py"]


def test_a_cached_result_is_chosen_from_anew(tool: Tool) -> None:
    write("wide.py", WIDE)
    for _ in range(2):
        assert names(tool("wide.py", "--format", "json").out) == ["ub-overflow"]
        assert names(tool("wide.py", "--format", "json", "--ignore", "TL5").out) == []


def test_a_baseline_hides_what_it_lists_wherever_it_moves(tool: Tool) -> None:
    write("wide.py", WIDE)
    made = tool("wide.py", "--baseline", "known.json", "--write-baseline")
    assert made.status == 0 and made.err == "known.json: 1 finding\n"
    assert tool("wide.py", "--baseline", "known.json").status == 0
    write("wide.py", "# a line\n\n" + WIDE.replace("        a =", "        a  =  "))
    assert tool("wide.py", "--baseline", "known.json").status == 0
    write("wide.py", WIDE.replace("512, 512", "512, 1024"))
    assert tool("wide.py", "--baseline", "known.json").status == 1
    twice = WIDE + WIDE[WIDE.index("@") :].replace("def main", "def other")
    write("wide.py", twice)
    again = tool("wide.py", "--baseline", "known.json", "--format", "json")
    assert (names(again.out), again.status) == (["ub-overflow"], 1)
    write("wide.py", RIGHT)
    gone = tool("wide.py", "--baseline", "known.json")
    assert gone.status == 0 and "1 finding of the baseline is no longer there" in gone.err


def test_files_of_one_name_in_no_project_are_not_taken_for_each_other(tool: Tool) -> None:
    Path("pyproject.toml").unlink()
    write("old/wide.py", WIDE)
    write("new/wide.py", WIDE)
    tool("old", "--baseline", "known.json", "--write-baseline")
    assert json.loads(Path("known.json").read_text())["findings"][0]["path"] == "old/wide.py"
    run = tool(".", "--baseline", "known.json", "--format", "concise")
    assert run.status == 1 and "new/wide.py" in run.out and "old/wide.py" not in run.out
    both = tool(".", "--format", "gitlab")
    assert len({issue["fingerprint"] for issue in json.loads(both.out)}) == 2


def test_a_folder_that_cannot_be_read_is_told(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    write("kernels/right.py", RIGHT)
    write("kernels/closed/wide.py", WIDE)
    listed = os.scandir

    def refuse(path: str) -> Any:
        if str(path).endswith("closed"):
            raise PermissionError(13, "Permission denied", path)
        return listed(path)

    monkeypatch.setattr(os, "scandir", refuse)
    run = tool("kernels")
    assert run.status == 2 and "kernels/closed: Permission denied" in run.err


def test_a_baseline_is_the_same_each_time(tool: Tool) -> None:
    write("b.py", WIDE)
    write("a.py", MOVED)
    texts = []
    for order in (("a.py", "b.py"), ("b.py", "a.py")):
        tool(*order, "--baseline", "known.json", "--write-baseline")
        with open("known.json", encoding="utf-8") as file:
            texts.append(file.read())
    assert texts[0] == texts[1]
    assert [f["path"] for f in json.loads(texts[0])["findings"]] == ["a.py", "b.py"]


@pytest.mark.parametrize("text", ["", "[]", "{}", '{"version": 7, "findings": []}'])
def test_a_file_that_is_no_baseline(tool: Tool, text: str) -> None:
    write("wide.py", WIDE)
    write("known.json", text)
    assert tool("wide.py", "--baseline", "known.json").status == 2


def given(monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    stream = SimpleNamespace(buffer=io.BytesIO(text.encode()))
    monkeypatch.setattr(sys, "stdin", stream)


def test_standard_input(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, WIDE)
    said = tool("-", "--stdin-filename", "sub/k.py", "--format", "concise")
    assert said.status == 1 and said.out.startswith("sub/k.py:7:13: error[TL503]")
    given(monkeypatch, RIGHT)
    assert tool("-").status == 0
    given(monkeypatch, "# -*- coding: nothing -*-\n")
    assert tool("-").status == 2


def test_standard_input_sees_the_settings_of_its_file(
    tool: Tool, monkeypatch: pytest.MonkeyPatch
) -> None:
    write("pyproject.toml", PROJECT)
    given(monkeypatch, MOVED)
    assert "TL104" not in tool("-", "--stdin-filename", "old/k.py").out


def test_repairing_standard_input(tool: Tool, monkeypatch: pytest.MonkeyPatch) -> None:
    given(monkeypatch, MOVED)
    said = tool("-", "--fix")
    assert said.out == MOVED.replace("T.fill", "T.tile.fill")
    assert said.status == 0 and "0 errors" in said.err
    given(monkeypatch, MOVED)
    assert tool("-", "--diff").status == 1


def test_statistics(tool: Tool) -> None:
    write("a.py", WIDE)
    write("b.py", WIDE)
    write("c.py", MOVED)
    lines = tool(".", "--statistics").out.splitlines()
    assert lines[:2] == ["2  TL503  [ ]  ub-overflow", "1  TL104  [*]  unknown-api"]


@pytest.mark.parametrize(
    ("variables", "arguments", "colored"),
    [
        ({}, (), False),
        ({"FORCE_COLOR": "1"}, (), True),
        ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, (), False),
        ({"NO_COLOR": "1"}, ("--color", "always"), True),
        ({"FORCE_COLOR": "1"}, ("--color", "never"), False),
    ],
)
def test_colours(
    tool: Tool,
    monkeypatch: pytest.MonkeyPatch,
    variables: dict[str, str],
    arguments: tuple[str, ...],
    colored: bool,
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    write("wide.py", WIDE)
    for form in ("full", "concise", "statistics"):
        assert ("\x1b[" in tool("wide.py", "--format", form, *arguments).out) == colored
    assert "\x1b[" not in tool("wide.py", "--format", "json", *arguments).out


def test_what_the_cache_holds_is_told_without_the_compiler(tmp_path: Path) -> None:
    """The compiler takes several times as long to load as all else does."""
    (tmp_path / "right.py").write_text(RIGHT)
    told = (
        "import sys; from tl_ascend.cli.check import main; status = main(['right.py'])\n"
        "print('compiler' if 'tl_ascend.driver.check' in sys.modules else 'cache', status)"
    )
    environment = {**os.environ, "TL_ASCEND_CACHE_DIR": str(tmp_path / "kept")}
    runs = [
        subprocess.run(
            [sys.executable, "-c", told],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
            check=True,
        )
        for _ in range(2)
    ]
    assert [run.stdout.split("\n")[-2] for run in runs] == ["compiler 0", "cache 0"]
