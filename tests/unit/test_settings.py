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
        ("instances = 3", ""),
        ("tile = 3", "there is no setting 'tile'"),
        ("platform =", ""),
    ],
)
def test_a_mistake_is_a_problem_and_the_defaults_hold(tmp_path: Path, line: str, why: str) -> None:
    found = project_settings(settings(tmp_path, f"[tool.tl-ascend]\n{line}\n"))
    assert why in found.problem and found.problem.startswith("pyproject.toml")
    assert (found.platform, found.max_instances) == ("auto", 16)


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
