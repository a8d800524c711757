"""Which kernel a command or request is about, and what a task needs to know of it."""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, Any

from tl_ascend_server.capabilities import JSON, look
from tl_ascend_server.documents import Document
from tl_ascend_server.features.waiting import await_result
from tl_ascend_server.positions import from_client
from tl_ascend_server.protocol import InvalidParams

UPSTREAM = "upstream"  # among the folders of headers: those of the installed tilelang

if TYPE_CHECKING:
    from tl_ascend.ide.kernels import KernelPlace
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
    found = await place_of(server, document, data)
    if found is None:
        return None
    instance = look(data, "instance")
    return found.name, instance if type(instance) is int else found.number


async def place_of(server: Server, document: Document, data: Any) -> KernelPlace | None:
    """The kernel with an instance of that name and number, or around `line`."""
    from tl_ascend.ide.kernels import at

    await await_result(document, document.now.serial)
    kernels = document.analysis.kernels if document.analysis is not None else ()
    name, number, line = look(data, "name"), look(data, "number"), look(data, "line")
    if isinstance(name, str):
        wanted = number if type(number) is int else 0
        named = (k for k in kernels if k.name == name and wanted in dict(k.instances))
        return next(named, None)
    first = line if type(line) is int else 0
    return at(kernels, from_client(document.now.source, server.documents.encoding, first, 0).row)


def request_of(
    server: Server, document: Document, kernel: tuple[str, int], action: str, data: Any
) -> JSON:
    """What the task is told: the texts as they are in the editor, the settings, and of `data` what the
    user has chosen for this time."""
    options = server.options
    root = server.root or os.path.dirname(document.now.path)
    return {
        "action": action,
        "path": document.now.path,
        "name": kernel[0],
        "number": kernel[1],
        "stage": stage if isinstance(stage := look(data, "stage"), str) else "",
        "sizes": _sizes(look(data, "sizes")),
        "simulator": look(data, "simulator") is True,
        "device": device if type(device := look(data, "device")) is int else None,
        "root": server.root,
        "texts": {d.now.path: d.now.text for d in server.documents},
        "platform": options.settings.platform,
        "route": options.route,
        "headers": [
            h if h == UPSTREAM else os.path.join(root, os.path.expanduser(h))
            for h in options.headers
        ],
        "python": options.python,
        "remote": options.remote,
    }


def _sizes(data: Any) -> JSON:
    """Numbers by name. Errors: InvalidParams."""
    given = data if isinstance(data, dict) else {}
    for name, value in given.items():
        if type(value) not in (int, float) or not math.isfinite(value):
            raise InvalidParams(f"Invalid params: the size {name} is {value!r}")
    return given
