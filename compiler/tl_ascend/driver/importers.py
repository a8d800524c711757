"""Which files of a project import a file: a search by text, of a bounded number of files."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from tl_ascend.driver.roots import project_root, spelled

MAX_SEARCHED, MAX_IMPORTERS = 2000, 4  # files
_IMPORTED = re.compile(r"^[ \t]*(?:from|import)[ \t]+(\.*)([\w.]*)", re.MULTILINE)
_IMPORT_LINE = re.compile(r"^\s*(?:from|import)\b.*", re.MULTILINE)
_WORD = re.compile(r"\w+")

# The text of a file with its stamp, and the path of a module as seen from a file.
Read = Callable[[Path], str]
Locate = Callable[[str, str, int], str]


class Importers:
    """Finds them; folders are listed again where one of them has changed."""

    def __init__(self, root: Path | None, read: Read, locate: Locate) -> None:
        self._root, self._read, self._locate = root, read, locate
        self._listed: dict[Path, _Listing] = {}

    def of(self, path: str) -> list[str]:
        """Files of the project that import this one."""
        here = Path(path)
        if not here.name.endswith(".py") or not here.is_file():
            return []
        found: list[str] = []
        for other in self._files(self._root or project_root(here.parent)):
            if spelled(other) != path and here.stem in _imported_words(self._read(other)):
                if self.imports(spelled(other), here):
                    found.append(spelled(other))
            if len(found) >= MAX_IMPORTERS:
                break
        return found

    def imports(self, importer: str, target: Path) -> bool:
        """True where a name that the importer's text imports is this very file."""
        for level, module in _IMPORTED.findall(self._read(Path(importer))):
            names = [module, f"{module}.{target.stem}" if module else target.stem]
            if spelled(target) in (self._locate(importer, n, len(level)) for n in names):
                return True
        return False

    def _files(self, top: Path) -> list[Path]:
        known = self._listed.get(top)
        if known is None or not known.current():
            known = self._listed[top] = _listing(top)
        return known.files


@dataclass(frozen=True, slots=True)
class _Listing:
    """Python files, and the folders that were looked at with the times of their last change."""

    files: list[Path]
    folders: dict[str, int]

    def current(self) -> bool:
        return all(_changed(folder) == when for folder, when in self.folders.items())


def _changed(folder: str) -> int:
    try:
        return os.stat(folder).st_mtime_ns
    except OSError:
        return 0


@lru_cache(maxsize=4096)
def _imported_words(text: str) -> frozenset[str]:
    """The words of lines that import something."""
    if "import" not in text:
        return frozenset()
    return frozenset(_WORD.findall("\n".join(_IMPORT_LINE.findall(text))))


def _listing(top: Path) -> _Listing:
    found: list[Path] = []
    looked: dict[str, int] = {}
    for here, folders, files in os.walk(top):
        looked[here] = _changed(here)
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "node_modules")
        found += [Path(here) / f for f in sorted(files) if f.endswith(".py")]
        if len(found) > MAX_SEARCHED:
            break
    return _Listing(found[:MAX_SEARCHED], looked)
