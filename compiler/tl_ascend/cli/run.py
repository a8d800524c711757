"""What every command shares: a deep stack, clean stops, one line for our own failures."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable

from tl_ascend.driver.stack import on_deep_stack

OK, FOUND, FAILED = 0, 1, 2
INTERRUPTED = 130


def guarded(action: Callable[[], int]) -> int:
    """Run a command on a thread with a deep stack. Exit status 2 for what the tool cannot do."""
    outcome: list[int] = []
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):  # what a terminal cannot show must not end the command
            stream.reconfigure(errors="backslashreplace")

    def work() -> None:
        try:
            outcome.append(action())
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            outcome.append(FOUND)
        except OSError as error:
            name = f"{error.filename}: " if error.filename else ""
            outcome.append(fail(f"{name}{error.strerror or error}"))

    if threading.current_thread() is threading.main_thread():
        for number in _ENDING:
            # Not what nohup has set.
            if signal.getsignal(number) in (signal.SIG_DFL, signal.default_int_handler):
                signal.signal(number, _interrupt)
    try:
        on_deep_stack(work)
    except KeyboardInterrupt:
        from tl_ascend.toolchain import child

        child.interrupt()
        return INTERRUPTED
    return outcome[0] if outcome else FAILED


_ENDING = (signal.SIGINT, signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM))


def _interrupt(number: int, frame: object) -> None:
    """What a command has started is ended before it; who does not wait for that ends it with what
    watches it."""
    for each in _ENDING:
        if signal.getsignal(each) is _interrupt:
            signal.signal(each, lambda *_: os._exit(INTERRUPTED))
    raise KeyboardInterrupt


def fail(message: str) -> int:
    """One line about what the tool could not do."""
    print(f"error: {message}", file=sys.stderr)
    return FAILED
