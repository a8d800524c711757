"""The files of the project, as a checkout has them."""

from __future__ import annotations

import ast
import subprocess
from functools import lru_cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
# Kernels, not code of ours: cases break every rule on purpose.
KERNELS = (
    "tests/check/",
    "tests/editors/data/",
    "tests/emit/kernels/",
    "tests/emit/pto/",
    "tests/lsp/data/",
)


@lru_cache
def tracked() -> tuple[str, ...]:
    """Paths of all files that are, or would be, under version control."""
    command = ["git", "-C", str(ROOT), "ls-files", "-co", "--exclude-standard", "-z"]
    listed = subprocess.run(command, capture_output=True, check=True, text=True).stdout
    return tuple(sorted(p for p in listed.split("\0") if p and (ROOT / p).is_file()))


@lru_cache
def python(*folders: str) -> tuple[str, ...]:
    """Python files of ours below some folders."""
    return tuple(
        p
        for p in tracked()
        if p.endswith(".py") and p.startswith(folders) and not p.startswith(KERNELS)
    )


@lru_cache
def text(path: str) -> str:
    return (ROOT / path).read_text(encoding="utf-8")


@lru_cache
def tree(path: str) -> ast.Module:
    return ast.parse(text(path))
