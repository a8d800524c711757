"""[tool.tl-ascend] in a project's pyproject.toml."""

from __future__ import annotations

from pathlib import Path

import pytest

from tl_ascend.driver.check import options_for
from tl_ascend.driver.settings import platform_named, project_settings


def settings(folder: Path, text: str) -> str:
    (folder / "pyproject.toml").write_text(text, encoding="utf-8")
    return str(folder / "k.py")


def test_without_a_section_the_defaults_hold(tmp_path: Path) -> None:
    found = project_settings(settings(tmp_path, "[project]\nname = 'x'\n"))
    assert (found.platform, found.upstream, found.problem) == ("auto", "snapshot", "")


def test_all_settings(tmp_path: Path) -> None:
    text = """
[tool.tl-ascend]
platform = "A5"
upstream = "none"
cores = 20
max-instances = 3
[tool.tl-ascend.instances]
"k.py:f" = ["n=1", "n=2"]
"sub/k.py:f" = ["n=3"]
"""
    path = settings(tmp_path, text)
    found = project_settings(path)
    assert (found.platform, found.upstream, found.cores) == ("A5", "none", 20)
    assert found.max_instances == 3
    assert found.stated_for(path) == {"f": ("n=1", "n=2")}
    assert found.stated_for(str(tmp_path / "sub" / "k.py")) == {"f": ("n=3",)}
    assert found.stated_for("/elsewhere/k.py") == {}


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ('platform = "A7"', "platform is one of auto, A2, A3, A5"),
        ('upstream = "maybe"', "upstream is one of snapshot, none"),
        ("cores = 0", "cores is a positive number"),
        ('max-instances = "many"', "max-instances is a positive number"),
        ("instances = 3", "instances is a table of lists, not 3"),
        ("tile = 3", "there is no setting 'tile'"),
        (
            "max_instances = 3",
            "there is no setting 'max_instances' (did you mean 'max-instances'?)",
        ),
        ("per-file-ignores = 3", "per-file-ignores is a table of lists"),
        ("severity = 3", "severity is a table"),
        ("ignore = [3]", "3 is no text"),
        ('severity = { tail = "loud" }', "a severity is one of"),
        ("platform =", ""),
    ],
)
def test_a_mistake_is_a_problem_and_the_defaults_hold(tmp_path: Path, line: str, why: str) -> None:
    found = project_settings(settings(tmp_path, f"[tool.tl-ascend]\n{line}\n"))
    assert why in found.problem and found.problem.startswith("pyproject.toml")
    assert (found.platform, found.max_instances) == ("auto", 16)


@pytest.mark.parametrize(
    "wrong",
    ["ingore = ['tail']", "cores = 0", "remote = 3", "ignore = ['tails', 'tail']", "instances = 3"],
)
def test_the_other_settings_hold_beside_a_mistake(tmp_path: Path, wrong: str) -> None:
    right = 'platform = "A2"\nmax-instances = 3\nselect = ["TL8"]\nseverity = { tail = "error" }\n'
    found = project_settings(settings(tmp_path, f"[tool.tl-ascend]\n{right}{wrong}\n"))
    assert found.problem and found.remote == {}
    assert (found.platform, found.max_instances, found.rules.select) == ("A2", 3, ("TL8",))
    assert len(found.rules.severity) == 1
    assert found.rules.ignore == (("tail",) if "tails" in wrong else ())


def test_all_mistakes_are_told(tmp_path: Path) -> None:
    lines = "[tool.tl-ascend]\ncores = 0\nplatfrom = 'A2'\nignore = ['tails']\n"
    problem = project_settings(settings(tmp_path, lines)).problem
    assert "cores is" in problem and "did you mean 'platform'" in problem and "'tail'" in problem


def test_what_is_given_counts_before_the_project(tmp_path: Path) -> None:
    path = settings(tmp_path, '[tool.tl-ascend]\nplatform = "A5"\n')
    assert options_for(path, "auto", "snapshot").platform.name == "A5"
    assert options_for(path, "A2", "snapshot").platform.name == "A2"


def test_the_environment_names_a_platform(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TL_PLATFORM", "a5")
    assert platform_named("auto").name == "A5"
    assert platform_named("A2").name == "A2"
    monkeypatch.setenv("TL_PLATFORM", "nonsense")
    assert platform_named("auto").name == "A3"
