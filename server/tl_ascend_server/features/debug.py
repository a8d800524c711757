"""Requests that tests and bug reports need."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tl_ascend_server.capabilities import JSON, look
from tl_ascend_server.protocol import InvalidParams

if TYPE_CHECKING:
    from tl_ascend_server.server import Server

DOCUMENT_TEXT: Final = "tl-ascend/documentText"


def document_text(server: Server, params: Any) -> JSON | None:
    """The text of a document as the server has it; of one that is not open, as it is on disk."""
    uri = look(params, "textDocument.uri")
    if not isinstance(uri, str):
        raise InvalidParams("Invalid params: textDocument.uri is missing")
    snapshot = server.documents.read(uri)
    return None if snapshot is None else {"text": snapshot.text, "version": snapshot.version}
