"""What happens while a command works, on the error output as it happens."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable


class Voice:
    """Lines of several kernels that are worked on at once. `quiet`: none at all."""

    def __init__(self, quiet: bool, several: bool) -> None:
        self._quiet, self._several = quiet, several
        self._writing = threading.Lock()

    def step(self, name: str) -> Callable[[str], None]:
        """Takes a word about each step of a kernel."""
        return lambda text: self._write(f"{name}: {text}")

    def say(self, text: str) -> None:
        """A line about the command as a whole."""
        self._write(text)

    def output(self, name: str) -> Lines:
        """Takes what a program prints for a kernel, in pieces."""
        return Lines(lambda line: self._write(f"{name}| {line}" if self._several else line))

    def _write(self, line: str) -> None:
        if not self._quiet:
            with self._writing:
                print(line, file=sys.stderr, flush=True)


class Lines:
    """Whole lines of text that comes in pieces, from several threads. As a context: until its end."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write, self._rest = write, ""
        self._taking = threading.Lock()

    def __call__(self, text: str) -> None:
        with self._taking:
            *lines, self._rest = (self._rest + text).split("\n")
            for line in lines:
                self._write(line.rstrip("\r"))

    def __enter__(self) -> Lines:
        return self

    def __exit__(self, *_: object) -> None:
        if self._rest:
            self("\n")
