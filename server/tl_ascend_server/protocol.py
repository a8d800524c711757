"""The protocol as it must behave: every request gets exactly one answer, whatever it was.

pygls supplies messages, handlers and futures. Overridden here is what it leaves open: requests
with bad parameters or after `shutdown`, cancelled work that runs or waits, malformed messages.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import Future
from itertools import count
from typing import TYPE_CHECKING, Any

from cattrs import Converter
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.protocol import LanguageServerProtocol, lsp_method

from tl_ascend_server import capabilities
from tl_ascend_server.capabilities import JSON
from tl_ascend_server.transport import END, Inbox, Malformed, frame

if TYPE_CHECKING:
    from tl_ascend_server.server import Server

log = logging.getLogger(__name__)
PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS = -32700, -32600, -32601, -32602
INTERNAL_ERROR, NOT_INITIALIZED, CANCELLED = -32603, -32002, -32800
# Rounds of the loop that an answer waits while input is on its way: it may be its cancellation.
MAX_ROUNDS = 50
# Text is kept in documents.py, commands are features; nothing here reports progress.
_NOT_OF_PYGLS = (
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
    types.NOTEBOOK_DOCUMENT_DID_CHANGE,
    types.NOTEBOOK_DOCUMENT_DID_CLOSE,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
    types.WORKSPACE_EXECUTE_COMMAND,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL,
)
MsgId = int | str


class InvalidParams(JsonRpcException):
    """Parameters that a handler cannot use."""

    CODE = INVALID_PARAMS
    MESSAGE = "Invalid params"


class Protocol(LanguageServerProtocol):
    """One session with one client."""

    _server: Server

    def __init__(self, server: Server, converter: Converter) -> None:
        super().__init__(server, converter)
        for name in _NOT_OF_PYGLS:
            self.fm.builtin_features.pop(name, None)
        self.inbox: Inbox | None = None
        self.initialized = False
        self._waiting: set[MsgId] = set()
        self._asked: dict[str, Callable[[Any], object]] = {}
        self._numbers = count(1)

    @property
    def shut_down(self) -> bool:
        """True once `shutdown` was asked for."""
        return bool(self._shutdown)

    def receive(self, message: Any, answered: bool = False) -> None:
        """Handle one message. `answered`: the client has its answer to this request already."""
        try:
            self._receive(message, answered)
        except Exception as error:
            log.error("a message could not be handled", exc_info=error)
            identity = message.get("id") if isinstance(message, dict) else None
            if isinstance(identity, int | str) and identity in self._waiting:
                self._refuse(identity, INTERNAL_ERROR, f"{type(error).__name__}: {error}")

    def _receive(self, message: Any, answered: bool) -> None:
        if message is END:
            self._server.leave()
        elif isinstance(message, Malformed):
            self._refuse(None, PARSE_ERROR, message.reason)
        elif not isinstance(message, dict):
            self._refuse(None, INVALID_REQUEST, "A message must be an object")
        elif isinstance(method := message.get("method"), str):
            self._incoming(message, method, answered)
        elif "id" in message and ("result" in message or "error" in message):
            self._response(message)
        else:
            self._refuse(None, INVALID_REQUEST, "Neither request, notification nor response")

    def _incoming(self, message: JSON, method: str, answered: bool) -> None:
        if "id" not in message:
            self._notification(method, message)
            return
        identity = message["id"]
        if isinstance(identity, bool) or not isinstance(identity, int | str):
            self._refuse(None, INVALID_REQUEST, "An id must be an integer or a string")
        elif identity in self._waiting:
            self._send_error(identity, INVALID_REQUEST, "This id is in use")
        else:
            if not answered:
                self._waiting.add(identity)
            self._request(identity, method, message)

    def _request(self, identity: MsgId, method: str, message: JSON) -> None:
        if self._was_cancelled(identity):
            self._refuse(identity, CANCELLED, "Cancelled before it was begun")
        elif self._shutdown:
            self._refuse(identity, INVALID_REQUEST, "The server has been shut down")
        elif method == types.INITIALIZE:
            self._initialize(identity, message.get("params"))
        elif not self.initialized:
            self._refuse(identity, NOT_INITIALIZED, "Not initialized")
        elif method == types.SHUTDOWN:
            self._shut_down(identity)
        elif method not in self.fm.features and method not in self.fm.builtin_features:
            self._refuse(identity, METHOD_NOT_FOUND, f"No such method: {method}")
        else:
            self._run(identity, method, message)

    def _run(self, identity: MsgId, method: str, message: JSON) -> None:
        try:
            params = self._params(method, message)
        except Exception as error:
            self._refuse(identity, INVALID_PARAMS, f"Invalid params: {_innermost(error)}")
            return
        self._handle_request(identity, method, params)

    def _notification(self, method: str, message: JSON) -> None:
        if method == types.EXIT:
            self._server.leave()
        elif self._shutdown or not self.initialized:
            log.info("ignored outside of the session: %s", method)
        elif method == types.CANCEL_REQUEST:
            self._cancel(capabilities.look(message, "params.id"))
        elif method in self.fm.features or method in self.fm.builtin_features:
            try:
                params = self._params(method, message)
            except Exception as error:
                log.warning("%s with invalid params: %s", method, _innermost(error))
                return
            self._handle_notification(method, params)

    def _params(self, method: str, message: JSON) -> Any:
        """Parameters as lsprotocol's types; of methods of our own, as they came."""
        kind = self.get_message_type(method)
        if kind is None:
            return message.get("params")
        structured = self._converter.structure({"jsonrpc": self.VERSION, **message}, kind)
        return structured.params

    def _initialize(self, identity: MsgId, params: Any) -> None:
        if self.initialized:
            self._refuse(identity, INVALID_REQUEST, "Already initialized")
        elif not capabilities.acceptable(params):
            self._refuse(identity, INVALID_PARAMS, "Invalid params: capabilities are missing")
        else:
            self.initialized = True
            self._answer(identity, result=capabilities.answer(params))
            self._server.begin(params)

    @lsp_method(types.INITIALIZED)
    def lsp_initialized(self, *args: Any) -> None:
        """The client is ready for requests of ours."""
        self._server.ready()

    def _shut_down(self, identity: MsgId) -> None:
        """Work in flight is dropped, and what waits for it is told so."""
        self._shutdown = True
        self._server.wind_down()
        for other in self._waiting - {identity}:
            self._cancel(other)
        self._answer(identity, result=None)

    def _was_cancelled(self, identity: MsgId) -> bool:
        return self.inbox is not None and identity in self.inbox.cancelled

    def _cancel(self, identity: Any) -> None:
        if not isinstance(identity, int | str):
            return
        if self.inbox is not None:
            self.inbox.cancelled.discard(identity)
        if identity not in self._waiting:
            return
        self._refuse(identity, CANCELLED, "Cancelled")
        future = self._request_futures.pop(identity, None)
        if future is not None:
            future.cancel()

    def _send_handler_result(self, future: Future[Any], *, msg_id: MsgId) -> None:
        self._request_futures.pop(msg_id, None)
        if future.cancelled():
            self._refuse(msg_id, CANCELLED, "Cancelled")
        elif (error := future.exception()) is None:
            self._answer_late(msg_id, future.result(), MAX_ROUNDS)
        elif isinstance(error, JsonRpcException):
            self._refuse(msg_id, error.code, error.message)
        else:
            log.error("a request failed", exc_info=error)
            self._refuse(msg_id, INTERNAL_ERROR, f"{type(error).__name__}: {error}")

    def _answer_late(self, identity: MsgId, result: Any, rounds: int) -> None:
        """Let input that is on its way arrive first."""
        if rounds and self.inbox is not None and self.inbox.pending():
            asyncio.get_running_loop().call_soon(self._answer_late, identity, result, rounds - 1)
        elif self._was_cancelled(identity):
            self._refuse(identity, CANCELLED, "Cancelled")
        else:
            self._answer(identity, result=result)

    def _answer(self, identity: MsgId, result: Any) -> None:
        if identity in self._waiting:
            self._waiting.discard(identity)
            self._send_data({"jsonrpc": self.VERSION, "id": identity, "result": result})

    def _refuse(self, identity: MsgId | None, code: int, message: str) -> None:
        """Answer with an error. None: it is not known which request this is about."""
        if identity is not None and identity not in self._waiting:
            return
        if identity is not None:
            self._waiting.discard(identity)
        self._send_error(identity, code, message)

    def _send_error(self, identity: MsgId | None, code: int, message: str) -> None:
        error = {"code": code, "message": message}
        self._send_data({"jsonrpc": self.VERSION, "id": identity, "error": error})

    def _send_response(
        self, msg_id: MsgId, result: Any = None, error: types.ResponseError | None = None
    ) -> None:
        if error is None:
            self._answer(msg_id, result)
        else:
            self._refuse(msg_id, error.code, error.message)

    def _send_data(self, data: Any) -> None:
        message = data if isinstance(data, dict) else self._converter.unstructure(data)
        if self.writer is None:
            return
        try:
            self.writer.write(frame(message))
        except OSError:
            self._server.leave()

    def _response(self, message: JSON) -> None:
        identity = message["id"]
        done = self._asked.pop(identity, None) if isinstance(identity, str) else None
        if done is None:
            log.info("response to an unknown request: %r", identity)
            return
        if "error" in message:
            log.info("the client refused %s: %s", identity, message["error"])
        done(message.get("result"))

    def ask(self, method: str, params: Any, done: Callable[[Any], object] | None = None) -> None:
        """A request to the client; `done` gets the result as it came, or None after an error."""
        identity = f"{method}#{next(self._numbers)}"
        self._asked[identity] = done or (lambda _: None)
        message = {"jsonrpc": self.VERSION, "id": identity, "method": method, "params": params}
        self._send_data(message)

    def tell(self, method: str, params: Any) -> None:
        """A notification to the client."""
        self._send_data({"jsonrpc": self.VERSION, "method": method, "params": params})


def _innermost(error: BaseException) -> str:
    """The most telling line of a conversion error."""
    while isinstance(error, BaseException) and getattr(error, "exceptions", None):
        error = error.exceptions[0]  # type: ignore[attr-defined]
    return f"{type(error).__name__}: {error}"
