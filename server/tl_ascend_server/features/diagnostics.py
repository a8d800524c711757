"""Diagnostics: pushed with their version for every version that was analysed.

A client that pulls a document gets it that way only from then on.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from lsprotocol import types

from tl_ascend.diagnostics.catalogue import BY_NAME
from tl_ascend.driver.strict_json import dumps
from tl_ascend_server.capabilities import JSON, SECTION
from tl_ascend_server.convert import ERROR, WARNING, diagnostics_of, first_line
from tl_ascend_server.documents import Document
from tl_ascend_server.worker import Failure, Outcome

if TYPE_CHECKING:
    from tl_ascend_server.server import Server

_FAILURES = {
    Failure.CRASH: (
        "internal-error",
        ERROR,
        "tl-ascend has a bug that this file brings out; other files are not affected: {}",
    ),
    Failure.OVERRUN: (
        "budget-exceeded",
        WARNING,
        "The analysis of this file was stopped after {}; it is set aside until its text changes.",
    ),
    Failure.SET_ASIDE: (
        "internal-error",
        WARNING,
        "The server ended unexpectedly while it analysed this text, so the file is set aside "
        "until its text changes.",
    ),
    Failure.NOT_LOADED: (
        "internal-error",
        ERROR,
        "The compiler of tl-ascend cannot be loaded, so nothing is checked: {}",
    ),
}


def deliver(server: Server, document: Document, outcome: Outcome) -> None:
    """There is a new result for the present text. A second equal one is not told."""
    items = _items(server, document, outcome)
    again = document.current
    if again and items == document.diagnostics:
        return
    document.diagnostics, document.result_serial = items, document.now.serial
    if not document.pulled:
        _publish(server, document, items)
    elif again:
        server.protocol.ask(types.WORKSPACE_DIAGNOSTIC_REFRESH, None)
    document.wake()


def again(server: Server, document: Document) -> None:
    """Something else than the analysis has come to be told, or has gone."""
    if document.pulled:
        server.protocol.ask(types.WORKSPACE_DIAGNOSTIC_REFRESH, None)
    elif document.diagnostics is not None:
        _publish(server, document, document.diagnostics)


def clear(server: Server, document: Document) -> None:
    """The document is closed."""
    document.wake()
    server.projects.forget(document.now.path)
    document.built = []
    if not document.pulled:
        _publish(server, document, [], version=False)


async def pulled(server: Server, params: types.DocumentDiagnosticParams) -> JSON:
    """Waits for the result of the present text."""
    uri = params.text_document.uri
    document = server.documents.get(uri)
    if document is None:
        return _report([], "")
    if not document.pulled:
        document.pulled = True
        if document.diagnostics or document.built:
            _publish(server, document, None)
    while not document.current:
        if server.documents.get(uri) is not document:
            return _report([], "")
        await document.news()
    items = [*(document.diagnostics or ()), *document.built]
    identity = hashlib.blake2b(dumps(items).encode(), digest_size=12).hexdigest()
    return _report(items, identity, params.previous_result_id)


def _publish(
    server: Server, document: Document, items: list[JSON] | None, *, version: bool = True
) -> None:
    """`None`: nothing at all, not even what is told besides the analysis."""
    told = [] if items is None else [*items, *document.built]
    params: JSON = {"uri": document.now.uri, "diagnostics": told}
    if version and document.now.version is not None:
        params["version"] = document.now.version
    server.protocol.tell(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)


def _report(items: list[JSON], identity: str, previous: str | None = None) -> JSON:
    if identity and identity == previous:
        return {"kind": "unchanged", "resultId": identity}
    report: JSON = {"kind": "full", "items": items}
    if identity:
        report["resultId"] = identity
    return report


def _items(server: Server, document: Document, outcome: Outcome) -> list[JSON]:
    source = document.now.source
    if outcome.analysis is not None:
        path, projects = document.now.path, server.projects
        projects.forget(path)
        every = outcome.analysis.diagnostics
        found = tuple(d for d in every if projects.keeps(path, d.name, d.message))
        return diagnostics_of(found, source, server.documents, server.client)
    if outcome.failure is None:
        return []
    name, severity, text = _FAILURES[outcome.failure]
    return [
        {
            "range": first_line(source, server.documents.encoding),
            "severity": severity,
            "code": BY_NAME[name].code,
            "source": SECTION,
            "message": text.format(outcome.reason),
            "data": {"name": name, "instances": []},
        }
    ]
