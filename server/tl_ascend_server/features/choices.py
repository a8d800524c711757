"""What can be chosen before a kernel is built, run or shown: which instance, where, with which sizes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from lsprotocol import types

from tl_ascend_server.capabilities import BUILD, JSON, RUN, SHOW_IR, SHOW_SOURCE
from tl_ascend_server.features.chosen import document_of, place_of
from tl_ascend_server.features.listings import NO_KERNEL

if TYPE_CHECKING:
    from tl_ascend_server.server import Server

CHOICES: Final = "tl-ascend/choices"


async def choices(server: Server, params: Any) -> JSON:
    """The instances of a kernel, the names that a run may give numbers, and what can be done: commands
    with what their argument gets besides `uri`, `name`, `number` and `sizes`."""
    place = await place_of(server, document_of(server, params), params)
    if place is None:
        return {"name": "", "instances": [], "sizes": [], "actions": [], "why": NO_KERNEL}
    return {
        "name": place.name,
        "instances": [{"number": number, "text": text} for number, text in place.instances],
        "sizes": list(place.sizes),
        "actions": [
            {"title": "Build", "command": BUILD},
            {"title": "Run on NPU", "command": RUN, "more": {"simulator": False}},
            {"title": "Run on CANN's simulator", "command": RUN, "more": {"simulator": True}},
            {"title": "Show emitted source", "command": SHOW_SOURCE},
            {"title": "Show lowered IR", "command": SHOW_IR},
        ],
        "why": "",
    }


async def chosen(server: Server, params: types.ExecuteCommandParams) -> JSON:
    """For clients that do not ask the user themselves: what could be chosen."""
    return await choices(server, params.arguments[0] if params.arguments else None)
