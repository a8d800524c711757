"""Which kernel a command or request is about, and what a task needs to know of it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from tl_ascend_server.capabilities import JSON, look
from tl_ascend_server.documents import Document
from tl_ascend_server.features.waiting import await_result
from tl_ascend_server.positions import from_client
from tl_ascend_server.protocol import InvalidParams

if TYPE_CHECKING:
    from tl_ascend_server.server import Server


def document_of(server: Server, data: Any) -> Document:
    """The open document that is named. Errors: InvalidParams."""
    uri = look(data, "uri")
    document = server.documents.get(uri) if isinstance(uri, str) else None
    if document is None:
        raise InvalidParams(f"Invalid params: no open document {uri!r}")
    return document


async def kernel_of(server: Server, document: Document, data: Any) -> tuple[str, int] | None:
    """Name and number, as `name` and `number` say or as those of the kernel around `line`."""
    name, number = look(data, "name"), look(data, "number")
    if isinstance(name, str):
        return name, number if type(number) is int else 0
    from tl_ascend.ide.kernels import at

    await await_result(document, document.now.serial)
    line = look(data, "line")
    row = from_client(
        document.now.source, server.documents.encoding, line if type(line) is int else 0, 0
    ).row
    found = at(document.analysis.kernels, row) if document.analysis is not None else None
    return (found.name, found.number) if found is not None else None


def request_of(
    server: Server, document: Document, kernel: tuple[str, int], action: str, stage: str = ""
) -> JSON:
    """What the task is told: the texts as they are in the editor, and the settings."""
    options = server.options
    root = server.root or os.path.dirname(document.now.path)
    return {
        "action": action,
        "path": document.now.path,
        "name": kernel[0],
        "number": kernel[1],
        "stage": stage,
        "root": server.root,
        "texts": {d.now.path: d.now.text for d in server.documents},
        "platform": options.settings.platform,
        "route": options.route,
        "headers": [os.path.join(root, os.path.expanduser(h)) for h in options.headers],
        "python": options.python,
        "remote": options.remote,
    }
