"""Child processes with a time limit, whose output is kept as far as it came."""

from __future__ import annotations

import codecs
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import IO

from tl_ascend.toolchain.agent import Kept

Heard = Callable[[str], None]
LAST_WORDS = 2.0  # seconds for what a process that has ended had still to say
CANCELLED = "cancelled"
LATE = "no answer within"  # how `why` begins where the time was over, in `agent`, too
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

    @property
    def late(self) -> bool:
        """Whether it was stopped since its time was over."""
        return self.status is None and self.why.startswith(LATE)


def run(
    command: Sequence[str],
    seconds: float,
    environment: Mapping[str, str] | None = None,
    folder: str | None = None,
    cancelled: Callable[[], bool] = lambda: False,
    heard: Heard = lambda _: None,
    scratch: str = "",
) -> Outcome:
    """Run a command in a process group of its own and stop the whole group after the time, or once
    `cancelled` says so. `heard` gets the beginning of its output as it comes, its end at the end. Only
    these are kept: a process that prints without end fills neither memory nor disk. `scratch`: a
    folder that goes with this process should it be killed."""
    if cancelled() or interrupted():
        return Outcome(None, "", "", CANCELLED)
    try:
        process = subprocess.Popen(
            list(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=dict(environment) if environment is not None else None,
            cwd=folder,
            start_new_session=True,
        )
    except (OSError, ValueError) as error:
        return Outcome(None, "", "", f"{command[0]} does not start: {_reason(error)}")
    watcher = _watcher(process.pid, scratch)
    out, err = Kept(), Kept()
    pumps = [_pump(process.stdout, out, heard), _pump(process.stderr, err, heard)]
    try:
        status, why = _wait(process, seconds, cancelled)
    finally:
        if watcher is not None:
            _dismiss(watcher)
        stop(process)
    for pump in pumps:
        pump.join(LAST_WORDS)
    return Outcome(status, text(out.data()), text(err.data()), why)


# Gets its end of input when this process ends, however that happens: nothing outlives a SIGKILL.
_WATCH = 'PATH=/usr/bin:/bin; read _; kill -s KILL -- "-$0"; [ -z "$1" ] || rm -rf -- "$1"'


def _watcher(group: int, scratch: str) -> subprocess.Popen[bytes] | None:
    """A process that ends a group and removes a folder should this process be killed; None where there
    is no shell."""
    try:
        return subprocess.Popen(
            ["/bin/sh", "-c", _WATCH, str(group), scratch],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
    except OSError:
        return None


def _dismiss(watcher: subprocess.Popen[bytes]) -> None:
    """End it before its input ends."""
    stop(watcher)
    assert watcher.stdin is not None
    watcher.stdin.close()


def _pump(stream: IO[bytes] | None, kept: Kept, heard: Heard) -> threading.Thread:
    assert stream is not None
    decode = Decoder(heard)

    def work() -> None:
        with stream:
            while block := os.read(stream.fileno(), 1 << 16):
                decode(kept.add(block))
        decode(kept.last())
        decode.end()

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    return thread


class Decoder:
    """Hands on whole characters of bytes that come in pieces."""

    def __init__(self, heard: Heard) -> None:
        self._heard = heard
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")

    def __call__(self, data: bytes) -> None:
        if found := self._decoder.decode(data):
            self._heard(found)

    def end(self) -> None:
        """What is left of a character that was cut off."""
        if found := self._decoder.decode(b"", True):
            self._heard(found)


def ends(said: str, most: int) -> str:
    """Beginning and end of a text, with a line between them where something is left out."""
    over = len(said) - most
    if over <= 0:
        return said
    half = most // 2
    return f"{said[:half]}\n[{len(said) - 2 * half} characters are left out]\n{said[-half:]}"


def text(data: bytes) -> str:
    """What a process has said."""
    return data.decode("utf-8", "replace")


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
            return None, f"{LATE} {seconds:g} s"
        try:
            status = process.wait(min(left, POLL))
        except subprocess.TimeoutExpired:
            continue
        return status, "" if status >= 0 else signalled(-status)
    return None, CANCELLED


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
