"""Where a project begins, and paths as the caller spells them."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

_ROOT_MARKS = ("pyproject.toml", ".git", "setup.py", "setup.cfg")


def is_root(folder: Path) -> bool:
    """Whether a folder says that a project begins there."""
    return any((folder / mark).exists() for mark in _ROOT_MARKS)


def project_root(folder: Path) -> Path:
    """The nearest folder that looks like the top of a project, else the folder itself."""
    return next((candidate for candidate in above(folder) if is_root(candidate)), folder)


def above(folder: Path) -> Iterator[Path]:
    """The folder and all that it lies in, seen from the working directory where it is."""
    yield folder
    if folder.is_absolute():
        yield from folder.parents
    else:
        whole = Path(os.path.abspath(folder))
        yield from (Path(os.path.relpath(parent)) for parent in whole.parents)


def spelled(path: Path) -> str:
    """The one spelling of a path that is absolute or seen from the working directory."""
    return str(path) if path.is_absolute() else os.path.relpath(path)
