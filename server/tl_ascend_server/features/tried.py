"""Certain repairs are tried before they are offered: the changed text is checked, as `tl-check --fix`
does, once for each version of a document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from tl_ascend.ide.actions import Action
from tl_ascend_server.documents import Document

if TYPE_CHECKING:
    from tl_ascend_server.server import Server

PATIENCE_S = 5.0


async def checked(
    server: Server, document: Document, actions: Sequence[Action], at_once: bool = False
) -> list[Action]:
    """The actions without those that would do harm, or would repair nothing. One of which that is not
    known in time is left to the author; `at_once`: they are done together, and such ones not at all."""
    wanted = [action for action in actions if action.preferred and action.found is not None]
    known = await _known(server, document, wanted, at_once)
    out: list[Action] = []
    for action in actions:
        verdict = known.get(action.edits) if action.preferred else True
        if verdict:
            out.append(action)
        elif verdict is None and not at_once:
            out.append(replace(action, preferred=False))
    return out


async def _known(
    server: Server, document: Document, actions: Sequence[Action], at_once: bool
) -> dict[object, bool]:
    from tl_ascend.ide.fixing import Repair

    if document.tried_serial != document.now.serial:
        document.tried, document.tried_serial = {}, document.now.serial
    known = document.tried
    new = [action for action in actions if (at_once, action.edits) not in known]
    if new:
        batch = actions if at_once else new  # what is done together is tried together
        trials = [Repair(a.found, a.edits) for a in batch if a.found is not None]
        found = await server.tried(document, trials, at_once, PATIENCE_S)
        known |= {(at_once, a.edits): one for a, one in zip(batch, found, strict=False)}
    return {a.edits: known[at_once, a.edits] for a in actions if (at_once, a.edits) in known}
