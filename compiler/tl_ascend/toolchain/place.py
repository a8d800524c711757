"""Where programs are built and run: a folder for their files, and processes beside it. `Here` is this
machine; `remote.There` is another one."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol

from tl_ascend.toolchain import child
from tl_ascend.toolchain.child import Heard, Outcome

NAME_FOLDER = "Name one there that can be written to: folder under [tool.tl-ascend.remote]"
NAME_PYTHON = "name the interpreter there (--python, or python under [tool.tl-ascend.remote])"


class Unreachable(Exception):
    """There is no such place, or no way to it; the text is a sentence about why."""


class NoHost(Unreachable):
    """What is called a host can be none."""


class NoFolder(Unreachable):
    """The place is there, and has no folder to work in. `folder`: as it was named, empty for the place
    for temporary files."""

    def __init__(self, host: str, folder: str, why: str) -> None:
        self.folder = folder
        self.why = f"{host}: {self.named}: {why}"
        super().__init__(f"{self.why}. {NAME_FOLDER}")

    @property
    def named(self) -> str:
        return f"the folder {self.folder!r}" if self.folder else "its place for temporary files"


class NoPython(Unreachable):
    """The place is there, and what is called its Python is none. `found`: what it is instead."""

    def __init__(self, found: str) -> None:
        super().__init__(f"{found}: {NAME_PYTHON}")
        self.found = found


class Work(Protocol):
    """A temporary folder at a place. Errors of everything but `run`: OSError, Unreachable."""

    @property
    def environment(self) -> Mapping[str, str]:
        """Of processes there, as far as it is known."""

    def path(self, name: str) -> Path:
        """Where a file of that name lies, as processes there know it."""

    def write(self, name: str, data: bytes) -> None:
        """Make a file."""

    def read(self, name: str) -> bytes | None:
        """What is in a file; None where there is none."""

    def bring(self, path: Path) -> Path:
        """Have a file or folder of this machine there; returns where."""

    def run(
        self,
        command: Sequence[str],
        seconds: float,
        environment: Mapping[str, str] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        heard: Heard = lambda _: None,
    ) -> Outcome:
        """Run a command in the folder. The place's own environment where none is given. `heard` gets
        its output as it comes."""

    def __enter__(self) -> Work: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


Open = Callable[[], Work]


def files_under(folder: Path) -> Iterator[Path]:
    """All files below a folder in a fixed order, those behind links as well; a loop of links is walked
    once."""
    seen: set[str] = set()
    for here, folders, names in os.walk(folder, followlinks=True):
        real = os.path.realpath(here)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders.sort()
        yield from (path for name in sorted(names) if (path := Path(here, name)).is_file())


class Here:
    """This machine."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._environment = environment
        self._folder: tempfile.TemporaryDirectory[str] | None = None

    def __enter__(self) -> Here:
        self._folder = tempfile.TemporaryDirectory(prefix="tl-ascend-", ignore_cleanup_errors=True)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._folder is not None:
            self._folder.cleanup()

    @property
    def environment(self) -> Mapping[str, str]:
        return self._environment

    def path(self, name: str) -> Path:
        assert self._folder is not None, "the place is not open"
        return Path(self._folder.name) / name

    def write(self, name: str, data: bytes) -> None:
        self.path(name).write_bytes(data)

    def read(self, name: str) -> bytes | None:
        try:
            return self.path(name).read_bytes()
        except FileNotFoundError:
            return None

    def bring(self, path: Path) -> Path:
        return path.absolute()

    def run(
        self,
        command: Sequence[str],
        seconds: float,
        environment: Mapping[str, str] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        heard: Heard = lambda _: None,
    ) -> Outcome:
        chosen = self._environment if environment is None else environment
        folder = str(self.path("."))
        return child.run(command, seconds, chosen, folder, cancelled, heard, scratch=folder)
