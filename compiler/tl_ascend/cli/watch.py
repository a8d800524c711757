"""`tl-check --watch`: once more whenever a file changes."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from watchfiles import Change
from watchfiles import watch as changes_of

from tl_ascend.cli import run
from tl_ascend.driver.importers import folders_of
from tl_ascend.driver.roots import project_root

_POLL_MS = 200  # how long the first check waits for the watcher to stand
_CLEAR = "\x1b[2J\x1b[3J\x1b[H"


def watch(paths: Sequence[str], check: Callable[[], int]) -> int:
    """Check now and after each change, until interrupted. Errors: OSError."""
    missing = [path for path in paths if not os.path.exists(path)]
    if missing:
        return run.fail(f"{missing[0]}: no such file or folder")
    standing = False
    changes = changes_of(
        *_watched(paths),
        watch_filter=_matters,
        recursive=any(os.path.isdir(path) for path in paths),
        rust_timeout=_POLL_MS,
        yield_on_timeout=True,
        raise_interrupt=True,
    )
    for found in changes:
        # Nothing that changes while the first check runs is missed: the watcher stands before it.
        if found or not standing:
            standing = True
            _once(found, check)
    return run.OK


def _once(found: Iterable[tuple[Change, str]], check: Callable[[], int]) -> None:
    if sys.stdout.isatty():
        sys.stdout.write(_CLEAR)
    names = sorted({os.path.relpath(path) for _, path in found})
    if names:
        print(f"changed: {', '.join(names)}", file=sys.stderr)
    check()
    sys.stdout.flush()
    print("watching for changes", file=sys.stderr, flush=True)


def _watched(paths: Sequence[str]) -> list[str]:
    """Folders to watch; of a file its folder, since editors replace files, and those of what it may
    import."""
    folders = [path if os.path.isdir(path) else str(Path(path).parent) for path in paths]
    if not any(os.path.isdir(path) for path in paths):
        for root in dict.fromkeys(project_root(Path(folder)) for folder in folders):
            folders += folders_of(root)
    return list(dict.fromkeys(folders))


def _matters(change: Change, path: str) -> bool:
    return path.endswith(".py") or os.path.basename(path) == "pyproject.toml"
