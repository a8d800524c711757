"""Remembers across processes which text was being analysed when one died.

Each server keeps one small file in the cache folder: the digest of the text under analysis, empty
while idle, gone after an orderly end. What a dead process left behind is set aside once.
"""

from __future__ import annotations

import hashlib
import logging
import os
from pathlib import Path

from platformdirs import user_cache_path

from tl_ascend_server.process import alive

log = logging.getLogger(__name__)
_PREFIX = "analysing-"


def cache_folder() -> Path:
    """Where the markers of all servers are."""
    return user_cache_path("tl-ascend", appauthor=False) / "server"


def digest(path: str, text: str) -> str:
    """Names one text of one file."""
    data = f"{path}\0{text}".encode("utf-8", "surrogatepass")
    return hashlib.blake2b(data, digest_size=20).hexdigest()


class Markers:
    """The marker of this process and the digests that dead ones left.

    Where the folder cannot be written, nothing is remembered.
    """

    def __init__(self, folder: Path | None = None) -> None:
        self._folder = folder or cache_folder()
        self._path = self._folder / f"{_PREFIX}{os.getpid()}"
        self._fd: int | None = None
        self._left: set[str] = set()
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._left = self._collect()
            flags = os.O_RDWR | os.O_CREAT | os.O_TRUNC
            self._fd = os.open(self._path, flags, 0o600)
        except OSError as error:
            log.warning("crashes will not be remembered: %s", error)

    def killed_by(self, name: str) -> bool:
        """Whether a process died over this digest."""
        return name in self._left

    def begin(self, name: str) -> None:
        """This text is going to be analysed."""
        self._write(name.encode("ascii"))

    def end(self) -> None:
        """The analysis came back."""
        self._write(b"")

    def close(self) -> None:
        """An orderly end of the process."""
        if self._fd is not None:
            os.close(self._fd)
            self._fd = None
            self._path.unlink(missing_ok=True)

    def _write(self, data: bytes) -> None:
        """Not synced: it must survive the process, not the machine."""
        if self._fd is None:
            return
        os.lseek(self._fd, 0, os.SEEK_SET)
        os.write(self._fd, data)
        os.ftruncate(self._fd, len(data))

    def _collect(self) -> set[str]:
        left: set[str] = set()
        for path in self._folder.glob(f"{_PREFIX}*"):
            number = path.name.removeprefix(_PREFIX)
            if number.isdecimal() and not alive(int(number)):
                left.add(path.read_text(encoding="ascii", errors="replace"))
                path.unlink(missing_ok=True)
        return left - {""}
