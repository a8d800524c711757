"""A client that says exactly what a test wants to say, also what no library would send."""

from __future__ import annotations

import json
import os
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import TracebackType
from typing import Any

TIMEOUT_S = 60.0
SERVER = (sys.executable, "-m", "tl_ascend_server")
FAKE = (sys.executable, str(Path(__file__).with_name("fake_server.py")))
JSON = dict[str, Any]
CAPABILITIES: JSON = {
    "general": {"positionEncodings": ["utf-16"]},
    "workspace": {"configuration": False, "inlayHint": {"refreshSupport": True}},
    "textDocument": {"publishDiagnostics": {"versionSupport": True, "relatedInformation": True}},
}


def capabilities(**changes: Any) -> JSON:
    """The capabilities of a plain client; `general__positionEncodings=[...]` sets one of them."""
    result: JSON = json.loads(json.dumps(CAPABILITIES))
    for path, value in changes.items():
        *parents, last = path.split("__")
        place = result
        for name in parents:
            place = place.setdefault(name, {})
        place[last] = value
    return result


class Session:
    """One server process. Requests from the server are answered by `answers`, else with null."""

    def __init__(
        self,
        command: tuple[str, ...] = FAKE,
        env: dict[str, str] | None = None,
        answers: dict[str, Callable[[Any], Any]] | None = None,
    ) -> None:
        self.process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env={**os.environ, **(env or {})},
        )
        assert self.process.stdin and self.process.stdout and self.process.stderr
        self._in, self._out = self.process.stdin, self.process.stdout
        self._answers = answers or {}
        self._next = 0
        self._replies: dict[Any, queue.Queue[JSON]] = {}
        self.published: queue.Queue[JSON] = queue.Queue()
        self.asked: queue.Queue[JSON] = queue.Queue()
        self.unmatched: queue.Queue[JSON] = queue.Queue()
        self.told: queue.Queue[JSON] = queue.Queue()
        self._errors = bytearray()
        self._opened: set[str] = set()
        self._writing = threading.Lock()
        self._threads = [
            threading.Thread(target=target, daemon=True) for target in (self._read, self._drain)
        ]
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> Session:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        for thread in self._threads:
            thread.join(TIMEOUT_S)
        for stream in (self._in, self._out, self.process.stderr):
            assert stream is not None
            try:
                stream.close()
            except BrokenPipeError:
                continue

    @property
    def stderr(self) -> str:
        """What the server has written to standard error so far."""
        return self._errors.decode("utf-8", "replace")

    def send_bytes(self, data: bytes) -> None:
        """Bytes as they are."""
        with self._writing:
            self._in.write(data)
            self._in.flush()

    def send(self, message: Any) -> None:
        """One framed message, whatever it is."""
        body = json.dumps(message).encode()
        self.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))

    def notify(self, method: str, params: Any = None) -> None:
        """A notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method: str, params: Any = None) -> int:
        """Send a request; `reply` waits for its answer."""
        self._next += 1
        self._replies[self._next] = queue.Queue()
        self.send({"jsonrpc": "2.0", "id": self._next, "method": method, "params": params})
        return self._next

    def has_reply(self, number: int) -> bool:
        """True where a request has been answered."""
        return not self._replies[number].empty()

    def reply(self, number: int, timeout: float = TIMEOUT_S) -> JSON:
        """The whole answer to a request."""
        answer = self._replies[number].get(timeout=timeout)
        del self._replies[number]
        return answer

    def ask(self, method: str, params: Any = None, timeout: float = TIMEOUT_S) -> Any:
        """The result of a request."""
        answer = self.reply(self.begin(method, params), timeout)
        assert "error" not in answer, f"{method}: {answer}"
        return answer["result"]

    def error(self, method: str, params: Any = None) -> int:
        """The error code of a request."""
        answer = self.reply(self.begin(method, params))
        code: int = answer["error"]["code"]
        return code

    def initialize(self, **params: Any) -> JSON:
        """Shake hands."""
        params.setdefault("capabilities", CAPABILITIES)
        result: JSON = self.ask("initialize", {"processId": None, "rootUri": None, **params})
        self.notify("initialized", {})
        return result

    def open(self, uri: str, text: str, version: int = 1) -> None:
        """Open a document."""
        self._opened.add(uri)
        item = {"uri": uri, "languageId": "python", "version": version, "text": text}
        self.notify("textDocument/didOpen", {"textDocument": item})

    def tidy(self) -> None:
        """Close everything and forget what has arrived."""
        for uri in self._opened:
            self.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
        self._opened.clear()
        self.error("tidy")
        for waiting in (self.published, self.asked, self.unmatched, self.told):
            waiting.queue.clear()

    def change(self, uri: str, version: int, *changes: JSON) -> None:
        """Change a document."""
        document = {"uri": uri, "version": version}
        params = {"textDocument": document, "contentChanges": list(changes)}
        self.notify("textDocument/didChange", params)

    def text(self, uri: str) -> JSON:
        """The text of a document as the server has it, and its version."""
        result: JSON = self.ask("tl-ascend/documentText", {"textDocument": {"uri": uri}})
        return result

    def diagnostics(self, uri: str, version: int | None) -> list[JSON]:
        """Wait for the diagnostics of a version."""
        while True:
            params = self.published.get(timeout=TIMEOUT_S)
            if params["uri"] == uri and params.get("version") == version:
                items: list[JSON] = params["diagnostics"]
                return items

    def hints(self, uri: str) -> list[JSON]:
        """All inlay hints of a document."""
        params = {"textDocument": {"uri": uri}, "range": span((0, 0), (1_000_000, 0))}
        items: list[JSON] = self.ask("textDocument/inlayHint", params)
        return items

    def leave(self) -> int:
        """An orderly end; the exit code."""
        self.ask("shutdown")
        self.notify("exit")
        return self.process.wait(TIMEOUT_S)

    def _drain(self) -> None:
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self._errors += line

    def _read(self) -> None:
        while (header := self._out.readline()) != b"":
            assert header.startswith(b"Content-Length: "), f"on stdout: {header!r}"
            assert self._out.readline() == b"\r\n"
            self._take(json.loads(self._out.read(int(header.split(b":")[1]))))

    def _take(self, message: JSON) -> None:
        if "method" not in message:
            self._replies.get(message["id"], self.unmatched).put(message)
        elif "id" in message:
            self.asked.put(message)
            answer = self._answers.get(message["method"], lambda params: None)
            result = answer(message["params"])
            self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        elif message["method"] == "textDocument/publishDiagnostics":
            self.published.put(message["params"])
        else:
            self.told.put(message)


def span(start: tuple[int, int], end: tuple[int, int]) -> JSON:
    """A range."""
    places = [{"line": line, "character": character} for line, character in (start, end)]
    return {"start": places[0], "end": places[1]}


def edit(start: tuple[int, int], end: tuple[int, int], text: str) -> JSON:
    """One incremental change."""
    return {"range": span(start, end), "text": text}
