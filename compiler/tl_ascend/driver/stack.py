"""A deep stack for code that walks deep trees: the main thread's is too small for it."""

from __future__ import annotations

import gc
import sys
import threading
from collections.abc import Callable
from typing import TypeVar

STACK_BYTES = 256 * 1024 * 1024
RECURSION = 20_000

_T = TypeVar("_T")


def on_deep_stack(action: Callable[[], _T]) -> _T:
    """Run an action on a thread with a deep stack; its exception is raised here."""
    outcome: list[_T] = []
    failure: list[BaseException] = []

    def work() -> None:
        try:
            outcome.append(action())
        except BaseException as error:
            failure.append(error)

    # Trees are many small objects that live long: collecting less often halves the time.
    gc.set_threshold(200_000, 50, 100)
    sys.setrecursionlimit(max(sys.getrecursionlimit(), RECURSION))
    previous = threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    threading.stack_size(previous)
    thread.join()
    if failure:
        raise failure[0]
    return outcome[0]
