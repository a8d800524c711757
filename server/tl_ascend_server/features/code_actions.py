"""Quick fixes, `source.fixAll.tl-ascend`, comments that ignore, and the pages of diagnostics."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from lsprotocol import types
from pygls.uris import from_fs_path

from tl_ascend.diagnostics.catalogue import BY_CODE
from tl_ascend.diagnostics.help import page_path
from tl_ascend.ide.actions import Action, all_repairs, ignoring, repairs
from tl_ascend.ide.model import Diagnostic
from tl_ascend_server.capabilities import FIX_ALL, JSON, KERNEL_ACTION, OPEN_PAGE, QUICK_FIX
from tl_ascend_server.convert import diagnostics_of, edits_of
from tl_ascend_server.documents import Document
from tl_ascend_server.features.lenses import commands_of
from tl_ascend_server.features.tried import checked, everything
from tl_ascend_server.features.waiting import await_first
from tl_ascend_server.positions import from_client
from tl_ascend_server.protocol import InvalidParams

if TYPE_CHECKING:
    from tl_ascend_server.server import Server


async def code_actions(server: Server, params: types.CodeActionParams) -> list[JSON]:
    """What can be done about the diagnostics of a range. Nothing while the text is ahead of them."""
    document = server.documents.get(params.text_document.uri)
    if document is None or not server.client.code_actions:
        return []
    await await_first(document)
    analysis = document.analysis
    if analysis is None or analysis.text != document.now.text:
        return []
    wanted = tuple(map(str, params.context.only or ()))
    here = _in_range(server, document, analysis.diagnostics, params.range)
    quick = _is_wanted(QUICK_FIX, wanted)
    every = bool(wanted) and _is_wanted(FIX_ALL, wanted)
    path = document.now.path
    found = await checked(server, document, list(repairs(here, path))) if quick else []
    some = every and any(one.preferred for one in repairs(analysis.diagnostics, path))
    edits = await everything(server, document) if some else ()
    if analysis.text != document.now.text:
        return []
    out: list[JSON] = list(_quick_fixes(server, document, here, found)) if quick else []
    if edits:
        out.append(_action(server, document, all_repairs(edits), FIX_ALL))
    if _is_wanted(KERNEL_ACTION, wanted):
        out += _about_kernels(server, document, params.range)
    return out


def _about_kernels(server: Server, document: Document, place: types.Range) -> Iterator[JSON]:
    """What the lenses offer, at the first lines of a kernel."""
    source, encoding = document.now.source, server.documents.encoding
    row = from_client(source, encoding, place.start.line, place.start.character).row
    for kernel in document.analysis.kernels if document.analysis is not None else ():
        if kernel.head.start.row <= row <= kernel.head.end.row:
            for command in commands_of(document, kernel):
                yield {"title": command["title"], "kind": KERNEL_ACTION, "command": command}


def _is_wanted(kind: str, wanted: Sequence[str]) -> bool:
    """A kind that is asked for contains all that begin with it."""
    return not wanted or any(kind == only or kind.startswith(f"{only}.") for only in wanted)


def _in_range(
    server: Server, document: Document, found: Sequence[Diagnostic], place: types.Range
) -> list[Diagnostic]:
    source, encoding = document.now.source, server.documents.encoding
    start = from_client(source, encoding, place.start.line, place.start.character)
    end = from_client(source, encoding, place.end.line, place.end.character)
    return [d for d in found if d.range.start <= end and start <= d.range.end]


def _quick_fixes(
    server: Server, document: Document, here: Sequence[Diagnostic], found: Sequence[Action]
) -> Iterator[JSON]:
    now = document.now
    for action in found:
        yield _action(server, document, action, QUICK_FIX)
    for action in ignoring(here, now.source):
        yield _action(server, document, action, QUICK_FIX)
    if server.client.show_document:
        for code in dict.fromkeys(one.code for one in here):
            title = f"Explain {code} {BY_CODE[code].name}"
            command = {"title": title, "command": OPEN_PAGE, "arguments": [code]}
            yield {"title": title, "kind": QUICK_FIX, "command": command}


def _action(server: Server, document: Document, action: Action, kind: str) -> JSON:
    now, documents = document.now, server.documents
    out: JSON = {
        "title": action.title,
        "kind": kind,
        "edit": _edit(server, document, action),
    }
    if action.found is not None:
        out["diagnostics"] = diagnostics_of((action.found,), now.source, documents, server.client)
    if action.preferred:
        out["isPreferred"] = True
    return out


def _edit(server: Server, document: Document, action: Action) -> JSON:
    """With the version that it is for, where the client takes one."""
    now = document.now
    edits = edits_of(action.edits, now.source, server.documents.encoding)
    if not server.client.document_changes:
        return {"changes": {now.uri: edits}}
    identity = {"uri": now.uri, "version": now.version}
    return {"documentChanges": [{"textDocument": identity, "edits": edits}]}


def open_page(server: Server, params: types.ExecuteCommandParams) -> Any:
    """Show the page of a diagnostic; the result says where it is."""
    code = params.arguments[0] if params.arguments else None
    if code not in BY_CODE:
        raise InvalidParams(f"Invalid params: no command {params.command!r} of {code!r}")
    uri = from_fs_path(str(page_path(str(code))))
    if server.client.show_document:
        show = {"uri": uri, "external": False, "takeFocus": True}
        server.protocol.ask(types.WINDOW_SHOW_DOCUMENT, show)
    return {"uri": uri}
