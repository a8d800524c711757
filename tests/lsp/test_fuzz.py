"""Random requests with random parameters: each has exactly one answer and the server lives."""

from __future__ import annotations

import random
from typing import Any

from lsprotocol import types
from tests.lsp.session import JSON, Session

REQUESTS = 1500
URI = "file:///project/kernel.py"
ENDING = (types.SHUTDOWN, types.EXIT, types.INITIALIZE)
METHODS = [method for method in types.METHOD_TO_TYPES if method not in ENDING]
OURS = [
    types.TEXT_DOCUMENT_HOVER,
    types.TEXT_DOCUMENT_INLAY_HINT,
    types.TEXT_DOCUMENT_COMPLETION,
    types.TEXT_DOCUMENT_DIAGNOSTIC,
    types.TEXT_DOCUMENT_CODE_LENS,
    types.WORKSPACE_EXECUTE_COMMAND,
    "tl-ascend/emittedSource",
    "tl-ascend/stages",
    "tl-ascend/documentText",
]
NOTIFICATIONS = [
    types.TEXT_DOCUMENT_DID_OPEN,
    types.TEXT_DOCUMENT_DID_CHANGE,
    types.TEXT_DOCUMENT_DID_CLOSE,
    types.TEXT_DOCUMENT_DID_SAVE,
    types.WORKSPACE_DID_CHANGE_CONFIGURATION,
    types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS,
    types.WORKSPACE_DID_CHANGE_WATCHED_FILES,
    types.WINDOW_WORK_DONE_PROGRESS_CANCEL,
    types.SET_TRACE,
    types.NOTEBOOK_DOCUMENT_DID_OPEN,
]
VALUES: list[Any] = [None, True, -1, 0, 3, 2**40, 1.5, "", "x", URI, "file:///%", "\ud800", [], {}]
KEYS = (
    "textDocument uri version text languageId position line character range start end context "
    "contentChanges settings event added removed name changes type token value command arguments "
    "tl-ascend inlayHints platform previousResultId triggerKind"
).split()


def anything(dice: random.Random, depth: int = 0) -> Any:
    """A random value whose keys are those that the protocol uses."""
    kind = dice.random()
    if depth > 4 or kind < 0.35:
        return dice.choice(VALUES)
    if kind < 0.45:
        return [anything(dice, depth + 1) for _ in range(dice.randrange(3))]
    return {dice.choice(KEYS): anything(dice, depth + 1) for _ in range(dice.randrange(5))}


def nearly_right(dice: random.Random) -> JSON:
    """Parameters with one thing wrong, or none."""
    place = {"line": dice.randrange(4), "character": dice.randrange(9)}
    params: JSON = {
        "textDocument": {"uri": URI, "version": dice.randrange(9), "languageId": "x", "text": "T."},
        "position": place,
        "range": {"start": place, "end": {"line": 9, "character": 0}},
        "context": {"triggerKind": 1},
        "contentChanges": [{"range": {"start": place, "end": place}, "text": "FAULT\n"}],
        "settings": {},
    }
    if dice.random() < 0.5:
        params[dice.choice(list(params))] = anything(dice)
    return params


def test_random_requests(own: Session) -> None:
    dice = random.Random("requests")
    numbers = []
    for _ in range(REQUESTS):
        params = nearly_right(dice) if dice.random() < 0.6 else anything(dice)
        if dice.random() < 0.4:
            own.notify(dice.choice(NOTIFICATIONS), params)
            continue
        method = dice.choice(OURS if dice.random() < 0.7 else METHODS)
        numbers.append(own.begin(method, params))
        if dice.random() < 0.1:
            own.notify("$/cancelRequest", {"id": dice.choice(numbers)})
    answers = [own.reply(number) for number in numbers]
    assert all(("result" in answer) != ("error" in answer) for answer in answers)
    codes = {answer["error"]["code"] for answer in answers if "error" in answer}
    assert codes <= {-32600, -32601, -32602, -32800}
    own.open(URI, "FAULT", 100)
    assert len(own.diagnostics(URI, 100)) == 1
    assert own.leave() == 0
    assert own.unmatched.empty()
    assert " ERROR " not in own.stderr and "Traceback" not in own.stderr
