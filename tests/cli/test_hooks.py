"""The hook for pre-commit and the action for GitHub: they parse, and what they run exists and runs."""

from __future__ import annotations

import os
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.cli.support import RIGHT, WIDE
from tests.tidy.files import ROOT

from tl_ascend.cli import options
from tl_ascend.driver.settings import tomllib


def loaded(name: str) -> Any:
    return yaml.safe_load((ROOT / name).read_text(encoding="utf-8"))


def scripts() -> dict[str, str]:
    found = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    return dict(found["project"]["scripts"])


def test_each_hook_runs_a_command_of_ours_on_python() -> None:
    hooks = loaded(".pre-commit-hooks.yaml")
    assert [hook["id"] for hook in hooks] == ["tl-check", "tl-check-fix"]
    for hook in hooks:
        command, *arguments = hook["entry"].split()
        assert command in scripts() and hook["language"] == "python"
        assert hook["types_or"] == ["python"] and hook["name"] and hook["description"]
        options.parse([*arguments, "kernel.py"])


@pytest.fixture
def commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with tl-check on the PATH, as an installation has it."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "tl-check"
    script.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m tl_ascend.cli.check "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def step(name: str) -> dict[str, Any]:
    steps = loaded("action.yml")["runs"]["steps"]
    (found,) = [s for s in steps if s["name"] == name]
    return dict(found)


def run(**inputs: str) -> subprocess.CompletedProcess[str]:
    """The step that checks, as a runner runs it."""
    bash = shutil.which("bash")
    assert bash
    told = {name: data["default"] for name, data in loaded("action.yml")["inputs"].items()}
    told |= inputs
    env = {name: told[name.lower()] for name in step("Check")["env"]}
    command = [bash, "--noprofile", "--norc", "-eo", "pipefail", "-c", step("Check")["run"]]
    return subprocess.run(command, env={**os.environ, **env}, capture_output=True, text=True)


def test_the_action_annotates_and_fails(commands: Path) -> None:
    (commands / "my kernel.py").write_text(WIDE)
    (commands / "right.py").write_text(RIGHT)
    said = run(paths="my kernel.py\nright.py", sarif="all.sarif")
    assert said.returncode == 1 and said.stdout.startswith("::error title=TL503"), said.stderr
    assert (commands / "all.sarif").exists()
    assert run(paths="right.py\n").returncode == 0
    assert run(paths="my kernel.py", args="--ignore\nTL503").returncode == 0


def test_the_action_is_one(commands: Path) -> None:
    action = loaded("action.yml")
    assert action["runs"]["using"] == "composite" and action["name"] and action["description"]
    for name, data in action["inputs"].items():
        assert data["description"] and "default" in data, name
    for one in action["runs"]["steps"]:
        assert ("shell" in one and "run" in one) or "@" in one["uses"]
        assert "${{" not in one.get("run", ""), "an input in a script could run anything"
