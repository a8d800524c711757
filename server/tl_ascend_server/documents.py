"""The texts that the client has open, kept equal to its own through every edit."""

from __future__ import annotations

import asyncio
import logging
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote

from lsprotocol import types
from pygls.uris import to_fs_path

from tl_ascend.ide.model import Hint
from tl_ascend.source.text import SourceText, read_source
from tl_ascend_server.capabilities import JSON
from tl_ascend_server.positions import Encoding, from_client

if TYPE_CHECKING:
    from tl_ascend.ide.model import TextEdit
    from tl_ascend.ide.workspace import Analysis
    from tl_ascend_server.jobs import Job

log = logging.getLogger(__name__)
_SURROGATE = re.compile("[\ud800-\udfff]")
_serials = count(1)


@dataclass(frozen=True)
class Snapshot:
    """One state of one document. `serial` is unique over all documents and edits."""

    uri: str
    path: str
    text: str
    version: int | None
    serial: int = field(default_factory=lambda: next(_serials))

    @cached_property
    def source(self) -> SourceText:
        return SourceText(self.path, self.text)


@dataclass(slots=True)
class Shown:
    """Hints for a text. `items`: the same, ready to send."""

    text: str
    hints: tuple[Hint, ...]
    items: list[JSON] | None = None


@dataclass(slots=True)
class Document:
    """An open document, what is known of it and what the client was told.

    `diagnostics` are of the state `result_serial`; `analysis` is the last there was. `served`: the
    hints that the client got last; `lenses`: the same of lenses. `pulled`: it asks for diagnostics
    itself. `built`: what a compiler has said about the present text; `job`: what runs for it. `tried`:
    for the text `tried_serial`, whether repairs do no harm; `repairs`: what repairs all of it.
    """

    now: Snapshot
    analysis: Analysis | None = None
    shown: Shown | None = None
    served: list[JSON] | None = None
    diagnostics: list[JSON] | None = None
    result_serial: int = 0
    pulled: bool = False
    lenses: list[JSON] | None = None
    built: list[JSON] = field(default_factory=list)
    job: Job | None = None
    tried: dict[tuple[TextEdit, ...], bool] = field(default_factory=dict)
    tried_serial: int = 0
    repairs: tuple[TextEdit, ...] | None = None
    _waiting: list[asyncio.Future[None]] = field(default_factory=list)

    @property
    def current(self) -> bool:
        """Whether there is a result for the present text."""
        return self.result_serial == self.now.serial

    async def news(self) -> None:
        """Wait for the next result."""
        future = asyncio.get_running_loop().create_future()
        self._waiting.append(future)
        await future

    def wake(self) -> None:
        """There is a new result, or will be none."""
        waiting, self._waiting = self._waiting, []
        for future in waiting:
            if not future.done():
                future.set_result(None)


def key_of(uri: str) -> str:
    """One spelling for the ways in which clients escape the same URI."""
    return unquote(uri)


def path_of(uri: str) -> str:
    """The file of a URI; of a document without a file, the URI."""
    try:
        return to_fs_path(uri) or uri
    except ValueError:
        return uri


class Documents:
    """All open documents, by any spelling of their URI."""

    def __init__(self) -> None:
        self.encoding = Encoding("utf-16")
        self._open: dict[str, Document] = {}

    def __iter__(self) -> Iterator[Document]:
        return iter(tuple(self._open.values()))

    def get(self, uri: str) -> Document | None:
        """An open document."""
        return self._open.get(key_of(uri))

    def open(self, uri: str, text: str, version: int) -> Document:
        """Start to follow a document; opened again, it starts anew."""
        document = Document(Snapshot(uri, path_of(uri), whole(text), version))
        self._open[key_of(uri)] = document
        return document

    def close(self, uri: str) -> Document | None:
        """Forget a document."""
        return self._open.pop(key_of(uri), None)

    def change(
        self,
        uri: str,
        version: int | None,
        changes: Sequence[types.TextDocumentContentChangeEvent],
    ) -> Document | None:
        """Apply edits in order. None where nothing was done: not open, or an older version."""
        document = self.get(uri)
        if document is None:
            log.warning("change of a document that is not open: %s", uri)
            return None
        before = document.now.version
        if version is not None and before is not None and version < before:
            log.warning("version %s after %s ignored: %s", version, before, uri)
            return None
        source = document.now.source
        for change in changes:
            source = SourceText(source.path, self._apply(source, change))
        new = Snapshot(document.now.uri, source.path, source.text, version)
        document.now, document.built = new, []
        return document

    def replace(self, document: Document, text: str) -> None:
        """Take over a text as it stands."""
        now = document.now
        document.now = Snapshot(now.uri, now.path, whole(text), now.version)

    def read(self, uri: str) -> Snapshot | None:
        """The text of a document, open or on disk; None where there is none."""
        document = self.get(uri)
        if document is not None:
            return document.now
        path = Path(path_of(uri))
        try:
            if not path.is_file():
                return None
            return Snapshot(uri, str(path), read_source(path).text, None)
        except (OSError, ValueError):
            return None

    def _apply(self, source: SourceText, change: types.TextDocumentContentChangeEvent) -> str:
        if not isinstance(change, types.TextDocumentContentChangePartial):
            return whole(change.text)
        ends = (change.range.start, change.range.end)
        offsets = [self._offset(source, place) for place in ends]
        start, end = min(offsets), max(offsets)
        if not self._splits_pair(source, ends):
            return whole(source.text[:start] + change.text + source.text[end:])
        return self._apply_units(source, change.text, ends)

    def _offset(self, source: SourceText, place: types.Position) -> int:
        return source.offset(from_client(source, self.encoding, place.line, place.character))

    def _splits_pair(self, source: SourceText, places: tuple[types.Position, ...]) -> bool:
        """A client that counts UTF-16 may cut a character in two."""
        if self.encoding.name != "utf-16":
            return False
        return any(_inside_pair(source, self.encoding, place) for place in places)

    def _apply_units(
        self, source: SourceText, text: str, places: tuple[types.Position, ...]
    ) -> str:
        units = source.text.encode("utf-16-le", "surrogatepass")
        cuts = sorted(self._cut(source, place) for place in places)
        new = units[: cuts[0]] + text.encode("utf-16-le", "surrogatepass") + units[cuts[1] :]
        return new.decode("utf-16-le", "surrogatepass")

    def _cut(self, source: SourceText, place: types.Position) -> int:
        """Unit: bytes of UTF-16."""
        before = source.text[: self._offset(source, place)]
        inside = _inside_pair(source, self.encoding, place)
        return len(before.encode("utf-16-le", "surrogatepass")) + 2 * inside


def _inside_pair(source: SourceText, encoding: Encoding, place: types.Position) -> bool:
    if not 0 <= place.line < len(source.lines):
        return False
    line = source.lines[place.line]
    column = encoding.to_column(line, place.character)
    return column < len(line) and encoding.to_units(line, column) < place.character


def whole(text: str) -> str:
    """Two halves of a surrogate pair that have met become the character that they are."""
    if text.isascii() or not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
