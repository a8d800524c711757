"""Every request gets one answer, whatever the client sends."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest
from lsprotocol import converters, types
from tests.lsp.session import Session, span

from tl_ascend_server.capabilities import answer
from tl_ascend_server.transport import END, Inbox

URI = "file:///project/kernel.py"
PLACE = {"textDocument": {"uri": URI}, "position": {"line": 0, "character": 0}}
Start = Callable[..., Session]


def test_initialize_needs_neither_pygls_nor_the_compiler() -> None:
    program = """
import sys
import tl_ascend_server.main
heavy = ("asyncio", "pygls", "lsprotocol", "tvm", "numpy", "tl_ascend.ops", "tl_ascend.ide")
print([name for name in heavy if name in sys.modules])
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert result.stdout.strip() == b"[]"


def test_protocol_is_loaded_without_the_compiler() -> None:
    program = """
import sys
import tl_ascend_server.server
heavy = ("tvm", "numpy", "tl_ascend.ide.workspace", "tl_ascend.frontend", "tl_ascend.driver.check")
print([name for name in heavy if name in sys.modules])
"""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True)
    assert result.stdout.strip() == b"[]"


def test_capabilities(start: Start) -> None:
    session = start()
    result = session.initialize()
    converters.get_converter().structure(result, types.InitializeResult)
    told = result["capabilities"]
    assert told["textDocumentSync"] == {
        "openClose": True,
        "change": 2,
        "save": {"includeText": True},
    }
    assert told["completionProvider"]["triggerCharacters"] == ["."]
    assert told["hoverProvider"] is True
    assert "inlayHintProvider" in told
    assert told["workspace"]["workspaceFolders"]["supported"] is True
    assert "diagnosticProvider" not in told
    assert result["serverInfo"]["name"] == "tl-ascend"
    assert session.leave() == 0


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-32", "utf-8"], "utf-32"),
        (["utf-7", "utf-16"], "utf-16"),
        (["utf-7"], "utf-16"),
        (None, "utf-16"),
        ("utf-8", "utf-16"),
    ],
)
def test_position_encoding(offered: Any, chosen: str) -> None:
    params = {"capabilities": {"general": {"positionEncodings": offered}}}
    assert answer(params)["capabilities"]["positionEncoding"] == chosen


def test_capabilities_that_nobody_knows_are_no_error(start: Start) -> None:
    session = start()
    session.initialize(
        capabilities={"textDocument": {"hover": 5, "codeAction": {"codeActionLiteralSupport": []}}},
        workspaceFolders="none",
        initializationOptions=[1],
    )
    assert session.ask("textDocument/hover", PLACE) is None


def test_bad_initialize(start: Start) -> None:
    session = start()
    for params in (None, [], {}, {"capabilities": None}, "x"):
        assert session.error("initialize", params) == -32602
    session.initialize()
    assert session.error("initialize", {"capabilities": {}}) == -32600
    assert session.leave() == 0


BAD_PARAMS: list[tuple[str, Any]] = [
    ("textDocument/hover", None),
    ("textDocument/hover", {}),
    ("textDocument/hover", [1]),
    ("textDocument/hover", "x"),
    ("textDocument/hover", {**PLACE, "position": {"line": -1, "character": 0}}),
    ("textDocument/hover", {**PLACE, "position": {"line": "1", "character": None}}),
    ("textDocument/inlayHint", {"textDocument": {"uri": URI}}),
    ("textDocument/completion", {"position": {"line": 0, "character": 0}}),
    ("textDocument/diagnostic", {"textDocument": {}}),
    ("workspace/executeCommand", {"command": "none"}),
    ("tl-ascend/documentText", None),
    ("tl-ascend/documentText", {"textDocument": {}}),
]


def test_bad_params(own: Session) -> None:
    for method, params in BAD_PARAMS:
        assert own.error(method, params) == -32602, (method, params)
    assert own.ask("textDocument/hover", PLACE) is None
    assert "Traceback" not in own.stderr


def test_unknown_method(session: Session) -> None:
    assert session.error("x/y", {"anything": [1]}) == -32601
    assert session.error("textDocument/rename", {}) == -32601


def test_before_initialize(start: Start) -> None:
    session = start()
    assert session.error("textDocument/hover", PLACE) == -32002
    session.open(URI, "x")
    session.initialize()
    assert session.text(URI) is None


def test_after_shutdown(own: Session) -> None:
    own.ask("shutdown")
    assert own.error("textDocument/hover", PLACE) == -32600
    assert own.error("shutdown") == -32600
    assert own.error("x/y") == -32600
    own.open(URI, "x")
    own.notify("exit")
    assert own.process.wait(10) == 0


def test_exit_without_shutdown(own: Session) -> None:
    own.notify("exit")
    assert own.process.wait(10) == 1


NO_REQUESTS: list[Any] = [
    [{"jsonrpc": "2.0", "id": 1, "method": "shutdown"}],
    5,
    None,
    {"jsonrpc": "2.0"},
    {"jsonrpc": "2.0", "id": None, "method": "shutdown"},
    {"jsonrpc": "2.0", "id": [1], "method": "shutdown"},
    {"jsonrpc": "2.0", "id": True, "method": "shutdown"},
    {"jsonrpc": "2.0", "id": 3, "method": 4},
]


def test_no_request_at_all(session: Session) -> None:
    for message in NO_REQUESTS:
        session.send(message)
        reply = session.unmatched.get(timeout=10)
        assert reply["id"] is None and reply["error"]["code"] == -32600, message
    assert session.ask("textDocument/hover", PLACE) is None


