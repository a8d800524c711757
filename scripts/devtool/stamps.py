"""Remembers what a step was last done for, so that a second run costs nothing."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path

from devtool.paths import ROOT, STAMPS


def digest(files: Iterable[Path], *words: str) -> str:
    """One hash over the contents and names of files, and over words such as versions."""
    total = hashlib.sha256("\0".join(words).encode())
    for file in sorted(files):
        content = file.read_bytes()
        total.update(f"\0{file.relative_to(ROOT)}\0{len(content)}\0".encode() + content)
    return total.hexdigest()


def is_fresh(name: str, key: str) -> bool:
    """Whether the step was last done for exactly this key."""
    try:
        return (STAMPS / name).read_text(encoding="ascii") == key
    except OSError:
        return False


def set_fresh(name: str, key: str) -> None:
    """Records that the step was done."""
    STAMPS.mkdir(parents=True, exist_ok=True)
    (STAMPS / name).write_text(key, encoding="ascii")


def forget(*names: str) -> None:
    """What was made for these steps is gone."""
    for name in names:
        (STAMPS / name).unlink(missing_ok=True)
