"""A list of findings that are known and not told again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.driver.settings import project_settings
from tl_ascend.driver.strict_json import dumps
from tl_ascend.ide.result import FileResult

VERSION = 1


class BadBaseline(Exception):
    """A file that is no baseline."""


@dataclass(slots=True)
class Baseline:
    """`known`: fingerprints, with the path of each (`ProjectSettings.named`)."""

    known: dict[str, str] = field(default_factory=dict)
    _met: set[str] = field(default_factory=set)

    def without_known(self, result: FileResult) -> FileResult:
        """The result without what is listed."""
        if not self.known:
            return result
        self._met.update(d.fingerprint for d in result.diagnostics if d.fingerprint in self.known)
        new = tuple(d for d in result.diagnostics if d.fingerprint not in self.known)
        return replace(result, diagnostics=new)

    def gone(self, results: Sequence[FileResult]) -> int:
        """How many findings of the files that were checked are not found any more."""
        paths = {_place(result) for result in results if not result.partly}
        listed = {mark for mark, path in self.known.items() if path in paths}
        return len(listed - self._met)


def read_baseline(file: str) -> Baseline:
    """An empty name is an empty list. Errors: BadBaseline, OSError."""
    if not file:
        return Baseline()
    try:
        data: Any = json.loads(Path(file).read_text(encoding="utf-8"))
        if data["version"] != VERSION:
            raise BadBaseline(f"{file}: a baseline of version {data['version']}, not {VERSION}")
        return Baseline({str(f["fingerprint"]): str(f["path"]) for f in data["findings"]})
    except (ValueError, KeyError, TypeError) as error:
        raise BadBaseline(f"{file}: no baseline ({type(error).__name__}: {error})") from None


def write_baseline(file: str, results: Sequence[FileResult], level: Severity) -> int:
    """List all findings; how many there are. Errors: OSError."""
    found = [
        {
            "path": _place(result),
            "code": one.code,
            "name": one.name,
            "fingerprint": one.fingerprint,
        }
        for result in results
        for one in result.diagnostics
        if one.severity >= level
    ]
    found.sort(key=lambda f: (f["path"], f["code"], f["fingerprint"]))
    text = dumps({"version": VERSION, "findings": found}, indent=1)
    Path(file).write_text(f"{text}\n", encoding="utf-8", newline="\n")
    return len(found)


def _place(result: FileResult) -> str:
    return project_settings(result.path).named(result.path)
