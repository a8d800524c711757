"""Names for findings that stay when code moves: what is said of which text, not of which line.

Messages are not part of them: numbers change with every size.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from tl_ascend.ide.model import Diagnostic

Excerpts = Mapping[str, Mapping[int, str]]


def with_fingerprints(
    found: Sequence[Diagnostic], excerpts: Excerpts, path: str
) -> tuple[Diagnostic, ...]:
    """All diagnostics of a file with their fingerprints. `path`: by what the file is known; equal
    findings on equal text are numbered."""
    count: Counter[str] = Counter()
    named = []
    for one in found:
        digest = _digest(one, excerpts.get(one.range.path, {}), path)
        count[digest] += 1
        named.append(replace(one, fingerprint=f"{digest}:{count[digest]}"))
    return tuple(named)


def _digest(found: Diagnostic, lines: Mapping[int, str], path: str) -> str:
    rows = range(found.range.start.row, found.range.end.row + 1)
    text = " ".join(" ".join(lines.get(row, "") for row in rows).split())
    parts = "\0".join((path, found.code, found.kernel, text))
    return hashlib.blake2b(parts.encode("utf-8", "replace"), digest_size=16).hexdigest()
