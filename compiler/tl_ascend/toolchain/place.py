"""Where programs are built and run: a folder for their files, and processes beside it. `Here` is this
machine; `remote.There` is another one."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Protocol

from tl_ascend.toolchain import child
from tl_ascend.toolchain.child import Outcome


class Unreachable(Exception):
    """There is no such place, or no way to it; the text is a sentence about why."""


class Work(Protocol):
    """A temporary folder at a place. Errors of everything but `run`: OSError, Unreachable."""

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
    ) -> Outcome:
        """Run a command in the folder. The place's own environment where none is given."""

    def __enter__(self) -> Work: ...

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...


Open = Callable[[], Work]


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
    ) -> Outcome:
        chosen = self._environment if environment is None else environment
        return child.run(command, seconds, chosen, str(self.path(".")), cancelled)
