"""Repairs are tried before they are offered: the changed text is checked, as `tl-check --fix`
does, once for each version of a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tl_ascend.ide.actions import Action
from tl_ascend.ide.model import TextEdit
from tl_ascend_server.documents import Document

if TYPE_CHECKING:
    from tl_ascend_server.server import Server

PATIENCE_S = 5.0


async def checked(server: Server, document: Document, actions: Sequence[Action]) -> list[Action]:
    """The actions without those that would do harm, or would repair nothing. One of which that is not
    known in time is left to the author."""
    wanted = [action for action in actions if action.found is not None]
    known = await _known(server, document, wanted)
    out: list[Action] = []
    for action in actions:
        verdict = known.get(action.edits)
        if verdict:
            out.append(action)
        elif verdict is None:
            out.append(replace(action, preferred=False))
    return out


async def everything(server: Server, document: Document) -> tuple[TextEdit, ...]:
    """What repairs all that is certain, round by round; nothing where that takes too long."""
    _forget_old(document)
    if document.repairs is None:
        serial, found = document.now.serial, await server.repaired(document, PATIENCE_S)
        if document.tried_serial != serial:
            return ()
        document.repairs = found
    return document.repairs or ()


def _forget_old(document: Document) -> None:
    if document.tried_serial != document.now.serial:
        document.tried, document.repairs = {}, None
        document.tried_serial = document.now.serial


async def _known(
    server: Server, document: Document, actions: Sequence[Action]
) -> dict[tuple[TextEdit, ...], bool]:
    from tl_ascend.ide.fixing import Repair

    _forget_old(document)
    known = document.tried
    new = [action for action in actions if action.edits not in known]
    if new:
        trials = [Repair(a.found, a.edits) for a in new if a.found is not None]
        found = await server.tried(document, trials, PATIENCE_S)
        known |= {a.edits: one for a, one in zip(new, found, strict=False)}
    return known
