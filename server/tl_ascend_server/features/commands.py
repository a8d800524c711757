"""Commands of the client, by name."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from lsprotocol import types

from tl_ascend_server.capabilities import BUILD, CHOOSE, OPEN_PAGE, RUN, SHOW_IR, SHOW_SOURCE
from tl_ascend_server.features import choices, code_actions, device, listings
from tl_ascend_server.protocol import InvalidParams

if TYPE_CHECKING:
    from tl_ascend_server.server import Server

HANDLERS: dict[str, Callable[..., Any]] = {
    OPEN_PAGE: code_actions.open_page,
    BUILD: device.build,
    RUN: device.build,
    CHOOSE: choices.chosen,
    SHOW_SOURCE: listings.shown,
    SHOW_IR: listings.shown,
}


async def execute(server: Server, params: types.ExecuteCommandParams) -> Any:
    """The result of a command."""
    handler = HANDLERS.get(params.command)
    if handler is None:
        raise InvalidParams(f"Invalid params: no command {params.command!r}")
    result = handler(server, params)
    return await result if inspect.isawaitable(result) else result
