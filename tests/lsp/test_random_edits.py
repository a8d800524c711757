"""Two hundred random edits through a real session: the texts stay equal, every request is answered.

Edits cut a token out, double it or drop everything behind it, as interrupted typing does; now and
then the text starts anew. Seeded, so a failure comes again.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest
from tests.lsp.session import JSON, SERVER, Session, capabilities, edit, span

KERNELS = sorted((Path(__file__).parent / "data").glob("*.py"))
EDITS, EDITS_EACH = 200, 8
TOKEN = re.compile(r"\w+|[^\w\s]|\s+")
LINE_END = re.compile(r"\r\n|\r|\n")
INSERTIONS = ("(", '"', "'''", "T.", "\r\n", "\x0c", "\u2028", "\x85", "😀", "é", "\ud800", "\t")
ODD = "# \x0c form feed, \u2028 separator, \x85 next line, 𝔘nicode\n"
LINE_ENDS = ("\n", "\r\n")
UNITS: dict[str, Callable[[str], int]] = {
    "utf-8": lambda text: len(text.encode("utf-8", "surrogatepass")),
    "utf-16": lambda text: len(text.encode("utf-16-le", "surrogatepass")) // 2,
}


@dataclass
class Client:
    """The reference: a string, and how its places are told to the server."""

    uri: str
    text: str
    units: Callable[[str], int]
    version: int = 1

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column of an offset."""
        ends = [match.end() for match in LINE_END.finditer(self.text) if match.end() <= offset]
        return len(ends), self.units(self.text[ends[-1] if ends else 0 : offset])

    def replace(self, start: int, end: int, new: str) -> JSON:
        """Change the text; the change as the server is told of it."""
        change = edit(self.place(start), self.place(end), new)
        self.text = self.text[:start] + new + self.text[end:]
        self.version += 1
        return change


def random_change(client: Client, dice: random.Random) -> JSON:
    """One interruption of typing."""
    tokens = list(TOKEN.finditer(client.text))
    if not tokens:
        return client.replace(0, 0, "T.copy(")
    token = dice.choice(tokens)
    start, end = token.span()
    kind = dice.choice(("delete", "double", "truncate", "insert"))
    if kind == "delete":
        return client.replace(start, end, "")
    if kind == "double":
        return client.replace(end, end, token[0])
    if kind == "insert":
        return client.replace(start, start, dice.choice(INSERTIONS))
    line_end = LINE_END.search(client.text, end)
    whole = line_end is None or dice.random() < 0.3
    return client.replace(end, len(client.text) if whole else line_end.start(), "")


def ask_everything(session: Session, client: Client, dice: random.Random) -> None:
    """Each request has an answer that is no error."""
    document = {"textDocument": {"uri": client.uri}}
    line, character = client.place(dice.randrange(len(client.text) + 1))
    position = {**document, "position": {"line": line, "character": character}}
    whole = {**document, "range": span((0, 0), (10_000, 0))}
    numbers = [
        session.begin("textDocument/inlayHint", whole),
        session.begin("textDocument/hover", position),
        session.begin("textDocument/completion", position),
        session.begin("tl-ascend/documentText", document),
    ]
    *others, text = [session.reply(number) for number in numbers]
    assert not [answer for answer in others if "error" in answer]
    assert text["result"] == {"text": client.text, "version": client.version}


@pytest.mark.parametrize("encoding", UNITS)
def test_random_edits(encoding: str, start: Callable[..., Session]) -> None:
    session = start(SERVER)
    session.initialize(capabilities=capabilities(general__positionEncodings=[encoding]))
    dice = random.Random(f"edits in {encoding}")
    for turn in range(EDITS // EDITS_EACH):
        path = KERNELS[turn % len(KERNELS)]
        text = ODD + path.read_text(encoding="utf-8").replace("\n", LINE_ENDS[turn % 2])
        client = Client(f"file:///project/{turn}/{path.name}", text, UNITS[encoding])
        session.open(client.uri, client.text)
        for _ in range(EDITS_EACH):
            change = random_change(client, dice)
            session.change(client.uri, client.version, change)
            ask_everything(session, client, dice)
        session.diagnostics(client.uri, client.version)
        session.notify("textDocument/didClose", {"textDocument": {"uri": client.uri}})
    assert session.leave() == 0
    assert "Traceback" not in session.stderr and "ERROR" not in session.stderr
