"""Diagnostics, hints and hover while the text changes, and when the engine misbehaves."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from tests.lsp.session import JSON, Session, capabilities, edit

URI, OTHER = "file:///project/kernel.py", "file:///project/other.py"
Start = Callable[..., Session]


def code_of(found: list[JSON]) -> list[str]:
    """The codes of diagnostics."""
    return [item["code"] for item in found]


def test_a_diagnostic_in_full(session: Session) -> None:
    session.open(URI, "x\nFAULT here\n", 3)
    (found,) = session.diagnostics(URI, 3)
    place = {"start": {"line": 1, "character": 0}, "end": {"line": 1, "character": 5}}
    assert found == {
        "range": place,
        "severity": 1,
        "code": "TL503",
        "source": "tl-ascend",
        "message": "FAULT on auto, upstream snapshot, root None\na note",
        "data": {"name": "ub-overflow", "instances": ["M=1"]},
        "relatedInformation": [
            {"location": {"uri": URI, "range": place}, "message": "the other half"}
        ],
    }


def test_every_version_is_published(own: Session) -> None:
    """Also where nothing has changed."""
    own.open(URI, "FAULT\n")
    assert code_of(own.diagnostics(URI, 1)) == ["TL503"]
    for version in range(2, 12):
        own.change(URI, version, edit((1, 0), (1, 0), "#"))
        assert code_of(own.diagnostics(URI, version)) == ["TL503"]
    assert own.leave() == 0 and own.published.empty()


def test_a_burst_ends_with_its_last_version(own: Session) -> None:
    own.open(URI, "")
    for version in range(2, 202):
        own.change(URI, version, edit((0, 0), (0, 0), "x"))
    own.change(URI, 202, edit((0, 0), (0, 0), "FAULT "))
    assert code_of(own.diagnostics(URI, 202)) == ["TL503"]
    assert own.leave() == 0 and own.published.empty()


def test_a_newer_version_stops_an_older_analysis(session: Session, tmp_path: Path) -> None:
    session.open(URI, f"#! gate {tmp_path / 'never'}\n")
    session.change(URI, 2, {"text": "FAULT"})
    assert code_of(session.diagnostics(URI, 2)) == ["TL503"]


def test_typing_comes_before_opening(session: Session, tmp_path: Path) -> None:
    """And what was interrupted is not lost."""
    gate = tmp_path / "gate"
    session.open(OTHER, "FAULT")
    assert session.diagnostics(OTHER, 1)
    session.open(URI, f"#! gate {gate}\nFAULT")
    session.change(OTHER, 2, edit((0, 0), (0, 0), "# "))
    assert session.diagnostics(OTHER, 2)
    gate.touch()
    assert session.diagnostics(URI, 1)


def test_many_documents(session: Session) -> None:
    uris = [f"file:///project/k{number}.py" for number in range(50)]
    for uri in uris:
        session.open(uri, "FAULT")
    for uri in uris:
        assert code_of(session.diagnostics(uri, 1)) == ["TL503"]


def test_closing_takes_diagnostics_away(session: Session, tmp_path: Path) -> None:
    session.open(URI, "FAULT")
    assert session.diagnostics(URI, 1)
    session.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    assert session.diagnostics(URI, None) == []
    session.open(URI, f"#! gate {tmp_path / 'never'}\n")
    session.notify("textDocument/didClose", {"textDocument": {"uri": URI}})
    session.open(URI, "FAULT FAULT", 9)
    assert len(session.diagnostics(URI, 9)) == 2


def test_hints_move_with_the_text(own: Session, tmp_path: Path) -> None:
    """They are never taken away because newer ones are not there yet; then the client is told."""
    gate = tmp_path / "gate"
    own.open(URI, "a = alloc()\nb = alloc()\n")
    own.diagnostics(URI, 1)
    own.asked.queue.clear()
    assert [hint["position"]["line"] for hint in own.hints(URI)] == [0, 1]
    own.change(URI, 2, edit((1, 0), (1, 0), f"#! gate {gate}\nc = alloc()\n"))
    assert [hint["position"]["line"] for hint in own.hints(URI)] == [0, 3]
    gate.touch()
    own.diagnostics(URI, 2)
    assert own.asked.get(timeout=10)["method"] == "workspace/inlayHint/refresh"
    assert [hint["position"]["line"] for hint in own.hints(URI)] == [0, 2, 3]
    own.change(URI, 3, edit((4, 0), (4, 0), "# nothing new\n"))
    own.hints(URI)
    own.diagnostics(URI, 3)
    assert own.leave() == 0 and own.asked.empty()


def test_a_hint_in_full(session: Session) -> None:
    session.open(URI, "name = alloc()\n")
    session.diagnostics(URI, 1)
    assert session.hints(URI) == [
        {
            "position": {"line": 0, "character": 4},
            "label": ": hint of name",
            "kind": 1,
            "paddingLeft": True,
            "tooltip": {"kind": "markdown", "value": "more of it"},
        }
    ]


def test_hover_waits_for_an_analysis_but_not_for_ever(session: Session, tmp_path: Path) -> None:
    place = {"textDocument": {"uri": URI}, "position": {"line": 2, "character": 1}}
    session.open(URI, "first\nsecond\nthird\n")
    assert session.ask("textDocument/hover", place)["contents"]["value"] == "**third**"
    session.change(URI, 2, edit((0, 0), (0, 0), f"#! gate {tmp_path / 'never'}\n"))
    found = session.ask("textDocument/hover", place)
    assert found["contents"]["value"] == "**second**"
    assert found["range"]["start"] == {"line": 2, "character": 0}


def test_pull(start: Start, tmp_path: Path) -> None:
    """A document that the client pulls is no longer pushed; one that it does not pull, is."""
    session = start()
    told = session.initialize(
        capabilities=capabilities(
            textDocument__diagnostic={}, workspace__diagnostics={"refreshSupport": True}
        )
    )
    assert told["capabilities"]["diagnosticProvider"]["workspaceDiagnostics"] is False
    session.open(URI, "FAULT")
    session.open(OTHER, "FAULT")
    assert len(session.diagnostics(URI, 1)) == 1
    document = {"textDocument": {"uri": URI}}
    report = session.ask("textDocument/diagnostic", document)
    assert (report["kind"], len(report["items"])) == ("full", 1)
    assert session.diagnostics(URI, 1) == []
    again = {**document, "previousResultId": report["resultId"]}
    assert session.ask("textDocument/diagnostic", again)["kind"] == "unchanged"
    session.change(URI, 2, edit((0, 0), (0, 0), "FAULT "))
    assert len(session.ask("textDocument/diagnostic", again)["items"]) == 2
    session.change(OTHER, 2, edit((0, 0), (0, 0), "# "))
    assert session.diagnostics(OTHER, 2)
    settings = {"tl-ascend": {"platform": "A2"}}
    session.notify("workspace/didChangeConfiguration", {"settings": settings})
    while session.asked.get(timeout=10)["method"] != "workspace/diagnostic/refresh":
        continue
    (first, _) = session.ask("textDocument/diagnostic", document)["items"]
    assert "FAULT on A2" in first["message"]
    gone = {"textDocument": {"uri": "file:///nowhere.py"}}
    assert session.ask("textDocument/diagnostic", gone)["items"] == []
    session.change(URI, 3, {"text": f"#! gate {tmp_path / 'never'}\n"})
    pending = session.begin("textDocument/diagnostic", document)
    session.notify("textDocument/didClose", document)
    assert session.reply(pending)["result"]["items"] == []


def test_a_crash_is_reported_and_survived(own: Session) -> None:
    own.open(URI, "a = alloc()\n")
    own.diagnostics(URI, 1)
    for version in (2, 3):
        own.change(URI, version, edit((1, 0), (1, 0), "#! crash\n"))
        (found,) = own.diagnostics(URI, version)
        assert (found["code"], found["data"]["name"]) == ("TL901", "internal-error")
        assert "out of luck" in found["message"]
        assert found["range"]["end"] == {"line": 0, "character": 11}
        assert len(own.hints(URI)) == 1
    own.change(URI, 4, {"text": "FAULT"})
    assert code_of(own.diagnostics(URI, 4)) == ["TL503"]
    assert own.leave() == 0
    assert own.stderr.count("Traceback") == 1


def test_an_analysis_that_overruns(start: Start) -> None:
    """Whether it can be interrupted or not: one diagnostic, and the server goes on."""
    session = start(env={"FAKE_LIMIT": "0.3"})
    session.initialize()
    session.open(OTHER, "FAULT")
    session.diagnostics(OTHER, 1)
    for version, command in enumerate(("loop", "stubborn", "gate /nowhere"), 1):
        session.open(URI, f"#! {command}\n", version)
        (found,) = session.diagnostics(URI, version)
        assert (found["code"], found["data"]["name"]) == ("TL105", "budget-exceeded")
        assert "set aside" in found["message"]
        session.change(OTHER, version + 1, edit((0, 0), (0, 0), "# "))
        assert session.diagnostics(OTHER, version + 1)
    session.notify("textDocument/didSave", {"textDocument": {"uri": OTHER}})
    session.change(URI, 9, {"text": "FAULT"})
    assert code_of(session.diagnostics(URI, 9)) == ["TL503"]
    assert session.leave() == 0


def test_native_code_that_never_returns(start: Start) -> None:
    """Nothing but an end of the process helps; the next one leaves the file alone."""
    first = start(env={"FAKE_LIMIT": "0.3"})
    first.initialize()
    first.open(URI, "#! freeze\n")
    assert first.process.wait(30) == 1
    second = start()
    second.initialize()
    second.open(URI, "#! freeze\n")
    assert code_of(second.diagnostics(URI, 1)) == ["TL901"]
    assert "_freeze" in first.stderr


def test_a_text_that_kills_the_process_is_set_aside(start: Start, cache: dict[str, str]) -> None:
    first = start()
    first.initialize()
    first.open(URI, "#! die\n")
    assert first.process.wait(60) < 0
    second = start()
    second.initialize()
    second.open(OTHER, "FAULT")
    assert code_of(second.diagnostics(OTHER, 1)) == ["TL503"]
    second.open(URI, "#! die\n")
    (found,) = second.diagnostics(URI, 1)
    assert found["code"] == "TL901" and "ended unexpectedly" in found["message"]
    second.change(URI, 2, {"text": "FAULT"})
    assert code_of(second.diagnostics(URI, 2)) == ["TL503"]
    assert second.leave() == 0
    assert not list(Path(cache["XDG_CACHE_HOME"]).rglob("analysing-*"))
