"""Completion of the names of the language, from the text alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from lsprotocol import types

from tl_ascend.ide.completion import complete
from tl_ascend_server.capabilities import JSON
from tl_ascend_server.convert import completions_of
from tl_ascend_server.positions import from_client

if TYPE_CHECKING:
    from tl_ascend_server.server import Server


def completion(server: Server, params: types.CompletionParams) -> JSON | None:
    """Names that may follow the dot before the cursor."""
    snapshot = server.documents.read(params.text_document.uri)
    if snapshot is None:
        return None
    place = params.position
    encoding = server.documents.encoding
    position = from_client(snapshot.source, encoding, place.line, place.character)
    found = complete(snapshot.text, position)
    items = completions_of(found, server.client.markdown_documentation)
    return {"isIncomplete": False, "items": items}
