"""Code lenses above kernels: build, run, show what becomes of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from tl_ascend_server.capabilities import BUILD, CHOOSE, JSON, RUN, SHOW_IR, SHOW_SOURCE
from tl_ascend_server.convert import position_of
from tl_ascend_server.documents import Document
from tl_ascend_server.features.waiting import await_first, await_result

if TYPE_CHECKING:
    from tl_ascend.ide.kernels import KernelPlace
    from tl_ascend_server.server import Server

TITLES = {
    BUILD: "Build",
    RUN: "Run on NPU",
    CHOOSE: "Choose\N{HORIZONTAL ELLIPSIS}",
    SHOW_SOURCE: "Show emitted source",
    SHOW_IR: "Show lowered IR",
}


async def lenses(server: Server, params: types.CodeLensParams) -> list[JSON]:
    """Those of a document, as far as it is known by now."""
    document = server.documents.get(params.text_document.uri)
    if document is None:
        return []
    if server.client.refresh_lenses:
        await await_result(document, document.now.serial)
    else:
        await await_first(document)
    document.lenses = found = _all(server, document)
    return found


def refresh(server: Server, document: Document) -> None:
    """Ask the client to come again if it would get something else than last time."""
    known = document.lenses
    if server.client.refresh_lenses and known is not None and known != _all(server, document):
        document.lenses = None
        server.protocol.ask(types.WORKSPACE_CODE_LENS_REFRESH, None)


def commands_of(document: Document, kernel: KernelPlace) -> list[JSON]:
    """The commands about a kernel."""
    named = {"uri": document.now.uri, "name": kernel.name, "number": kernel.number}
    return [
        {"title": title, "command": command, "arguments": [named]}
        for command, title in TITLES.items()
    ]


def _all(server: Server, document: Document) -> list[JSON]:
    kernels = document.analysis.kernels if document.analysis is not None else ()
    found = []
    for kernel in kernels:
        start = position_of(document.now.source, server.documents.encoding, kernel.head.start)
        place = {"start": start, "end": start}
        found += [{"range": place, "command": c} for c in commands_of(document, kernel)]
    return found
