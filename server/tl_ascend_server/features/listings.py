"""Emitted source and lowered IR of a kernel, with the map between their lines and the kernel's."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from tl_ascend_server.capabilities import JSON, SHOW_IR
from tl_ascend_server.features.chosen import document_of, kernel_of, request_of
from tl_ascend_server.jobs import Job

if TYPE_CHECKING:
    from tl_ascend_server.server import Server

EMITTED_SOURCE: Final = "tl-ascend/emittedSource"
LOWERED_IR: Final = "tl-ascend/loweredIr"
STAGES: Final = "tl-ascend/stages"
NO_KERNEL = "There is no kernel here: put the cursor into one."


async def emitted_source(server: Server, params: Any) -> JSON:
    """`uri` with `name` and `number`, or with `line`; the answer has `text`, or `why` there is none,
    and `lines`: pairs of a line of the text and one of the kernel's file, from 0."""
    return await _listing(server, params, "source")


async def lowered_ir(server: Server, params: Any) -> JSON:
    """The same, after `stage`."""
    return await _listing(server, params, "ir")


async def shown(server: Server, params: types.ExecuteCommandParams) -> JSON:
    """For clients that have no document to show it in: the answer as the command's result."""
    data = params.arguments[0] if params.arguments else None
    return await _listing(server, data, "ir" if params.command == SHOW_IR else "source")


def stages(server: Server, params: Any) -> list[JSON]:
    """The stages after which a kernel can be shown, in order."""
    from tl_ascend.ide.listing import stages

    return [{"name": name, "reason": reason} for name, reason in stages()]


async def _listing(server: Server, data: Any, action: str) -> JSON:
    document = document_of(server, data)
    kernel = await kernel_of(server, document, data)
    if kernel is None:
        return _nothing(NO_KERNEL)
    request = request_of(server, document, kernel, action, data)
    result = await Job().run(request, lambda text: None)
    if result is None or "lines" not in result:
        return _nothing((result or {}).get("why") or "The compiler has failed; the log says more.")
    return {**result, "name": kernel[0], "number": kernel[1], "version": document.now.version}


def _nothing(why: str) -> JSON:
    return {"title": "", "language": "plaintext", "text": "", "lines": [], "why": why}
