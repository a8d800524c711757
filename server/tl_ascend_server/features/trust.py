"""Whether the user trusts the workspace. Settings cannot say so: a workspace may bring its own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tl_ascend_server.capabilities import look

if TYPE_CHECKING:
    from tl_ascend_server.server import Server

GRANTED: Final = "tl-ascend/trustGranted"


def at_start(options: object) -> bool:
    """`workspaceTrusted` in the options of `initialize`; a client that knows no trust is trusted."""
    return look(options, "workspaceTrusted") is not False


def granted(server: Server, params: Any) -> None:
    """The user trusts it now."""
    server.trusted = True
