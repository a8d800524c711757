"""Texts of a project: open documents first, then the disk; cut into units once a version."""

from __future__ import annotations

import ast
import errno
import os
import stat
import sys
import threading
from functools import lru_cache
from pathlib import Path

from tl_ascend.driver.importers import Importers
from tl_ascend.driver.roots import above, project_root, spelled
from tl_ascend.source.parse import MAX_TOKENS, parse, token_count
from tl_ascend.source.text import SourceText, read_source
from tl_ascend.source.units import FileUnits, cut

MAX_BYTES = 8_000_000
MAX_IMPORTED = 64  # files


class Files:
    """Thread-safe. Paths are those that the caller uses; imports are resolved on the disk."""

    def __init__(self, root: str | None = None) -> None:
        self._open: dict[str, str] = {}
        self._units: dict[str, tuple[object, FileUnits]] = {}
        self._lock = threading.Lock()
        # Every module name that was looked for, and the path found: what results depend on.
        self.lookups: dict[tuple[str, str, int], str] = {}
        self.searches: dict[str, tuple[str, ...]] = {}  # and the files that import one
        self.root = Path(root).resolve() if root else None
        self._importers = Importers(self.root, self._now, self._version, self.locate)

    def set_text(self, path: str, text: str | None) -> None:
        """The text of an open document; None when it is closed."""
        with self._lock:
            if text is None:
                self._open.pop(path, None)
            else:
                self._open[path] = text

    def units(self, path: str) -> FileUnits:
        """The file as it is now. Errors: OSError."""
        with self._lock:
            text = self._open.get(path)
            known = self._units.get(path)
        if text is not None:
            if known is not None and known[1].source.text == text:
                return known[1]
            return self._cut(path, text, SourceText(path, text), known)
        stamp = _stamp(Path(path))
        if known is not None and known[0] == stamp:
            return known[1]
        return self._cut(path, stamp, read_source(Path(path)), known)

    def without_kernels(self, path: str) -> dict[str, FileUnits] | None:
        """The file, only parsed, and the files that it imports, where no text of these can hold a
        kernel. Errors: OSError."""
        with self._lock:
            text = self._open.get(path)
        if text is None:
            _stamp(Path(path))
        source = SourceText(path, text) if text is not None else read_source(Path(path))
        if _mentions_kernels(source.text):
            return None
        imported = self._imported_texts(path, source.text)
        if any(map(_mentions_kernels, imported.values())):
            return None
        problems = () if token_count(source.text) > MAX_TOKENS else parse(source).problems
        others = {p: FileUnits(SourceText(p, t), (), {}, {}, ()) for p, t in imported.items()}
        return {path: FileUnits(source, (), {}, {}, problems), **others}

    def _imported_texts(self, path: str, text: str) -> dict[str, str]:
        """Texts of the project that a file may import, by their paths; a bounded search."""
        found: dict[str, str] = {}
        left = [(path, text)]
        while left and len(found) < MAX_IMPORTED:
            importer, text = left.pop()
            for place in self._imported_files(importer, text):
                if place not in found and place != path:
                    found[place] = self._now(Path(place))
                    left.append((place, found[place]))
        return found

    def _now(self, path: Path) -> str:
        """The text of a file, empty where it cannot be read."""
        with self._lock:
            opened = self._open.get(str(path))
        return _text(path) if opened is None else opened

    def _version(self, path: str) -> object:
        """What is another after each change of a file."""
        opened = self._open.get(path)
        if opened is not None:
            return opened
        try:
            status = os.stat(path)
        except OSError:
            return None
        return status.st_mtime_ns, status.st_size

    def _imported_files(self, importer: str, text: str) -> list[str]:
        found: list[str] = []
        for name, level in _imports_of(text):
            if level or name.split(".")[0] not in sys.stdlib_module_names:
                place = self.lookups[importer, name, level] = self.locate(importer, name, level)
                found.append(place)
        return [place for place in found if place]

    def _cut(
        self,
        path: str,
        stamp: object,
        source: SourceText,
        known: tuple[object, FileUnits] | None,
    ) -> FileUnits:
        units = cut(source, known[1] if known else None)
        with self._lock:
            self._units[path] = (stamp, units)
        return units

    def resolve(self, importer: str, name: str, level: int) -> FileUnits | None:
        """A project module as seen from a file: its own folder first, then up to the root."""
        path = self.locate(importer, name, level)
        self.lookups[importer, name, level] = path
        if not path:
            return None
        try:
            return self.units(path)
        except OSError:
            return None

    def locate(self, importer: str, name: str, level: int) -> str:
        """The path of a project module, empty where there is none."""
        for candidate in self._candidates(Path(importer).parent, name, level):
            if (path := spelled(candidate)) in self._open or candidate.is_file():
                return path
        return ""

    def importers(self, path: str) -> list[str]:
        """Files of the project that import this one, by their text; a bounded search."""
        found = self._importers.of(path)
        self.searches[path] = tuple(found)
        return found

    def _candidates(self, folder: Path, name: str, level: int) -> list[Path]:
        relative = Path(*name.split(".")) if name else Path()
        if level:
            folders = list(above(folder))
            return _spellings(folders[min(level, len(folders)) - 1] / relative)
        return [p for f in self._searched(folder) for p in _spellings(f / relative)]

    def _searched(self, folder: Path) -> list[Path]:
        """The folder of a file, and those above it up to the root of its project."""
        folders = list(above(folder))
        top = self.root or project_root(folder)
        return folders[: folders.index(top) + 1] if top in folders else folders[:1]


def _mentions_kernels(text: str) -> bool:
    return any(mark in text for mark in ("tilelang", "prim_func"))


@lru_cache(maxsize=512)
def _imports_of(text: str) -> tuple[tuple[str, int], ...]:
    """Names of modules that a text may import, with their levels."""
    if "import" not in text or token_count(text) > MAX_TOKENS:
        return ()
    found: list[tuple[str, int]] = []
    for node in ast.walk(parse(SourceText("", text)).tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, 0) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            inner = [f"{base}.{a.name}" if base else a.name for a in node.names]
            found += [(name, node.level) for name in (base, *inner) if name]
    return tuple(dict.fromkeys(found))


@lru_cache(maxsize=4096)
def _text_of(path: Path, stamp: tuple[int, int]) -> str:
    return path.read_text("utf-8", "replace")


def _text(path: Path) -> str:
    try:
        return _text_of(path, _stamp(path))
    except OSError:
        return ""


def _spellings(base: Path) -> list[Path]:
    """A package goes before a file of its name, as in Python."""
    return [base / "__init__.py", base.with_name(base.name + ".py")] if base.name else []


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):  # reading a pipe or a device might never end
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    if status.st_size > MAX_BYTES:
        most = f"the file is larger than {MAX_BYTES // 1_000_000} MB"
        raise OSError(errno.EFBIG, most, str(path))
    return status.st_mtime_ns, status.st_size
