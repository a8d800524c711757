"""A child process that does one thing for the server: `python -m tl_ascend_server.task`.

A line of JSON on standard input says what; lines of JSON on standard output are `progress` and at last
`result`. When the input ends, nobody waits any more: what was started is ended, and so is this.
"""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable
from typing import Any

from tl_ascend.driver.strict_json import dumps

NICE = 5  # the server and the editor come first
GRACE_S = 4.0  # to end compilers and programs, here or on another host

JSON = dict[str, Any]
Say = Callable[..., None]


def main() -> None:
    """Do what the first line of the input says."""
    out = os.fdopen(os.dup(1), "w", encoding="ascii")
    os.dup2(2, 1)  # what libraries print is no message of ours
    if hasattr(os, "nice"):
        os.nice(NICE)
    line = sys.stdin.readline()
    if not line.endswith("\n"):
        return  # cancelled before it was asked for anything
    request = json.loads(line)
    cancelled = threading.Event()
    threading.Thread(target=_await_end, args=(cancelled,), daemon=True).start()

    def say(**what: Any) -> None:
        out.write(dumps(what) + "\n")
        out.flush()

    result: list[JSON] = []

    def work() -> None:
        result.append(perform(request, say, cancelled.is_set))

    from tl_ascend.driver.stack import on_deep_stack

    on_deep_stack(work)
    say(result=result[0] if result else None)
    os._exit(0)  # an evaluation that nobody waits for may still run


def _await_end(cancelled: threading.Event) -> None:
    while sys.stdin.readline():
        pass
    cancelled.set()
    threading.Event().wait(GRACE_S)
    os._exit(1)


def perform(request: JSON, say: Say, cancelled: Callable[[], bool]) -> JSON:
    """The answer to a request."""
    from tl_ascend.driver.check import Checker, options_for
    from tl_ascend.driver.files import Files
    from tl_ascend.driver.select import BadSelection, select
    from tl_ascend.source.budget import Cancelled

    files = Files(request["root"])
    for path, text in request["texts"].items():
        files.set_text(path, text)
    say(progress="evaluating the kernel")
    # Upstream's own limits do not bind our programs: only what the hardware refuses blocks.
    options = options_for(request["path"], request["platform"], "none")
    try:
        report = Checker(files).check(request["path"], options, cancelled)
        (item,) = select(report, request["name"], str(request["number"]))
        action = ACTIONS[request["action"]]
        return action(item, request, lambda text: say(progress=text), cancelled)
    except (Cancelled, BadSelection, OSError) as error:
        return {"ok": False, "summary": str(error) or "cancelled", "why": str(error)}


def _device(item: Any, request: JSON, progress: Any, cancelled: Any) -> JSON:
    from tl_ascend.ide.device import Task, Wish

    wish = Wish(
        request["route"],
        tuple(request["headers"]),
        request["python"],
        request["remote"],
        request["simulator"],
        request["sizes"],
        request["device"],
    )
    task = Task(item, wish, dict(os.environ), progress, cancelled)
    told = task.run() if request["action"] == "run" else task.build()
    said = [
        {
            "start": [one.range.start.row, one.range.start.column],
            "end": [one.range.end.row, one.range.end.column],
            "level": one.level,
            "text": one.text,
            "original": one.original,
            "notes": list(one.notes),
        }
        for one in told.said
    ]
    return {"ok": told.ok, "summary": told.summary, "log": told.log, "said": said}


def _listing(item: Any, request: JSON, progress: Any, cancelled: Any) -> JSON:
    from tl_ascend.ide import listing

    if request["action"] == listing.SOURCE:
        found = listing.emitted_source(item, request["route"])
    else:
        found = listing.lowered_ir(item, request["stage"])
    return {
        "title": found.title,
        "language": found.language,
        "text": found.text,
        "lines": [[row - 1, line - 1] for row, line in found.lines],
        "why": found.why,
    }


ACTIONS: dict[str, Callable[[Any, JSON, Any, Any], JSON]] = {
    "build": _device,
    "run": _device,
    "source": _listing,
    "ir": _listing,
}

if __name__ == "__main__":
    main()
