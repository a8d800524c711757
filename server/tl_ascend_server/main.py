"""The command `tl-ascend-server`: options, then the answer to `initialize`, then everything else.

The order matters: the client waits for that answer, and what comes after takes a second to load.
"""

from __future__ import annotations

import argparse
import logging
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from tl_ascend import __version__
from tl_ascend_server import capabilities
from tl_ascend_server.transport import Outlet, frame, stdio, tcp

if TYPE_CHECKING:
    from tl_ascend_server.engine import Load

LEVELS = ("debug", "info", "warning", "error")
LIMIT_S = 20.0
# How long the analysis may keep the interpreter when the protocol has something to do; the default
# of 5 ms is half of what an answer may take.
SWITCH_INTERVAL_S = 0.0002


def main(
    arguments: Sequence[str] | None = None, load: Load | None = None, limit: float = LIMIT_S
) -> int:
    """Run the server. `load` makes the engine; an analysis may take `limit` seconds."""
    options = _options(arguments)
    logging.basicConfig(
        stream=sys.stderr,
        level=options.log_level.upper(),
        format="%(asctime)s %(levelname)s %(name)s: %(message)s",
    )
    logging.getLogger("pygls").setLevel(logging.WARNING)
    sys.setswitchinterval(SWITCH_INTERVAL_S)
    inbox, outlet = tcp(*options.tcp) if options.tcp else stdio()
    first = inbox.get()
    answered = _answer(first, outlet)

    from tl_ascend_server.engine import load_workspace
    from tl_ascend_server.server import Server

    Server(load or load_workspace, limit).run(inbox, outlet, first, answered)
    return 0


def _answer(message: Any, outlet: Outlet) -> bool:
    """Answer a plain `initialize` before the protocol is loaded; leave everything else to it."""
    if not isinstance(message, dict) or message.get("method") != "initialize":
        return False
    identity, params = message.get("id"), message.get("params")
    if isinstance(identity, bool) or not isinstance(identity, int | str):
        return False
    if params is None or not capabilities.acceptable(params):
        return False
    result = capabilities.answer(params)
    try:
        outlet.write(frame({"jsonrpc": "2.0", "id": identity, "result": result}))
    except OSError:
        return False
    return True


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="tl-ascend-server",
        description="Language server for TileLang kernels on Huawei Ascend NPUs.",
    )
    where = parser.add_mutually_exclusive_group()
    where.add_argument("--stdio", action="store_true", help="speak on standard input and output")
    where.add_argument(
        "--tcp", metavar="HOST:PORT", type=_address, help="wait for one client on a port instead"
    )
    # VS Code's client library says it on the command line as well as in `initialize`.
    parser.add_argument("--clientProcessId", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--log-level", choices=LEVELS, default="warning", help="on standard error")
    parser.add_argument("--version", action="version", version=f"tl-ascend-server {__version__}")
    return parser.parse_args(arguments)


def _address(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdecimal() or int(port) > 65535:
        raise argparse.ArgumentTypeError(f"{text!r} is not HOST:PORT")
    return host.strip("[]") or "127.0.0.1", int(port)
