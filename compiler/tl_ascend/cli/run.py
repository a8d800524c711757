"""What every command shares: a deep stack, clean stops, one line for our own failures."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Callable

from tl_ascend.driver.stack import on_deep_stack

OK, FOUND, FAILED = 0, 1, 2


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

    # What a command has started is ended before it.
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGTERM, getattr(signal, "SIGHUP", signal.SIGTERM)):
            if signal.getsignal(number) is signal.SIG_DFL:  # not what nohup has set
                signal.signal(number, signal.default_int_handler)
    try:
        on_deep_stack(work)
    except KeyboardInterrupt:
        from tl_ascend.toolchain import child

        child.interrupt()
        return 130
    return outcome[0] if outcome else FAILED


def fail(message: str) -> int:
    """One line about what the tool could not do."""
    print(f"error: {message}", file=sys.stderr)
    return FAILED
