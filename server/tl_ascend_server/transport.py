"""Bytes to messages and back. A thread of its own reads, so that input never waits for the server.

The reader notes all cancellations of a chunk before it hands anything over: a request that is still
in the queue can then be refused without being run. Knows JSON and framing, no LSP types.
"""

from __future__ import annotations

import json
import os
import re
import select
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from queue import SimpleQueue
from typing import Any, Final

from tl_ascend.driver.strict_json import dumps

CHUNK = 1 << 16
MAX_HEADER = 1 << 14
_BLANK_LINE = re.compile(rb"\r?\n\r?\n")
_LENGTH = re.compile(rb"^content-length[ \t]*:[ \t]*(\d{1,10})[ \t]*\r?$", re.I | re.M)


@dataclass(frozen=True, slots=True)
class Malformed:
    """A body that is no JSON."""

    reason: str


class _End:
    def __repr__(self) -> str:
        return "END"


END: Final = _End()
Message = Any


class Frames:
    """Cuts a stream into bodies. Case of header names is ignored; what has no length is skipped."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._length: int | None = None

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The bodies that are complete with this data."""
        self._buffer += data
        while (body := self._next()) is not None:
            yield body

    def _next(self) -> bytes | None:
        while self._length is None:
            end = _BLANK_LINE.search(self._buffer)
            if end is None:
                del self._buffer[:-MAX_HEADER]
                return None
            found = _LENGTH.search(self._buffer, 0, end.start() + 1)
            self._length = int(found[1]) if found else None
            del self._buffer[: end.end()]
        if len(self._buffer) < self._length:
            return None
        body = bytes(self._buffer[: self._length])
        del self._buffer[: self._length]
        self._length = None
        return body


def decode(body: bytes) -> Message:
    """The message in a body, or `Malformed`."""
    try:
        return json.loads(body)
    except (ValueError, RecursionError) as error:
        return Malformed(f"{type(error).__name__}: {error}")


class Inbox:
    """Reads messages in a daemon thread. First `get` them, then `attach` a consumer."""

    def __init__(self, read: Callable[[], bytes], fd: int) -> None:
        self.cancelled: set[object] = set()
        self._read = read
        self._fd = fd
        self._queue: SimpleQueue[Message] = SimpleQueue()
        self._deliver: Callable[[Message], object] = self._queue.put
        self._lock = threading.Lock()
        threading.Thread(target=self._run, name="reader", daemon=True).start()

    def get(self) -> Message:
        """Wait for the next message. Only before `attach`."""
        return self._queue.get()

    def attach(self, deliver: Callable[[Message], object]) -> None:
        """Hand over what has arrived, and from now on everything; `END` comes last."""
        with self._lock:
            while not self._queue.empty():
                deliver(self._queue.get())
            self._deliver = deliver

    def pending(self) -> bool:
        """True when input has arrived that the reader has not seen yet."""
        if os.name == "nt":
            return False
        return bool(select.select([self._fd], [], [], 0)[0])

    def _run(self) -> None:
        frames = Frames()
        try:
            while data := self._read():
                messages = [decode(body) for body in frames.feed(data)]
                for message in messages:  # all of them, before the first is looked at
                    self._note(message)
                for message in messages:
                    self._hand_over(message)
        except OSError:
            pass  # a connection that breaks is one that ends
        self._hand_over(END)

    def _note(self, message: Message) -> None:
        if isinstance(message, dict) and message.get("method") == "$/cancelRequest":
            params = message.get("params")
            identity = params.get("id") if isinstance(params, dict) else None
            if isinstance(identity, int | str):
                self.cancelled.add(identity)

    def _hand_over(self, message: Message) -> None:
        with self._lock:
            self._deliver(message)


@dataclass(frozen=True)
class Outlet:
    """Where bytes go. Errors: OSError when the client is gone."""

    _write: Callable[[bytes], None]
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def write(self, data: bytes) -> None:
        """Write all of it."""
        with self._lock:
            self._write(data)

    def close(self) -> None:
        """Nothing is buffered here, so there is nothing to close."""


def frame(message: Message) -> bytes:
    """A message as it travels. Escapes keep lone surrogates intact."""
    body = dumps(message, separators=(",", ":")).encode("ascii")
    return b"Content-Length: %d\r\n\r\n%s" % (len(body), body)


def stdio() -> tuple[Inbox, Outlet]:
    """Take standard input and output for the protocol; what libraries print goes to stderr."""
    source, target = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    if sys.platform == "win32":
        import msvcrt

        msvcrt.setmode(source, os.O_BINARY)
        msvcrt.setmode(target, os.O_BINARY)

    def write(data: bytes) -> None:
        view = memoryview(data)
        while view:
            view = view[os.write(target, view) :]

    return Inbox(lambda: os.read(source, CHUNK), source), Outlet(write)


def tcp(host: str, port: int) -> tuple[Inbox, Outlet]:
    """Wait for one client. Port 0 picks a free one; the address is told on stderr."""
    with socket.create_server((host, port)) as listener:
        bound_host, bound_port = listener.getsockname()[:2]
        print(f"listening on {bound_host}:{bound_port}", file=sys.stderr, flush=True)
        client, _ = listener.accept()
    client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    return Inbox(lambda: client.recv(CHUNK), client.fileno()), Outlet(client.sendall)
