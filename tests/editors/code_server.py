"""Starts a VS Code of its own for one test: no settings, state or extensions of anybody else."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import time
import urllib.request
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest
from tests.editors.tools import VsCode

TIMEOUT_S = 300
START_S = 60

SETTINGS: dict[str, object] = {
    "chat.disableAIFeatures": True,
    "editor.inlayHints.enabled": "on",
    "editor.quickSuggestions": {"other": "off", "comments": "off", "strings": "off"},
    "extensions.autoCheckUpdates": False,
    "extensions.autoUpdate": False,
    "extensions.ignoreRecommendations": True,
    "files.exclude": {"**/.venv": True},
    "files.watcherExclude": {"**/.venv/**": True},
    "git.enabled": False,
    "security.workspace.trust.banner": "never",
    "security.workspace.trust.startupPrompt": "never",
    "telemetry.telemetryLevel": "off",
    "update.mode": "none",
    "workbench.secondarySideBar.defaultVisibility": "hidden",
    "workbench.startupEditor": "none",
}


def free_port() -> int:
    """A port that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
    return port


def pack(extension: Path, target: Path) -> Path:
    """A .vsix of a folder that needs no build."""
    with zipfile.ZipFile(target, "w") as archive:
        for file in extension.iterdir():
            archive.write(file, f"extension/{file.name}")
    return target


class CodeServer:
    """One installation of VS Code's settings and extensions in a folder of its own."""

    def __init__(self, tools: VsCode, home: Path, environment: Mapping[str, str]) -> None:
        data, extensions = str(home / "data"), str(home / "extensions")
        self.home = home
        self.command = [str(tools.node), str(tools.code_server)]
        self.command += ["--user-data-dir", data, "--extensions-dir", extensions]
        path = os.pathsep.join([str(tools.node.parent), "/usr/bin", "/bin"])
        mine = {"PATH": path, "XDG_CONFIG_HOME": str(home), **environment}
        self.environment = {**os.environ, **mine}

    def configure(self, settings: Mapping[str, object]) -> None:
        """Writes the settings; a program's path counts only among those of the machine."""
        for scope in ("User", "Machine"):
            file = self.home / "data" / scope / "settings.json"
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(json.dumps({**SETTINGS, **settings}), encoding="utf-8")

    def install(self, vsix: Path) -> None:
        """Installs an extension."""
        done = subprocess.run(
            [*self.command, "--install-extension", str(vsix)],
            env=self.environment, capture_output=True, text=True, timeout=TIMEOUT_S, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stdout + done.stderr

    @contextmanager
    def running(self) -> Iterator[str]:
        """The editor while it runs; yields its address."""
        port = free_port()
        flags = ["--auth", "none", "--bind-addr", f"127.0.0.1:{port}"]
        flags += ["--disable-telemetry", "--disable-update-check"]
        with (self.home / "code-server.log").open("wb") as log:
            process = subprocess.Popen(
                [*self.command, *flags], env=self.environment, stdout=log, stderr=log,
                start_new_session=True,
            )  # fmt: skip
        try:
            wait_until_healthy(f"http://127.0.0.1:{port}", process)
            yield f"http://127.0.0.1:{port}"
        finally:
            stop_group(process)


def stop_group(process: subprocess.Popen[bytes]) -> None:
    """Ends the editor and whatever it started: in good order, then for certain."""
    process.terminate()
    with suppress(subprocess.TimeoutExpired):
        process.wait(30)
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def wait_until_healthy(url: str, process: subprocess.Popen[bytes]) -> None:
    """Returns when the editor answers."""
    deadline = time.monotonic() + START_S
    while time.monotonic() < deadline and process.poll() is None:
        try:
            with urllib.request.urlopen(f"{url}/healthz", timeout=5):
                return
        except OSError:
            time.sleep(0.1)
    pytest.fail("code-server did not start", pytrace=False)
