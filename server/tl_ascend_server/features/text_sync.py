"""Documents open, change, are saved and close."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from lsprotocol import types

from tl_ascend_server.documents import whole
from tl_ascend_server.features import diagnostics
from tl_ascend_server.worker import Urgency

if TYPE_CHECKING:
    from tl_ascend_server.server import Server

log = logging.getLogger(__name__)


def opened(server: Server, params: types.DidOpenTextDocumentParams) -> None:
    """Start to follow a document."""
    item = params.text_document
    document = server.documents.open(item.uri, item.text, item.version)
    server.analyse(document, Urgency.OPEN)


def changed(server: Server, params: types.DidChangeTextDocumentParams) -> None:
    """Apply edits and analyse what has become of the text."""
    item = params.text_document
    document = server.documents.change(item.uri, item.version, params.content_changes)
    if document is not None:
        server.analyse(document, Urgency.EDIT)


def saved(server: Server, params: types.DidSaveTextDocumentParams) -> None:
    """Other documents may import this one. The text that comes along must be the one we have."""
    document = server.documents.get(params.text_document.uri)
    if document is None:
        return
    if params.text is not None and whole(params.text) != document.now.text:
        log.error("the text of %s had diverged from the client's", document.now.uri)
        server.documents.replace(document, params.text)
        server.analyse(document, Urgency.EDIT)
    server.analyse_again(but=document)


def closed(server: Server, params: types.DidCloseTextDocumentParams) -> None:
    """Forget a document; its diagnostics go with it."""
    document = server.documents.close(params.text_document.uri)
    if document is not None:
        if document.job is not None:
            document.job.cancel()
        server.worker.close(document.now.uri, document.now.path)
        diagnostics.clear(server, document)
        if document.analysis is not None:  # what is on disk may be another text
            server.analyse_related(document, document.analysis)
