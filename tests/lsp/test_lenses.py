"""Lenses and actions while an analysis is under way."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from tests.lsp.session import Session, capabilities, edit, span

from tl_ascend_server.capabilities import BUILD, CHOOSE, RUN, SHOW_IR, SHOW_SOURCE

URI = "file:///project/kernel.py"
DOCUMENT = {"textDocument": {"uri": URI}}
COMMANDS = [BUILD, RUN, CHOOSE, SHOW_SOURCE, SHOW_IR]
ACTIONS = {**DOCUMENT, "range": span((0, 0), (0, 0)), "context": {"diagnostics": []}}
Start = Callable[..., Session]


def client(start: Start, refresh: bool) -> Session:
    session = start()
    session.initialize(
        capabilities=capabilities(
            textDocument__codeAction__codeActionLiteralSupport={},
            workspace__codeLens={"refreshSupport": refresh},
        )
    )
    return session


def commands(answer: list[dict[str, Any]]) -> list[str]:
    return [item["command"]["command"] for item in answer]


@pytest.mark.parametrize(
    ("method", "params"),
    [("textDocument/codeLens", DOCUMENT), ("textDocument/codeAction", ACTIONS)],
)
def test_who_asks_once_gets_the_first_result(
    start: Start, tmp_path: Path, method: str, params: dict[str, Any]
) -> None:
    """The answer waits for it, and holds up nothing else."""
    session, gate = client(start, refresh=False), tmp_path / "gate"
    session.open(URI, f"def kernel\n#! gate {gate}\n")
    number = session.begin(method, params)
    assert session.text(URI)["version"] == 1
    assert not session.has_reply(number)
    gate.touch()
    assert commands(session.reply(number)["result"]) == COMMANDS


def test_who_can_be_told_comes_again(start: Start, tmp_path: Path) -> None:
    session, gate = client(start, refresh=True), tmp_path / "gate"
    session.open(URI, f"def kernel\n#! gate {gate}\n")
    assert session.ask("textDocument/codeLens", DOCUMENT) == []
    gate.touch()
    assert session.asked.get(timeout=60)["method"] == "workspace/codeLens/refresh"
    assert commands(session.ask("textDocument/codeLens", DOCUMENT)) == COMMANDS


def test_lenses_stay_while_their_text_is_edited(start: Start, tmp_path: Path) -> None:
    session = client(start, refresh=False)
    session.open(URI, "def kernel\n")
    before = session.ask("textDocument/codeLens", DOCUMENT)
    assert commands(before) == COMMANDS
    session.change(URI, 2, edit((1, 0), (1, 0), f"#! gate {tmp_path / 'never'}\n"))
    assert session.ask("textDocument/codeLens", DOCUMENT) == before
