"""Child processes with a time limit, whose output is kept as far as it came."""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

MAX_OUTPUT = 1 << 20
POLL = 0.1  # seconds between two looks at `cancelled`


@dataclass(frozen=True, slots=True)
class Outcome:
    """How a process ended. `status` is None where it did not start or was stopped: `why` says
    which."""

    status: int | None
    out: str
    err: str
    why: str = ""

    @property
    def ok(self) -> bool:
        return self.status == 0


def run(
    command: Sequence[str],
    seconds: float,
    environment: Mapping[str, str] | None = None,
    folder: str | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Outcome:
    """Run a command in a process group of its own and stop the whole group after the time, or once
    `cancelled` says so. Output goes to files: a process that prints without end cannot fill the
    memory."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        try:
            process = subprocess.Popen(
                list(command),
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=err,
                env=dict(environment) if environment is not None else None,
                cwd=folder,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:
            return Outcome(None, "", "", f"{command[0]} does not start: {_reason(error)}")
        try:
            status, why = _wait(process, seconds, cancelled)
        finally:
            stop(process)
        return Outcome(status, _read(out), _read(err), why)


_interrupted = threading.Event()


def interrupt() -> None:
    """End all that runs, here or on another host, and whatever would still be begun: the command is
    being left."""
    _interrupted.set()


def interrupted() -> bool:
    """True once `interrupt` was called."""
    return _interrupted.is_set()


def _wait(
    process: subprocess.Popen[bytes], seconds: float, cancelled: Callable[[], bool]
) -> tuple[int | None, str]:
    end = time.monotonic() + seconds
    while not cancelled() and not interrupted():
        left = end - time.monotonic()
        if left <= 0:
            return None, f"no answer within {seconds:g} s"
        try:
            status = process.wait(min(left, POLL))
        except subprocess.TimeoutExpired:
            continue
        return status, "" if status >= 0 else signalled(-status)
    return None, "cancelled"


def stop(process: subprocess.Popen[bytes]) -> None:
    """End a process and everything that it has started. The group outlives its first member."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except (ProcessLookupError, PermissionError):
        pass
    process.wait()


def signalled(number: int) -> str:
    """What ended a process, in words."""
    try:
        return f"ended by {signal.Signals(number).name}"
    except ValueError:
        return f"ended by signal {number}"


def _reason(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else "") or str(error)


def _read(file: object) -> str:
    """The first part of what was written: enough to say what happened."""
    file.seek(0)  # type: ignore[attr-defined]
    return file.read(MAX_OUTPUT).decode("utf-8", "replace")  # type: ignore[attr-defined,no-any-return]
