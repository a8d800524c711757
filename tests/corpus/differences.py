"""The list of differences to upstream's programs, each under the kind of reason that explains it."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).with_name("differences.json")
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "corpus.md"
UNEXPLAINED = "unexplained"

Key = tuple[str, str]


@dataclass(frozen=True)
class Listed:
    """`data`: per kind its reason and its rows of example, kernel and first difference."""

    data: dict[str, dict[str, Any]]

    @property
    def kinds(self) -> list[tuple[str, str, list[list[str]]]]:
        return [(kind, entry["reason"], entry["kernels"]) for kind, entry in self.data.items()]

    @property
    def rows(self) -> dict[Key, str]:
        """The first difference of each listed kernel."""
        return {(row[0], row[1]): row[2] for _, _, rows in self.kinds for row in rows}

    @property
    def table(self) -> list[str]:
        """The lines of the table in docs/corpus.md."""
        return [f"| {kind} | {len(rows)} | {reason} |" for kind, reason, rows in self.kinds]

    def complaints(self, different: Mapping[Key, str]) -> Iterator[str]:
        """What the list says otherwise than a run."""
        rows = self.rows
        for key, text in different.items():
            if key not in rows:
                yield f"not listed: {' '.join(key)}: {text}"
            elif rows[key] != text:
                yield f"listed as another difference: {' '.join(key)}: {rows[key]}; now: {text}"
        for key in rows:
            if key not in different:
                yield f"listed but gone: {' '.join(key)}"
        yield from (f"without a reason: {' '.join(row[:2])}" for row in self._unexplained())

    def _unexplained(self) -> list[list[str]]:
        return [row for kind, _, rows in self.kinds if kind == UNEXPLAINED for row in rows]


def read_listed() -> Listed:
    """What is listed today."""
    return Listed(json.loads(DATA.read_text("utf-8")) if DATA.exists() else {})


def write_listed(different: Mapping[Key, str]) -> None:
    """Bring the list up to date: what is gone leaves it, what is new is unexplained."""
    listed, rows = read_listed(), read_listed().rows
    data: dict[str, dict[str, Any]] = {}
    for kind, reason, known in listed.kinds:
        kept = [
            [*row[:2], different[row[0], row[1]]] for row in known if tuple(row[:2]) in different
        ]
        data[kind] = {"reason": reason, "kernels": kept}
    new = [[*key, text] for key, text in different.items() if key not in rows]
    if new:
        entry = data.setdefault(UNEXPLAINED, {"reason": "not looked at yet", "kernels": []})
        entry["kernels"] += new
    data = {kind: entry for kind, entry in data.items() if entry["kernels"]}
    DATA.write_text(json.dumps(data, indent=1) + "\n", "utf-8")
