"""Which files of a project import a file: a search by text, of a bounded number of files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tl_ascend.driver.roots import project_root, spelled

MAX_SEARCHED, MAX_IMPORTERS = 2000, 4  # files
MAX_FOLDERS = 1000
_SKIPPED = {"__pycache__", "node_modules", "build", "dist", "site-packages"}
_IMPORTED = re.compile(r"^[ \t]*(?:from|import)[ \t]+(\.*)([\w.]*)", re.MULTILINE)
_IMPORT_LINE = re.compile(r"^\s*(?:from|import)\b.*", re.MULTILINE)
_WORD = re.compile(r"\w+")

# The text of a file, what changes with it, and the path of a module as seen from a file.
Read = Callable[[Path], str]
Stamp = Callable[[str], object]
Locate = Callable[[str, str, int], str]


class Importers:
    """Finds them; folders are listed again where one of them has changed."""

    def __init__(self, root: Path | None, read: Read, stamp: Stamp, locate: Locate) -> None:
        self._root, self._read, self._stamp, self._locate = root, read, stamp, locate
        self._listed: dict[Path, _Listing] = {}
        self._words: dict[str, tuple[object, frozenset[str]]] = {}

    def of(self, path: str) -> list[str]:
        """Files of the project that import this one."""
        here = Path(path)
        if not here.name.endswith(".py") or not here.is_file():
            return []
        found: list[str] = []
        name = _name(here)
        for other in self._files(self._root or project_root(here.parent)):
            if name in self._imported_words(other) and other != path:
                if self.imports(other, here):
                    found.append(other)
            if len(found) >= MAX_IMPORTERS:
                break
        return found

    def imports(self, importer: str, target: Path) -> bool:
        """True where a name that the importer's text imports is this very file."""
        name = _name(target)
        for line in _IMPORT_LINE.findall(self._read(Path(importer))):
            if name not in _WORD.findall(line):
                continue
            for level, module in _IMPORTED.findall(line):
                names = [module, f"{module}.{name}" if module else name]
                if spelled(target) in (self._locate(importer, n, len(level)) for n in names):
                    return True
        return False

    def _imported_words(self, path: str) -> frozenset[str]:
        """The words of lines that import something; read again where the file has changed."""
        stamp = self._stamp(path)
        known = self._words.get(path)
        if known is None or known[0] != stamp:
            lines = _IMPORT_LINE.findall(self._read(Path(path)))
            known = self._words[path] = stamp, frozenset(_WORD.findall("\n".join(lines)))
        return known[1]

    def _files(self, top: Path) -> list[str]:
        known = self._listed.get(top)
        if known is None or not known.current():
            known = self._listed[top] = _listing(top)
        return known.files


def _name(file: Path) -> str:
    """What imports call a file."""
    return file.parent.name if file.stem == "__init__" else file.stem


@dataclass(frozen=True, slots=True)
class _Listing:
    """Python files, and the folders that were looked at with the times of their last change."""

    files: list[str]
    folders: dict[str, int]

    def current(self) -> bool:
        return all(_changed(folder) == when for folder, when in self.folders.items())


def _changed(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0


def folders_of(top: Path) -> list[str]:
    """The folders of a project that hold Python files, of a bounded number."""
    return list(dict.fromkeys(os.path.dirname(file) or "." for file in _listing(top).files))


def _listing(top: Path) -> _Listing:
    found: list[str] = []
    looked: dict[str, int] = {}
    for here, folders, files in os.walk(top):
        looked[here] = _changed(here)
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f not in _SKIPPED)
        found += [spelled(Path(here) / f) for f in sorted(files) if f.endswith(".py")]
        if len(found) > MAX_SEARCHED or len(looked) > MAX_FOLDERS:
            break
    return _Listing(found[:MAX_SEARCHED], looked)
