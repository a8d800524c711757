"""Building a kernel and running it on an NPU, as commands: progress that can be cancelled, messages of
the compiler at the kernel's lines, a short report."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from lsprotocol import types

from tl_ascend.source.span import Position
from tl_ascend_server.capabilities import JSON, RUN
from tl_ascend_server.convert import range_of
from tl_ascend_server.documents import Document
from tl_ascend_server.features import diagnostics
from tl_ascend_server.features.chosen import document_of, kernel_of, request_of
from tl_ascend_server.features.listings import NO_KERNEL
from tl_ascend_server.jobs import Job

if TYPE_CHECKING:
    from tl_ascend_server.server import Server

SOURCE, RUN_SOURCE = "bisheng", "tl-ascend run"
UNTRUSTED = (
    "tl-ascend builds and runs nothing in a workspace that is not trusted: it may name compilers, "
    "interpreters and hosts."
)
_ERROR, _WARNING, _INFO = 1, 2, 3
_LEVELS = {"fatal error": 1, "error": 1, "warning": 2}
_tokens = count(1)


async def build(server: Server, params: types.ExecuteCommandParams) -> JSON:
    """Build, and run where that is the command. The result says how it ended."""
    if not server.trusted:
        return _tell(server, False, UNTRUSTED, kind=_WARNING)
    data = params.arguments[0] if params.arguments else None
    document = document_of(server, data)
    kernel = await kernel_of(server, document, data)
    if kernel is None:
        return _tell(server, False, NO_KERNEL, kind=_WARNING)
    job = Job()
    if document.job is not None:
        document.job.cancel()
    document.job = job
    _show(server, document, [])
    action = "run" if params.command == RUN else "build"
    token = params.work_done_token if isinstance(params.work_done_token, int | str) else None
    progress = _Progress(server, job, f"{action} {kernel[0]}.{kernel[1]}", token)
    serial = document.now.serial
    try:
        result = await job.run(request_of(server, document, kernel, action, data), progress.report)
    finally:
        progress.end()
        if document.job is job:
            document.job = None
    if result is None:
        text = "was cancelled" if job.cancelled else "has failed: its process ended"
        return _tell(server, False, f"The {action} of {kernel[0]}.{kernel[1]} {text}.")
    if document.now.serial == serial and document.job is None:
        _show(server, document, _items(server, document, result.get("said", [])))
    return _tell(server, result["ok"], result["summary"], result.get("log", ""))


def cancel(server: Server, params: types.WorkDoneProgressCancelParams) -> None:
    """The user has pressed the button."""
    token: object = params.token
    job = server.device_jobs.get(token) if isinstance(token, int | str) else None
    if job is not None:
        job.cancel()


def _tell(server: Server, ok: bool, summary: str, log: str = "", kind: int | None = None) -> JSON:
    kind = kind or (_INFO if ok else _ERROR)
    server.protocol.tell(types.WINDOW_SHOW_MESSAGE, {"type": kind, "message": summary})
    if log:
        message = {"type": _INFO, "message": f"{summary}\n{log}"}
        server.protocol.tell(types.WINDOW_LOG_MESSAGE, message)
    return {"ok": ok, "summary": summary, "log": log}


def _show(server: Server, document: Document, items: list[JSON]) -> None:
    if document.built != items:
        document.built = items
        diagnostics.again(server, document)


def _items(server: Server, document: Document, said: list[JSON]) -> list[JSON]:
    source, encoding = document.now.source, server.documents.encoding
    found = []
    for one in said:
        start, end = Position(*one["start"]), Position(*one["end"])
        place, text = one["original"], one["text"]
        original = [f"{SOURCE}: {place}: {one['level']}: {text}"] if place else []
        item: JSON = {
            "range": range_of(source, encoding, start, end),
            "severity": _LEVELS.get(one["level"], _INFO),
            "source": SOURCE if place else RUN_SOURCE,
            "message": "\n".join((text, *original, *one["notes"])),
        }
        found.append(item)
    return found


class _Progress:
    """What the client shows while a job runs."""

    def __init__(
        self, server: Server, job: Job, title: str, token: types.ProgressToken | None
    ) -> None:
        self._server, self._shown = server, token is not None or server.client.progress
        self._token = token if token is not None else f"tl-ascend-{next(_tokens)}"
        if not self._shown:
            return
        server.device_jobs[self._token] = job
        if token is None:
            wanted = {"token": self._token}
            server.protocol.ask(types.WINDOW_WORK_DONE_PROGRESS_CREATE, wanted)
        self._say({"kind": "begin", "title": title, "cancellable": True})

    def report(self, text: str) -> None:
        self._say({"kind": "report", "message": text, "cancellable": True})

    def end(self) -> None:
        self._say({"kind": "end"})
        self._server.device_jobs.pop(self._token, None)

    def _say(self, value: JSON) -> None:
        if self._shown:
            self._server.protocol.tell(types.PROGRESS, {"token": self._token, "value": value})