def test_bodies_that_are_no_json(own: Session) -> None:
    for body in (b"{", b"\xff\xfe", b"[" * 100_000, b""):
        own.send_bytes(b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
        assert own.unmatched.get(timeout=10)["error"]["code"] == -32700
    assert own.leave() == 0


def test_headers(session: Session) -> None:
    body = json.dumps({"jsonrpc": "2.0", "id": "a", "method": "textDocument/hover"}).encode()
    length = str(len(body)).encode()
    for header in (
        b"content-length: " + length + b"\r\n\r\n",
        b"CONTENT-LENGTH:" + length + b"\r\n\r\n",
        b"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\ncontent-Length:  "
        + length
        + b"\r\n\r\n",
        b"Content-Length: " + length + b"\n\n",
        b"X-Nothing: 1\r\n\r\nContent-Length: x\r\n\r\nContent-Length: " + length + b"\r\n\r\n",
    ):
        for part in (header[:9], header[9:], body[:5], body[5:]):
            session.send_bytes(part)
        reply = session.unmatched.get(timeout=10)
        assert reply["id"] == "a" and reply["error"]["code"] == -32602


def test_an_id_in_use(session: Session, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    session.open(URI, f"#! gate {gate}\n")
    request = {"jsonrpc": "2.0", "id": "twice", "method": "textDocument/hover", "params": PLACE}
    session.send(request)
    session.send(request)
    assert session.unmatched.get(timeout=10)["error"]["code"] == -32600
    gate.touch()
    assert session.unmatched.get(timeout=10)["id"] == "twice"


def test_answers_to_nothing(own: Session) -> None:
    own.send({"jsonrpc": "2.0", "id": "never asked", "result": 1})
    own.send({"jsonrpc": "2.0", "id": 77, "error": {"code": 1, "message": "no"}})
    own.notify("x/y", {})
    own.notify("$/cancelRequest", {"id": "nobody"})
    own.notify("$/cancelRequest", None)
    own.notify("textDocument/didChange", {"textDocument": {"uri": URI}})
    assert own.leave() == 0
    assert "Traceback" not in own.stderr


def test_cancelled_while_it_waits(session: Session, tmp_path: Path) -> None:
    gate = tmp_path / "gate"
    session.open(URI, f"#! gate {gate}\n")
    pull = session.begin("textDocument/diagnostic", {"textDocument": {"uri": URI}})
    hover = session.begin("textDocument/hover", PLACE)
    for number in (pull, hover):
        session.notify("$/cancelRequest", {"id": number})
        assert session.reply(number)["error"]["code"] == -32800
    gate.touch()
    assert session.ask("textDocument/diagnostic", {"textDocument": {"uri": URI}})["items"] == []


def test_cancelled_before_it_is_begun(session: Session) -> None:
    """All in one write: the cancellations are there before the requests are looked at."""
    numbers = range(900, 920)
    whole = {"textDocument": {"uri": URI}, "range": span((0, 0), (9, 0))}
    messages = [
        {"jsonrpc": "2.0", "id": number, "method": "textDocument/inlayHint", "params": whole}
        for number in numbers
    ] + [{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": n}} for n in numbers]
    bodies = [json.dumps(message).encode() for message in messages]
    session.send_bytes(b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(b), b) for b in bodies))
    codes = {session.unmatched.get(timeout=10)["error"]["code"] for _ in numbers}
    assert codes == {-32800}
    assert session.hints(URI) == []


def test_cancellations_of_a_chunk_are_known_before_its_first_request() -> None:
    """However the threads take turns: a client may send a request and its cancellation at once."""
    messages: list[Any] = [{"jsonrpc": "2.0", "id": n, "method": "x"} for n in range(20)]
    messages += [
        {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": n}} for n in range(20)
    ]
    bodies = [json.dumps(message).encode() for message in messages]
    chunks = [b"".join(b"Content-Length: %d\r\n\r\n%s" % (len(b), b) for b in bodies), b""]
    source, sink = os.pipe()
    go, end = threading.Event(), threading.Event()
    known: list[set[object]] = []

    def read() -> bytes:
        go.wait(10)
        return chunks.pop(0)

    def deliver(message: object) -> None:
        known.append(set(inbox.cancelled))
        if message is END:
            end.set()

    inbox = Inbox(read, source)
    inbox.attach(deliver)
    go.set()
    assert end.wait(10)
    assert known == [set(range(20))] * 41
    for end_of_pipe in (source, sink):
        os.close(end_of_pipe)


def test_what_libraries_print_does_not_reach_the_client(own: Session) -> None:
    own.open(URI, "#! print\nFAULT")
    assert len(own.diagnostics(URI, 1)) == 1
    assert own.leave() == 0
    assert "printed by a library" in own.stderr
    assert "written by native code" in own.stderr


def test_the_code_of_a_diagnostic_opens_its_page(start: Start) -> None:
    session = start()
    session.initialize(
        capabilities={"textDocument": {"publishDiagnostics": {"codeDescriptionSupport": True}}}
    )
    session.open(URI, "x = alloc()\nFAULT")
    (found,) = session.diagnostics(URI, 1)
    link = urlsplit(found["codeDescription"]["href"])
    assert link.scheme == "file"  # the package names no address of its documentation
    assert Path(url2pathname(link.path)).read_text("utf-8").startswith(f"# {found['code']}")
    assert session.leave() == 0


def test_an_old_client(start: Start) -> None:
    session = start()
    session.initialize(capabilities={}, rootPath="/project")
    session.open(URI, "x = alloc()\nFAULT")
    (found,) = session.diagnostics(URI, 1)
    assert not {"relatedInformation", "codeDescription", "tags"} & set(found)
    assert len(session.hints(URI)) == 1
    assert session.leave() == 0
