"""Inlay hints: at once what is known, moved along with edits; when newer ones are there, the client
is asked to come again."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from functools import partial
from typing import TYPE_CHECKING

from lsprotocol import types

from tl_ascend.ide.shift import shift_hints
from tl_ascend_server.capabilities import JSON
from tl_ascend_server.convert import hints_of
from tl_ascend_server.documents import Document, Shown

if TYPE_CHECKING:
    from tl_ascend_server.server import Server


def inlay_hints(server: Server, params: types.InlayHintParams) -> list[JSON]:
    """The hints of a range."""
    document = server.documents.get(params.text_document.uri)
    if document is None:
        return []
    document.served = items = _all(server, document)
    server.refreshing = False
    start, end = params.range.start, params.range.end
    first = bisect_left(items, (start.line, start.character), key=_place)
    last = bisect_right(items, (end.line, end.character), key=_place)
    return items[first:last]


def refresh(server: Server, document: Document) -> None:
    """Ask the client to come again if it would get something else than last time."""
    if not server.client.refresh_hints or document.served is None:
        return
    if server.refreshing or document.served == _all(server, document):
        return
    server.refreshing = True
    server.protocol.ask(types.WORKSPACE_INLAY_HINT_REFRESH, None, partial(_refreshed, server))


def _refreshed(server: Server, result: object) -> None:
    server.refreshing = False


def _place(item: JSON) -> tuple[int, int]:
    position = item["position"]
    return position["line"], position["character"]


def _all(server: Server, document: Document) -> list[JSON]:
    shown = document.shown
    if shown is None:
        return []
    now = document.now
    if shown.text != now.text:
        shown = Shown(now.text, shift_hints(shown.hints, shown.text, now.text))
        document.shown = shown
    if shown.items is None:
        options = server.options
        hints = [hint for hint in shown.hints if options.settings.hints.get(hint.kind, True)]
        encoding = server.documents.encoding
        shown.items = hints_of(tuple(hints), now.source, encoding, options.max_label)
    return shown.items
