"""Results on disk, used again where the file, all that it imports, and the tool are the same.

An entry lists what it depends on: files by content, and module names that were looked for. A damaged
entry counts as none.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import pickle
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from tl_ascend.toolchain.store import cache_folder

MAX_ENTRIES = 4096
_DAMAGED = (
    pickle.UnpicklingError,
    EOFError,
    AttributeError,
    ImportError,
    IndexError,
    TypeError,
    ValueError,
    KeyError,
)


@dataclass(frozen=True, slots=True)
class Dependencies:
    """`files`: content digest by path; `imports`: (importer, name, level) to the path found;
    `importers`: path to the files found that import it."""

    files: Mapping[str, str]
    imports: Mapping[tuple[str, str, int], str]
    importers: Mapping[str, tuple[str, ...]]


class Finder(Protocol):
    """Looks for modules and for what imports them."""

    def locate(self, importer: str, name: str, level: int) -> str: ...

    def importers(self, path: str) -> list[str]: ...


@dataclass(frozen=True, slots=True)
class _Entry:
    dependencies: Dependencies
    value: Any


class Cache:
    """Entries in the folder of everything that is kept."""

    def __init__(self, folder: Path | None = None) -> None:
        self.folder = (folder or cache_folder()) / "check" / tool_digest()

    def load(self, key: tuple[str, ...], finder: Finder) -> Any:
        """The value kept for a key, or None."""
        try:
            entry = pickle.loads(self._path(key).read_bytes())
        except (OSError, *_DAMAGED):
            return None
        if not isinstance(entry, _Entry) or not _current(entry.dependencies, finder):
            return None
        return entry.value

    def store(self, key: tuple[str, ...], value: Any, dependencies: Dependencies) -> None:
        """Keep a value; a cache that cannot be written is no cache, and no error."""
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            self._make_room()
            data = pickle.dumps(_Entry(dependencies, value), pickle.HIGHEST_PROTOCOL)
            handle, name = tempfile.mkstemp(dir=self.folder)
            with os.fdopen(handle, "wb") as out:
                out.write(data)
            os.replace(name, self._path(key))

    def _path(self, key: tuple[str, ...]) -> Path:
        return self.folder / hashlib.blake2b("\0".join(key).encode(), digest_size=16).hexdigest()

    def _make_room(self) -> None:
        entries = list(os.scandir(self.folder))
        if len(entries) > MAX_ENTRIES:
            entries.sort(key=lambda e: e.stat().st_mtime)
            for entry in entries[: MAX_ENTRIES // 4]:
                os.unlink(entry.path)


def _current(dependencies: Dependencies, finder: Finder) -> bool:
    for path, digest in dependencies.files.items():
        if file_digest(path) != digest:
            return False
    if any(finder.locate(*what) != found for what, found in dependencies.imports.items()):
        return False
    return all(
        tuple(finder.importers(path)) == found for path, found in dependencies.importers.items()
    )


def file_digest(path: str) -> str:
    """Digest of a file's bytes; empty where it cannot be read."""
    try:
        if not os.path.isfile(path):
            return ""
        return hashlib.blake2b(Path(path).read_bytes(), digest_size=16).hexdigest()
    except OSError:
        return ""


def digests(paths: Iterable[str]) -> dict[str, str]:
    """Digests of several files."""
    return {path: file_digest(path) for path in paths}


@lru_cache(maxsize=1)
def tool_digest() -> str:
    """Digest of the tool itself: names, sizes and times of its source files."""
    root = Path(__file__).resolve().parent.parent
    mark = hashlib.blake2b(digest_size=8)
    for here, folders, files in os.walk(root):
        folders[:] = sorted(f for f in folders if f != "__pycache__" and f != "include")
        for name in sorted(files):
            status = os.stat(os.path.join(here, name))
            mark.update(f"{name}:{status.st_size}:{status.st_mtime_ns};".encode())
    return mark.hexdigest()
