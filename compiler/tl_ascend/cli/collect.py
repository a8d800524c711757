"""Which files a command looks at."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_SKIPPED = {"__pycache__", "node_modules", "build", "dist", "site-packages"}


def collect(paths: list[str]) -> tuple[list[str], list[str]]:
    """Python files among paths: files as given, folders walked in sorted order, each once; and the
    paths that do not exist."""
    found: dict[str, None] = {}
    missing: dict[str, None] = {}
    for path in paths:
        if os.path.isdir(path):
            found.update(dict.fromkeys(_walk(path)))
        elif os.path.exists(path):
            found[os.path.normpath(path)] = None
        else:
            missing[path] = None
    return list(found), list(missing)


def _walk(folder: str) -> Iterator[str]:
    for here, folders, files in os.walk(folder):
        folders[:] = sorted(f for f in folders if f not in _SKIPPED and not f.startswith("."))
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.normpath(str(Path(here) / name))
