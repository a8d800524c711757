"""Hover: what the analysis knows of the token under the cursor."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from lsprotocol import types

from tl_ascend.ide.model import Hover
from tl_ascend.ide.shift import row_before
from tl_ascend.source.span import Position
from tl_ascend_server.capabilities import JSON
from tl_ascend_server.convert import hover_of
from tl_ascend_server.documents import Document
from tl_ascend_server.features.waiting import await_result
from tl_ascend_server.positions import from_client

if TYPE_CHECKING:
    from tl_ascend_server.server import Server


async def hover(server: Server, params: types.HoverParams) -> JSON | None:
    """Waits a moment for an analysis that is under way; after that an older one has to do."""
    document = server.documents.get(params.text_document.uri)
    if document is None:
        return None
    asked, encoding = document.now, server.documents.encoding
    place = params.position
    position = from_client(asked.source, encoding, place.line, place.character)
    await await_result(document, asked.serial)
    found = _hover(document, asked.text, position)
    if found is None:
        return None
    return hover_of(found, asked.source, encoding, server.client.markdown_hover)


def _hover(document: Document, text: str, position: Position) -> Hover | None:
    analysis = document.analysis
    if analysis is None:
        return None
    if analysis.text == text:
        return analysis.hover(position)
    row = row_before(analysis.text, text, position.row)
    if row is None:
        return None
    found = analysis.hover(Position(row, position.column))
    return found and _moved(found, position.row - row)


def _moved(found: Hover, rows: int) -> Hover:
    start, end = found.range.start, found.range.end
    return replace(
        found,
        range=replace(
            found.range,
            start=replace(start, row=start.row + rows),
            end=replace(end, row=end.row + rows),
        ),
    )
