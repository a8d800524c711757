"""The server's text is the client's text."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from tests.lsp.session import Session, capabilities, edit

from tl_ascend_server.documents import Documents
from tl_ascend_server.positions import Encoding

URI = "file:///project/kernel.py"
Start = Callable[..., Session]
Place = tuple[int, int]


def changed(encoding: str, text: str, *changes: tuple[Place, Place, str]) -> str:
    """The text after edits."""
    documents = Documents()
    documents.encoding = Encoding(encoding)
    documents.open(URI, text, 1)
    for version, (start, end, new) in enumerate(changes, 2):
        span = types.Range(types.Position(*start), types.Position(*end))
        documents.change(URI, version, [types.TextDocumentContentChangePartial(span, new)])
    document = documents.get(URI)
    assert document is not None
    return document.now.text


@pytest.mark.parametrize("separator", ["\x0c", "\x85", "\u2028", "\u2029", "\x0b", "\x1c"])
def test_what_ends_no_line(separator: str) -> None:
    text = f"a{separator}b\nsecond\n"
    assert changed("utf-16", text, ((1, 0), (1, 6), "2nd")) == f"a{separator}b\n2nd\n"


def test_what_ends_a_line() -> None:
    assert changed("utf-16", "a\rb\r\nc\nd", ((3, 0), (3, 1), "D")) == "a\rb\r\nc\nD"
    assert changed("utf-16", "a\r\nb", ((0, 1), (1, 0), "")) == "ab"
    assert changed("utf-16", "a\r\nb", ((0, 99), (0, 99), "!")) == "a!\r\nb"


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 7), ("utf-16", 4), ("utf-32", 3)])
def test_columns(encoding: str, column: int) -> None:
    assert changed(encoding, "é😀x|y", ((0, column), (0, column + 1), "+")) == "é😀x+y"


def test_places_outside_of_the_text() -> None:
    assert changed("utf-16", "ab", ((7, 3), (9, 0), "!")) == "ab!"
    assert changed("utf-16", "ab\n", ((0, 1), (99, 0), "")) == "a"
    assert changed("utf-16", "abc", ((0, 2), (0, 1), "-")) == "a-c"
    assert changed("utf-16", "", ((0, 0), (0, 0), "x")) == "x"


def test_halves_of_a_character() -> None:
    """A client that counts UTF-16 may cut a character in two and put it together again."""
    half = changed("utf-16", "a😀b", ((0, 2), (0, 3), ""))
    assert half == "a\ud83db"
    assert changed("utf-16", half, ((0, 2), (0, 2), "\ude01")) == "a😁b"
    assert changed("utf-16", "a😀b", ((0, 2), (0, 2), "x")) == "a\ud83dx\ude00b"


def test_a_session_with_odd_characters(start: Start) -> None:
    session = start()
    session.initialize()
    text = "a\x0cb\nc\u2028d\n\ud800 alone\r\nFAULT\n"
    session.open(URI, text)
    assert session.text(URI) == {"text": text, "version": 1}
    (found,) = session.diagnostics(URI, 1)
    assert found["range"]["start"] == {"line": 3, "character": 0}
    session.change(URI, 2, edit((1, 3), (1, 3), "\x85"), edit((3, 0), (3, 1), "f"))
    assert session.text(URI)["text"] == "a\x0cb\nc\u2028d\x85\n\ud800 alone\r\nfAULT\n"
    assert session.diagnostics(URI, 2) == []
    assert session.leave() == 0 and "Traceback" not in session.stderr


def test_versions(session: Session) -> None:
    session.open(URI, "one", 5)
    session.change(URI, 7, edit((0, 0), (0, 3), "two"))
    session.change(URI, 6, edit((0, 0), (0, 3), "old"))
    assert session.text(URI) == {"text": "two", "version": 7}
    session.change(URI, 8, edit((0, 0), (0, 1), "T"), edit((0, 3), (0, 3), "!"))
    assert session.text(URI) == {"text": "Two!", "version": 8}
    session.change(URI, 9, {"text": "all\nnew"})
    assert session.text(URI) == {"text": "all\nnew", "version": 9}
    session.open(URI, "again", 1)
    assert session.text(URI) == {"text": "again", "version": 1}


def test_a_save_heals(session: Session) -> None:
    session.open(URI, "ours")
    session.notify("textDocument/didSave", {"textDocument": {"uri": URI}, "text": "theirs"})
    assert session.text(URI)["text"] == "theirs"


def test_documents_that_are_not_open(session: Session, tmp_path: Path) -> None:
    latin = tmp_path / "latin.py"
    latin.write_bytes(b"import tilelang.language as T\nT.\n# caf\xe9\n")
    uri = latin.as_uri()
    assert session.text(uri) == {
        "text": "import tilelang.language as T\nT.\n# caf\ufffd\n",
        "version": None,
    }
    place = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 2}}
    assert session.ask("textDocument/completion", place)["items"]
    assert session.ask("textDocument/hover", place) is None
    assert session.hints(uri) == []
    assert session.text(tmp_path.as_uri()) is None
    assert session.text("file:///nowhere/at%00all") is None
    assert session.text("untitled:Untitled-1") is None
    session.change(uri, 2, edit((0, 0), (0, 1), "x"))
    session.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert session.text(uri)["version"] is None


@pytest.mark.parametrize(
    "name", ["plain.py", "a b.py", "a+b.py", "100%.py", "a#b.py", "größe.py", "日本.py", "a%20b.py"]
)
def test_spellings_of_paths(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    documents = Documents()
    opened = documents.open(path.as_uri(), "text", 1)
    assert Path(opened.now.path) == path
    assert documents.get(path.as_uri().replace("%2B", "+").replace(":///", ":///")) is opened


def test_the_clients_spelling_is_kept(session: Session) -> None:
    uri = "file:///c%3A/gr%C3%B6%C3%9Fe%20a%2Bb/k.py"
    session.open(uri, "FAULT")
    (found,) = session.diagnostics(uri, 1)
    assert found["relatedInformation"][0]["location"]["uri"] == uri
    assert session.text("file:///c:/größe a+b/k.py") == {"text": "FAULT", "version": 1}
    session.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert session.diagnostics(uri, None) == []


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 7), ("utf-16", 4), ("utf-32", 3)])
def test_columns_of_answers(start: Start, encoding: str, column: int) -> None:
    session = start()
    session.initialize(capabilities=capabilities(general__positionEncodings=[encoding]))
    session.open(URI, "é😀 FAULT\né😀x = alloc()\n")
    (found,) = session.diagnostics(URI, 1)
    assert found["range"]["start"]["character"] == column
    (hint,) = session.hints(URI)
    assert hint["position"] == {"line": 1, "character": column}
    place = {"line": 0, "character": column + 1}
    hover: Any = session.ask(
        "textDocument/hover", {"textDocument": {"uri": URI}, "position": place}
    )
    assert hover["contents"] == {"kind": "markdown", "value": "**FAULT**"}
    assert hover["range"] == found["range"]
