"""Texts of a project: open documents first, then the disk; cut into units once a version."""

from __future__ import annotations

import ast
import errno
import os
import re
import stat
import sys
import threading
from functools import lru_cache
from pathlib import Path

from tl_ascend.source.parse import MAX_TOKENS, parse, token_count
from tl_ascend.source.text import SourceText, read_source
from tl_ascend.source.units import FileUnits, cut

MAX_BYTES = 8_000_000
MAX_SEARCHED, MAX_IMPORTERS, MAX_IMPORTED = 2000, 4, 64  # files
_IMPORTED = re.compile(r"^[ \t]*(?:from|import)[ \t]+(\.*)([\w.]*)", re.MULTILINE)
_ROOT_MARKS = ("pyproject.toml", ".git", "setup.py", "setup.cfg")


class Files:
    """Thread-safe. Paths are those that the caller uses; imports are resolved on the disk."""

    def __init__(self, root: str | None = None) -> None:
        self._open: dict[str, str] = {}
        self._units: dict[str, tuple[object, FileUnits]] = {}
        self._lock = threading.Lock()
        # Every module name that was looked for, and the path found: what results depend on.
        self.lookups: dict[tuple[str, str, int], str] = {}
        self.root = Path(root).resolve() if root else None

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
                    with self._lock:
                        opened = self._open.get(place)
                    found[place] = _text(Path(place)) if opened is None else opened
                    left.append((place, found[place]))
        return found

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
            if str(candidate) in self._open or candidate.is_file():
                return str(candidate)
        return ""

    def importers(self, path: str) -> list[str]:
        """Files of the project that import this one, by their text; a bounded search."""
        here = Path(path)
        if not here.name.endswith(".py") or not here.is_file():
            return []
        top = self.root or project_root(here.parent)
        pattern = re.compile(rf"^\s*(?:from|import)\b.*\b{re.escape(here.stem)}\b", re.MULTILINE)
        found: list[str] = []
        for other in _python_files(top):
            if str(other) != str(here) and pattern.search(_text(other)):
                if self.imports(str(other), here):
                    found.append(str(other))
            if len(found) >= MAX_IMPORTERS:
                break
        return found

    def imports(self, importer: str, target: Path) -> bool:
        """True where a name that the importer's text imports is this very file."""
        for level, module in _IMPORTED.findall(_text(Path(importer))):
            names = [module, f"{module}.{target.stem}" if module else target.stem]
            if str(target) in (self.locate(importer, n, len(level)) for n in names):
                return True
        return False

    def _candidates(self, folder: Path, name: str, level: int) -> list[Path]:
        relative = Path(*name.split(".")) if name else Path()
        if level:
            for _ in range(level - 1):
                folder = folder.parent
            return _spellings(folder / relative)
        top = self.root or project_root(folder)
        folders = [folder]
        while folder != top and top in folder.parents:
            folder = folder.parent
            folders.append(folder)
        return [p for f in folders for p in _spellings(f / relative)]


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


def _python_files(top: Path) -> list[Path]:
    found: list[Path] = []
    for here, folders, files in os.walk(top):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "node_modules")
        found += [Path(here) / f for f in sorted(files) if f.endswith(".py")]
        if len(found) > MAX_SEARCHED:
            break
    return found[:MAX_SEARCHED]


@lru_cache(maxsize=4096)
def _text_of(path: Path, stamp: tuple[int, int]) -> str:
    return path.read_text("utf-8", "replace")


def _text(path: Path) -> str:
    try:
        return _text_of(path, _stamp(path))
    except OSError:
        return ""


def _spellings(base: Path) -> list[Path]:
    return [base.with_name(base.name + ".py"), base / "__init__.py"] if base.name else []


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):  # reading a pipe or a device might never end
        raise OSError(errno.EINVAL, "not a regular file", str(path))
    if status.st_size > MAX_BYTES:
        most = f"the file is larger than {MAX_BYTES // 1_000_000} MB"
        raise OSError(errno.EFBIG, most, str(path))
    return status.st_mtime_ns, status.st_size


def project_root(folder: Path) -> Path:
    """The nearest folder that looks like the top of a project, else the folder itself."""
    for candidate in (folder, *folder.parents):
        if is_root(candidate):
            return candidate
    return folder


def is_root(folder: Path) -> bool:
    """Whether a folder says that a project begins there."""
    return any((folder / mark).exists() for mark in _ROOT_MARKS)
