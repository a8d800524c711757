"""A real VS Code (code-server) in a headless Chromium, with our .vsix, as a user sees it."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from tests.editors.code_server import TIMEOUT_S, CodeServer, pack
from tests.editors.tools import VsCode

HERE = Path(__file__).resolve().parent
SESSION = HERE / "vscode_session.cjs"
HINT = r"A_L1.*float16\[128,64\] L1 zN 16 KiB"
TRUSTED: dict[str, object] = {"security.workspace.trust.enabled": False}
UNTRUSTED: dict[str, object] = {"security.workspace.trust.enabled": True}

pytestmark = pytest.mark.xdist_group("vscode")


@dataclass(frozen=True)
class Driver:
    """Runs scenarios of vscode_session.cjs; every test has its own editor."""

    tools: VsCode
    server: CodeServer
    folder: Path
    work: Path
    pictures: Path

    def run(self, scenario: str, settings: dict[str, object]) -> dict[str, Any]:
        """Returns what a user would have seen."""
        self.server.configure(settings)
        self.server.install(self.tools.vsix)
        plan, out = self.work / "plan.json", self.work / "seen.json"
        with self.server.running() as url:
            steps = {
                "playwright": str(self.tools.playwright), "chromium": str(self.tools.chromium),
                "url": url, "folder": str(self.folder), "scenario": scenario, "hint": HINT,
                "out": str(out), "pictures": str(self.pictures),
            }  # fmt: skip
            plan.write_text(json.dumps(steps), encoding="utf-8")
            session = subprocess.run(
                [self.tools.node, SESSION, plan],
                capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
            )  # fmt: skip
        assert session.returncode == 0, session.stderr
        seen: dict[str, Any] = json.loads(out.read_text(encoding="utf-8"))
        return seen


@pytest.fixture
def drive(vscode: VsCode, server: Path, kernels: Path, screenshots: Path, tmp_path: Path) -> Driver:
    """An editor whose PATH has no server, and whose stand-in for Python knows two interpreters."""
    interpreters = f"{server.parent / 'python'}:/usr/bin/python3"
    environment = {"TL_ASCEND_TEST_INTERPRETERS": interpreters}
    editor = CodeServer(vscode, tmp_path / "home", environment)
    return Driver(vscode, editor, kernels, tmp_path, screenshots)


def link_environment(kernels: Path) -> None:
    """Gives the folder a `.venv` that has the server: this one."""
    (kernels / ".venv").symlink_to(sys.prefix, target_is_directory=True)


def test_usual_life(drive: Driver, kernels: Path) -> None:
    """Found in .venv; hints, problems, edits, settings, restart, logs."""
    link_environment(kernels)
    (kernels / "plain.py").write_text("print('no kernel here')\n", encoding="utf-8")
    seen = drive.run("usual", TRUSTED)
    assert seen["status_plain"] == []
    assert len(seen["hints"]) == 1
    assert "-m tl_ascend_server" in seen["tooltip"] and "workspace .venv" in seen["tooltip"]
    assert any("TL" in row and "tl-ascend" in row for row in seen["problems"])
    assert seen["status_restarted"] == seen["status"]
    assert len(seen["log"]) == 2
    assert seen["killed"] >= 1 and seen["messages"] == []


def test_views_of_a_kernel(drive: Driver, kernels: Path) -> None:
    """Lenses; the emitted source and the IR open beside the kernel; a build says what is missing."""
    link_environment(kernels)
    seen = drive.run("views", TRUSTED)
    assert "Build" in seen["lenses"][0] and "Run on NPU" in seen["lenses"][0]
    assert seen["source"] and seen["ir"]
    assert seen["to_source"] >= 1 and seen["to_kernel"] == 1
    assert len(seen["message"]) == 1
    choices = " ".join(seen["choices"])
    assert "Run on NPU" in choices and "Run on CANN's simulator" in choices


def test_untrusted_folder(drive: Driver, kernels: Path) -> None:
    """The folder's own interpreter is not run, and one message says what to do."""
    link_environment(kernels)
    seen = drive.run("untrusted", UNTRUSTED)
    (message,) = seen["message"]
    assert "not trusted" in message and "pip install tl-ascend" in message
    assert "Open Settings" in message
    assert not [line for line in seen["lines"] if "KiB" in line]


def test_python_extension(drive: Driver) -> None:
    """Its interpreter runs the server; another one without the server is named in the message."""
    drive.server.install(pack(HERE / "python_extension", drive.work / "python.vsix"))
    seen = drive.run("python_extension", TRUSTED)
    assert "Found through: Python extension" in seen["tooltip"]
    (message,) = seen["message"]
    assert "/usr/bin/python3 -m pip install tl-ascend" in message


def test_crashing_server(drive: Driver, kernels: Path) -> None:
    """A few restarts, then a message, never a loop."""
    starts = kernels / "starts"
    script = kernels / "broken server"
    script.write_text(f"#!/bin/sh\necho start >> '{starts}'\nexit 3\n", encoding="utf-8")
    script.chmod(0o755)
    settings = {**TRUSTED, "tl-ascend.server.path": [str(script)]}
    seen = drive.run("crashing", settings)
    (message,) = seen["messages"]
    assert "left stopped" in message and "Show Logs" in message
    assert len(starts.read_text(encoding="utf-8").split()) == 4
