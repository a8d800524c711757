"""The real server around an engine that does what its text says.

Each line `x = alloc(...)` gets a hint, each word FAULT an error, each line `def NAME` is a kernel.
Lines that start with `#!` steer: `gate FILE` waits until the file exists, `crash`, `loop`, `print`,
`die` (the process, at once), `stubborn` (a loop that swallows exceptions), `freeze` (native code that
keeps the interpreter lock).
"""

from __future__ import annotations

import ctypes
import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.driver.budget import Cancelled
from tl_ascend.ide.kernels import KernelPlace
from tl_ascend.ide.model import Diagnostic, Hint, Hover, RelatedPlace, Settings
from tl_ascend.source.span import Position, Range
from tl_ascend.source.text import split_lines
from tl_ascend_server.main import main

Cancel = Callable[[], bool]


@dataclass(frozen=True)
class Analysis:
    """What the real one has, as far as the server looks."""

    path: str
    text: str
    diagnostics: tuple[Diagnostic, ...]
    hints: tuple[Hint, ...]
    complete: bool = True
    depends: frozenset[str] = frozenset()
    kernels: tuple[KernelPlace, ...] = ()

    def hover(self, position: Position) -> Hover | None:
        """The word under the cursor."""
        line = split_lines(self.text)[position.row - 1]
        for match in re.finditer(r"\w+", line):
            if match.start() <= position.column <= match.end():
                start, end = (Position(position.row, column) for column in match.span())
                return Hover(Range(self.path, start, end), f"**{match[0]}**")
        return None


class FakeWorkspace:
    """Implements what the worker needs of a workspace."""

    def __init__(self, settings: Settings, root: str | None) -> None:
        self.settings, self.root = settings, root
        self.texts: dict[str, str] = {}

    def configure(self, settings: Settings) -> None:
        """New settings."""
        self.settings = settings

    def set_text(self, path: str, text: str | None) -> None:
        """The text of an open document."""
        if text is None:
            self.texts.pop(path, None)
        else:
            self.texts[path] = text

    def analyse(self, path: str, cancelled: Cancel) -> Analysis:
        """Do what the text says."""
        text = self.texts[path]
        for command in re.findall(r"^#! (.*)$", text, re.M):
            name, _, argument = command.partition(" ")
            ACTIONS.get(name, _nothing)(argument, cancelled)
        if cancelled():
            raise Cancelled
        lines = list(enumerate(split_lines(text), 1))
        hints = tuple(_hint(row, line) for row, line in lines if "alloc" in line)
        found = [self._fault(path, row, m) for row, line in lines for m in _faults(line)]
        kernels = tuple(_kernel(path, row, line) for row, line in lines if line.startswith("def "))
        return Analysis(path, text, tuple(found), hints, kernels=kernels)

    def _fault(self, path: str, row: int, match: re.Match[str]) -> Diagnostic:
        place = Range(path, Position(row, match.start()), Position(row, match.end()))
        settings = self.settings
        message = f"FAULT on {settings.platform}, upstream {settings.upstream}, root {self.root}"
        related = RelatedPlace(place, "the other half")
        return Diagnostic(
            place,
            Severity.ERROR,
            "TL503",
            "ub-overflow",
            message,
            notes=("a note",),
            related=(related,),
            instances=("M=1",),
        )


def _faults(line: str) -> list[re.Match[str]]:
    return list(re.finditer("FAULT", line))


def _hint(row: int, line: str) -> Hint:
    name = line.split("=")[0].rstrip()
    kind = "values" if "value" in line else "buffers"
    return Hint(Position(row, len(name)), f": hint of {name.strip()}", kind, "more of it")


def _kernel(path: str, row: int, line: str) -> KernelPlace:
    head = Range(path, Position(row, 0), Position(row, len(line)))
    return KernelPlace(line.removeprefix("def "), 0, ((0, ""),), (), head, head)


def _nothing(argument: str, cancelled: Cancel) -> None:
    return None


def _gate(argument: str, cancelled: Cancel) -> None:
    while not Path(argument).exists() and not cancelled():
        threading.Event().wait(0.002)


def _crash(argument: str, cancelled: Cancel) -> None:
    raise ValueError("out of luck")


def _loop(argument: str, cancelled: Cancel) -> None:
    while True:
        sum(range(100))


def _stubborn(argument: str, cancelled: Cancel) -> None:
    while True:
        try:
            while True:
                sum(range(100))
        except BaseException as error:
            print("swallowed", type(error).__name__, file=sys.stderr)


def _print(argument: str, cancelled: Cancel) -> None:
    print("printed by a library", flush=True)
    os.write(1, b"written by native code\n")


def _freeze(argument: str, cancelled: Cancel) -> None:
    ctypes.PyDLL(None).sleep(60)


def _die(argument: str, cancelled: Cancel) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


ACTIONS: Mapping[str, Callable[[str, Cancel], None]] = {
    "gate": _gate,
    "crash": _crash,
    "loop": _loop,
    "stubborn": _stubborn,
    "print": _print,
    "die": _die,
    "freeze": _freeze,
}


def _broken(settings: Settings, root: str | None) -> FakeWorkspace:
    raise ImportError("a library is missing")


if __name__ == "__main__":
    limit = float(os.environ.get("FAKE_LIMIT", "20"))
    sys.exit(main(load=_broken if "FAKE_BROKEN" in os.environ else FakeWorkspace, limit=limit))
