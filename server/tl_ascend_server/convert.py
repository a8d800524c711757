"""Findings, hints, hovers and completions as LSP data: plain dicts, sent by the hundred."""

from __future__ import annotations

from pathlib import Path

from pygls.uris import from_fs_path

from tl_ascend.diagnostics.catalogue import BY_CODE, Severity
from tl_ascend.diagnostics.help import page_link
from tl_ascend.ide.model import Completion, Diagnostic, Hint, Hover, RelatedPlace, TextEdit
from tl_ascend.source.span import Position, Range
from tl_ascend.source.text import SourceText, read_source
from tl_ascend_server.capabilities import JSON, SECTION, Client
from tl_ascend_server.documents import Documents
from tl_ascend_server.positions import Encoding, to_client

ERROR, WARNING = 1, 2
_TAGS = {"unnecessary": 1, "deprecated": 2}  # DiagnosticTag
_SEVERITIES = {Severity.ERROR: 1, Severity.WARNING: 2, Severity.INFO: 3, Severity.HINT: 4}
_KINDS = {"function": 3, "class": 7, "module": 9, "value": 12}
_HINT_IS_TYPE = 1


def position_of(source: SourceText, encoding: Encoding, position: Position) -> JSON:
    """A place in the client's terms."""
    line, character = to_client(source, encoding, position)
    return {"line": line, "character": character}


def range_of(source: SourceText, encoding: Encoding, start: Position, end: Position) -> JSON:
    """A range in the client's terms."""
    return {
        "start": position_of(source, encoding, start),
        "end": position_of(source, encoding, end),
    }


def first_line(source: SourceText, encoding: Encoding) -> JSON:
    """The range of the first line, for what is about the file as a whole."""
    end = Position(1, len(source.lines[0]))
    return range_of(source, encoding, Position(1, 0), end)


def diagnostics_of(
    found: tuple[Diagnostic, ...], source: SourceText, documents: Documents, client: Client
) -> list[JSON]:
    """Diagnostics of one file."""
    places = _Places(source, documents)
    return [_diagnostic(one, source, places, client) for one in found]


def _diagnostic(found: Diagnostic, source: SourceText, places: _Places, client: Client) -> JSON:
    item: JSON = {
        "range": range_of(source, places.encoding, found.range.start, found.range.end),
        "severity": _SEVERITIES[found.severity],
        "code": found.code,
        "source": SECTION,
        "message": "\n".join((found.message, *found.notes)),
        "data": {"name": found.name, "instances": list(found.instances)},
    }
    if client.related_information and found.related:
        item["relatedInformation"] = [places.related(place) for place in found.related]
    if client.code_description:
        item["codeDescription"] = {"href": page_link(found.code)}
    tag = _TAGS.get(BY_CODE[found.code].tag)
    if tag in client.diagnostic_tags:
        item["tags"] = [tag]
    return item


def edits_of(edits: tuple[TextEdit, ...], source: SourceText, encoding: Encoding) -> list[JSON]:
    """Changes of one file."""
    return [
        {"range": range_of(source, encoding, e.range.start, e.range.end), "newText": e.new_text}
        for e in edits
    ]


class _Places:
    """Ranges in any file: columns need its text, and clients want their own spelling of its URI."""

    def __init__(self, source: SourceText, documents: Documents) -> None:
        self.encoding = documents.encoding
        self._known = {source.path: source}
        self._uris = {source.path: ""}
        for document in documents:
            self._known.setdefault(document.now.path, document.now.source)
            self._uris[document.now.path] = document.now.uri

    def related(self, place: RelatedPlace) -> JSON:
        return {"location": self._location(place.range), "message": place.message}

    def _location(self, place: Range) -> JSON:
        uri = self._uris.get(place.path) or from_fs_path(place.path) or place.path
        source = self._known.get(place.path) or self._read(place.path)
        return {"uri": uri, "range": range_of(source, self.encoding, place.start, place.end)}

    def _read(self, path: str) -> SourceText:
        try:
            source = read_source(Path(path))
        except (OSError, ValueError):
            source = SourceText(path, "")
        self._known[path] = source
        return source


def hints_of(
    hints: tuple[Hint, ...], source: SourceText, encoding: Encoding, max_length: int
) -> list[JSON]:
    """Inlay hints, in the order given."""
    return [_hint(hint, source, encoding, max_length) for hint in hints]


def _hint(hint: Hint, source: SourceText, encoding: Encoding, max_length: int) -> JSON:
    label, tooltip = shorten(hint.label, hint.tooltip, max_length)
    item: JSON = {
        "position": position_of(source, encoding, hint.position),
        "label": label,
        "kind": _HINT_IS_TYPE,
        "paddingLeft": True,
    }
    if tooltip:
        item["tooltip"] = {"kind": "markdown", "value": tooltip}
    return item


def shorten(label: str, tooltip: str, max_length: int) -> tuple[str, str]:
    """A label that fits; what had to go is in the tooltip. 0: no limit."""
    if not 0 < max_length < len(label):
        return label, tooltip
    short = label[: max(1, max_length - 1)].rstrip() + "…"
    return short, "\n\n".join(part for part in (f"`{label}`", tooltip) if part)


def hover_of(hover: Hover, source: SourceText, encoding: Encoding, markdown: bool) -> JSON:
    """A hover."""
    return {
        "contents": {"kind": "markdown" if markdown else "plaintext", "value": hover.markdown},
        "range": range_of(source, encoding, hover.range.start, hover.range.end),
    }


def completions_of(found: tuple[Completion, ...], markdown: bool) -> list[JSON]:
    """Completion items."""
    return [_completion(one, "markdown" if markdown else "plaintext") for one in found]


def _completion(found: Completion, format: str) -> JSON:
    item: JSON = {"label": found.label, "kind": _KINDS.get(found.kind, 1)}
    if found.detail:
        item["detail"] = found.detail
    if found.documentation:
        item["documentation"] = {"kind": format, "value": found.documentation}
    return item
