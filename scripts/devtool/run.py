"""Runs commands: one line a step, the output only of a step that failed."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from devtool.paths import ROOT

Words = Sequence[str | Path]


class StepFailed(Exception):
    """A step failed, and its output was shown; the message says what to do, if anything."""


def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    return {**os.environ, **(extra or {})}


def step(
    title: str, command: Words, *, cwd: Path = ROOT, env: Mapping[str, str] | None = None
) -> None:
    """Runs a command silently; raises with its output shown if it fails."""
    print(f"{title} ... ", end="", flush=True)
    start = time.monotonic()
    try:
        done = subprocess.run(
            command, cwd=cwd, env=_environment(env), check=False,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
    except OSError as error:
        print("FAILED")
        raise StepFailed(f"cannot run {command[0]}: {error.strerror}") from error
    seconds = time.monotonic() - start
    if done.returncode == 0:
        print(f"ok ({seconds:.1f} s)", flush=True)
        return
    print(f"FAILED ({seconds:.1f} s)", flush=True)
    sys.stdout.write(done.stdout.decode(errors="replace"))
    raise StepFailed(f"{title} failed: {' '.join(map(str, command))}")


def quiet(command: Words) -> bool:
    """Whether a command runs and succeeds; its output is of no interest."""
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False


def live(command: Words, *, env: Mapping[str, str] | None = None) -> int:
    """Runs a command whose output is the point; returns its exit status."""
    sys.stdout.flush()
    return subprocess.run(command, cwd=ROOT, env=_environment(env), check=False).returncode
