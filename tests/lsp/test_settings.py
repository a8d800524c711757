"""Settings reach the engine by every way that clients have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.lsp.session import Session, capabilities

from tl_ascend_server.convert import shorten
from tl_ascend_server.features.configuration import Options

URI = "file:///project/kernel.py"
TEXT = "FAULT\na = alloc()\nb = alloc(value)\n"
Start = Callable[..., Session]


def message(session: Session) -> str:
    """The message of the next diagnostics."""
    found: str = session.diagnostics(URI, 1)[0]["message"]
    return found.splitlines()[0]


def test_at_start(start: Start) -> None:
    session = start()
    session.initialize(
        initializationOptions={
            "platform": "a2",
            "upstream": "none",
            "inlayHints": {"values": False},
        },
        workspaceFolders=[{"uri": "file:///project/gr%C3%B6%C3%9Fe", "name": "x"}],
    )
    session.open(URI, TEXT)
    assert message(session) == "FAULT on A2, upstream none, root /project/größe"
    assert [hint["label"] for hint in session.hints(URI)] == [": hint of a"]


def test_pushed(own: Session) -> None:
    own.open(URI, TEXT)
    assert message(own) == "FAULT on auto, upstream snapshot, root None"
    settings: dict[str, Any] = {"tl-ascend": {"platform": "A5", "inlayHints": {"buffers": False}}}
    own.notify("workspace/didChangeConfiguration", {"settings": settings})
    assert message(own) == "FAULT on A5, upstream snapshot, root None"
    assert [hint["label"] for hint in own.hints(URI)] == [": hint of b"]
    settings["tl-ascend"] = {"inlayHints": {"buffers": True, "maxLength": 8}}
    own.notify("workspace/didChangeConfiguration", {"settings": settings})
    first, second = own.hints(URI)
    assert first["label"] == second["label"] == ": hint…"
    assert first["tooltip"]["value"] == "`: hint of a`\n\nmore of it"
    for nonsense in (None, 5, {}, {"tl-ascend": []}, {"tl-ascend": {"platform": 7}}):
        own.notify("workspace/didChangeConfiguration", {"settings": nonsense})
    own.notify(
        "workspace/didChangeWorkspaceFolders",
        {"event": {"added": [{"uri": "file:///project", "name": "w"}], "removed": []}},
    )
    assert message(own) == "FAULT on A5, upstream snapshot, root /project"


def test_pulled(start: Start) -> None:
    section = {"platform": "A2"}
    session = start(answers={"workspace/configuration": lambda params: [section]})
    session.initialize(
        capabilities=capabilities(
            workspace__configuration=True,
            workspace__didChangeConfiguration={"dynamicRegistration": True},
            workspace__didChangeWatchedFiles={"dynamicRegistration": True},
        )
    )
    registered = session.asked.get(timeout=30)["params"]["registrations"]
    assert [one["method"] for one in registered] == [
        "workspace/didChangeConfiguration",
        "workspace/didChangeWatchedFiles",
    ]
    assert session.asked.get(timeout=30)["params"]["items"] == [{"section": "tl-ascend"}]
    session.open(URI, TEXT)
    assert message(session).startswith("FAULT on A2")
    section["platform"] = "A3"
    session.notify("workspace/didChangeConfiguration", {"settings": None})
    assert message(session).startswith("FAULT on A3")


def test_reading() -> None:
    before = Options()
    read = Options.read({"inlayHints": {"buffers": "yes", "other": False}, "upstream": 3}, before)
    assert read == before
    assert Options.read({"inlayHints": {"maxLength": True}}, before).max_label == before.max_label
    assert Options.read({"tl-ascend": {"platform": "A5"}}, before).settings.platform == "A5"


def test_labels() -> None:
    assert shorten("short", "", 10) == ("short", "")
    assert shorten("long label", "", 6) == ("long…", "`long label`")
    assert shorten("long label", "tip", 0) == ("long label", "tip")
