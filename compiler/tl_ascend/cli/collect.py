"""Which files a command looks at."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path

_SKIPPED = {"__pycache__", "node_modules", "build", "dist", "site-packages"}


def collect(paths: list[str]) -> tuple[list[str], list[str]]:
    """Python files among paths: files as given, folders walked in sorted order, each once; and what
    cannot be looked at, with the reason."""
    found: dict[str, None] = {}
    failed: dict[str, None] = {}

    def unreadable(error: OSError) -> None:
        failed[f"{error.filename}: {error.strerror or error}"] = None

    for path in paths:
        if os.path.isdir(path):
            found.update(dict.fromkeys(_walk(path, unreadable)))
        elif os.path.exists(path):
            found[os.path.normpath(path)] = None
        else:
            failed[f"{path}: no such file or folder"] = None
    return list(found), list(failed)


def _walk(folder: str, unreadable: Callable[[OSError], None]) -> Iterator[str]:
    for here, folders, files in os.walk(folder, onerror=unreadable):
        folders[:] = sorted(f for f in folders if f not in _SKIPPED and not f.startswith("."))
        for name in sorted(files):
            if name.endswith(".py"):
                yield os.path.normpath(str(Path(here) / name))
