"""What the server can do, one file each. To add a feature: write its file, add it to `HANDLERS`."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from tl_ascend_server.features import (
    choices,
    code_actions,
    commands,
    completion,
    configuration,
    debug,
    device,
    diagnostics,
    hover,
    inlay_hints,
    lenses,
    listings,
    text_sync,
    trust,
)

if TYPE_CHECKING:
    from tl_ascend_server.server import Server

HANDLERS: dict[str, Callable[..., Any]] = {
    types.TEXT_DOCUMENT_DID_OPEN: text_sync.opened,
    types.TEXT_DOCUMENT_DID_CHANGE: text_sync.changed,
    types.TEXT_DOCUMENT_DID_SAVE: text_sync.saved,
    types.TEXT_DOCUMENT_DID_CLOSE: text_sync.closed,
    types.TEXT_DOCUMENT_DIAGNOSTIC: diagnostics.pulled,
    types.TEXT_DOCUMENT_INLAY_HINT: inlay_hints.inlay_hints,
    types.TEXT_DOCUMENT_HOVER: hover.hover,
    types.TEXT_DOCUMENT_COMPLETION: completion.completion,
    types.TEXT_DOCUMENT_CODE_ACTION: code_actions.code_actions,
    types.TEXT_DOCUMENT_CODE_LENS: lenses.lenses,
    types.WORKSPACE_EXECUTE_COMMAND: commands.execute,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL: device.cancel,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION: configuration.changed,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS: configuration.folders_changed,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES: configuration.files_changed,
    debug.DOCUMENT_TEXT: debug.document_text,
    choices.CHOICES: choices.choices,
    listings.EMITTED_SOURCE: listings.emitted_source,
    listings.LOWERED_IR: listings.lowered_ir,
    listings.STAGES: listings.stages,
    trust.GRANTED: trust.granted,
}


def register(server: Server) -> None:
    """Connect all handlers to a server."""
    for method, handler in HANDLERS.items():
        server.feature(method)(partial(handler, server))
