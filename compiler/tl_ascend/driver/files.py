"""Texts of a project: open documents first, then the disk; cut into units once a version."""

from __future__ import annotations

import threading
from pathlib import Path

from tl_ascend.source.text import SourceText, read_source
from tl_ascend.source.units import FileUnits, cut

MAX_BYTES = 8_000_000
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


def _spellings(base: Path) -> list[Path]:
    return [base.with_name(base.name + ".py"), base / "__init__.py"] if base.name else []


def _stamp(path: Path) -> tuple[int, int]:
    status = path.stat()
    if status.st_size > MAX_BYTES:
        raise OSError(f"the file is larger than {MAX_BYTES // 1_000_000} MB")
    return status.st_mtime_ns, status.st_size


def project_root(folder: Path) -> Path:
    """The nearest folder that looks like the top of a project, else the folder itself."""
    for candidate in (folder, *folder.parents):
        if any((candidate / mark).exists() for mark in _ROOT_MARKS):
            return candidate
    return folder
