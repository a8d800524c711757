"""SARIF 2.1.0 (OASIS, errata 01): columns in UTF-16 code units, paths from the working directory."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TextIO
from urllib.parse import quote

import tl_ascend
from tl_ascend.cli.formats.run_data import Run, shown_path
from tl_ascend.diagnostics.catalogue import RULES, Rule, Severity
from tl_ascend.diagnostics.help import page, page_url
from tl_ascend.driver.strict_json import dumps
from tl_ascend.ide.model import Diagnostic, QuickFix, RelatedPlace
from tl_ascend.ide.result import FileResult
from tl_ascend.source.span import Position, Range

SCHEMA = (
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
)
ROOT = "SRCROOT"
_LEVELS = {
    Severity.ERROR: "error",
    Severity.WARNING: "warning",
    Severity.INFO: "note",
    Severity.HINT: "note",
}
_NUMBER = {rule.code: number for number, rule in enumerate(RULES)}
JSON = dict[str, Any]


def write(run: Run, out: TextIO) -> None:
    """One run with all rules."""
    log = {"$schema": SCHEMA, "version": "2.1.0", "runs": [_run(run)]}
    out.write(dumps(log, indent=1) + "\n")


def _run(run: Run) -> JSON:
    return {
        "tool": {"driver": _driver()},
        "columnKind": "utf16CodeUnits",
        "originalUriBaseIds": {ROOT: {"uri": Path.cwd().as_uri() + "/"}},
        "invocations": [_invocation(run)],
        "results": [_result(result, found) for result, found in run.findings()],
    }


def _invocation(run: Run) -> JSON:
    out: JSON = {"executionSuccessful": not run.failures}
    if run.failures:
        out["toolExecutionNotifications"] = [
            {"level": "error", "message": {"text": failure}} for failure in run.failures
        ]
    return out


def _driver() -> JSON:
    return {
        "name": "tl-check",
        "fullName": f"tl-check {tl_ascend.__version__} (tl-ascend)",
        "semanticVersion": tl_ascend.__version__,
        "rules": [_rule(rule) for rule in RULES],
    }


def _rule(rule: Rule) -> JSON:
    text, url = page(rule.code), page_url(rule.code)
    return {
        "id": rule.code,
        "name": "".join(word.capitalize() for word in rule.name.split("-")),
        "shortDescription": {"text": rule.summary},
        "help": {"text": text, "markdown": text},
        **({"helpUri": url} if url else {}),
        "defaultConfiguration": {"level": _LEVELS[rule.severity]},
        "properties": {"tags": [rule.name, rule.owner.value]},
    }


def _result(result: FileResult, found: Diagnostic) -> JSON:
    out: JSON = {
        "ruleId": found.code,
        "ruleIndex": _NUMBER[found.code],
        "level": _LEVELS[found.severity],
        "message": {"text": "\n".join((found.message, *found.notes))},
        "locations": [_location(result, found.range, found.kernel)],
        "partialFingerprints": {"tlAscendFinding/v1": found.fingerprint},
        "properties": {"instances": list(found.instances), "target": found.target},
    }
    if found.related:
        places = enumerate(found.related)
        out["relatedLocations"] = [_related(result, place, at) for at, place in places]
    if found.fixes:
        out["fixes"] = [_fix(result, fix) for fix in found.fixes]
    return out


def _location(result: FileResult, place: Range, kernel: str = "") -> JSON:
    out: JSON = {
        "physicalLocation": {
            "artifactLocation": _artifact(place.path),
            "region": _region(result, place),
        }
    }
    if kernel:
        out["logicalLocations"] = [{"name": kernel, "kind": "function"}]
    return out


def _related(result: FileResult, place: RelatedPlace, number: int) -> JSON:
    return {
        "id": number,
        "message": {"text": place.message},
        **_location(result, place.range),
    }


def _artifact(path: str) -> JSON:
    shown = shown_path(path)
    if Path(shown).is_absolute():
        return {"uri": Path(shown).as_uri()}
    return {"uri": quote(shown), "uriBaseId": ROOT}


def _region(result: FileResult, place: Range) -> JSON:
    start, end = place.start, place.end
    return {
        "startLine": start.row,
        "startColumn": _column(result, place.path, start),
        "endLine": end.row,
        "endColumn": _column(result, place.path, end),
    }


def _column(result: FileResult, path: str, place: Position) -> int:
    """1-based, in UTF-16 code units."""
    line = result.excerpts.get(path, {}).get(place.row, "")
    beyond = sum(ord(char) > 0xFFFF for char in line[: place.column])
    return place.column + beyond + 1


def _fix(result: FileResult, fix: QuickFix) -> JSON:
    changes: dict[str, list[JSON]] = {}
    for edit in fix.edits:
        replacement: JSON = {"deletedRegion": _region(result, edit.range)}
        if edit.new_text:
            replacement["insertedContent"] = {"text": edit.new_text}
        changes.setdefault(edit.range.path, []).append(replacement)
    return {
        "description": {"text": fix.title},
        "artifactChanges": [
            {"artifactLocation": _artifact(path), "replacements": edits}
            for path, edits in changes.items()
        ],
    }
