"""Emitted Ascend C programs on the CPU twin: built once, run under many seeds."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tests.emit.machine import machine_object
from tests.proofs.common import Trial, differences, more_numbers

from tl_ascend.backends import registry
from tl_ascend.backends.manifest import Emitted

GXX = shutil.which("g++") or ""
INCLUDE = Path(registry.__file__).parent / "ascendc" / "include"
DATA = Path(__file__).parent / "data"
FLAGS = ("-std=c++17", "-O1", "-w", f"-I{INCLUDE / 'cpu_twin'}", f"-I{INCLUDE}")
SECONDS = 120  # for all seeds of a program


@dataclass(frozen=True)
class Outcome:
    """What the seeds gave. `wrong`: the first few that did not agree, with what was wrong.
    `races`: then, the accesses that no flag orders. `by_author`: with the compiler's synchronisation
    all agree; `named`: what diagnostics say of the author's."""

    seeds: int
    agreed: int
    wrong: tuple[tuple[int, str], ...] = ()
    skipped: str = ""
    races: tuple[str, ...] = ()
    by_author: bool = False
    named: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """A word: agrees, skipped, unordered, differs."""
        if self.skipped:
            return "skipped"
        return ("unordered" if self.by_author else "differs") if self.wrong else "agrees"

    @property
    def reason(self) -> str:
        """Why it is no better."""
        if not self.wrong:
            return self.skipped
        seed, why = self.wrong[0]
        race = f"; nothing orders {self.races[0]}" if self.races else ""
        text = f"{self.agreed} of {self.seeds} seeds agree; seed {seed}: {why}{race}"
        if not self.by_author:
            return text
        return f"{'; '.join(self.named) or 'no diagnostic names it'}; {text}"

    @property
    def text(self) -> str:
        """Both."""
        return f"{self.kind}: {self.reason}" if self.reason else self.kind


class Twin:
    """The machine and its headers, compiled once into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.count = 0
        self.machine = machine_object()
        self.header = folder / "prove.h"
        shutil.copy(DATA / "prove.h", self.header)
        _compile("-x", "c++-header", self.header, "-o", folder / "prove.h.gch")

    def build(self, text: str, name: str) -> Path | str:
        """A program of a source, or what the compiler says."""
        source, program = self.folder / f"{name}.cpp", self.folder / name
        source.write_text(text, encoding="utf-8")
        arguments = [f"-I{self.folder}", "-include", self.header, source, self.machine]
        done = _run(GXX, *FLAGS, *arguments, "-o", program)
        return program if done.returncode == 0 else done.stderr[:2000]

    def prove(self, trial: Trial, program: Emitted, seeds: int) -> Outcome:
        """Run a program under so many seeds and compare with the evaluation."""
        with self.built(trial, program) as built:
            if isinstance(built, str):
                return Outcome(seeds, 0, skipped=f"it does not compile: {built}")
            return built.run(seeds)

    @contextmanager
    def built(self, trial: Trial, program: Emitted) -> Iterator[Program | str]:
        """A program with its inputs, as long as it is needed; or what the compiler says."""
        self.count += 1
        name = f"program_{self.count}"
        try:
            built = self.build(program_text(trial, program), name)
            yield built if isinstance(built, str) else Program(trial, built)
        finally:
            for path in self.folder.glob(f"{name}*"):
                path.unlink()


class Program:
    """A built program. What it gave is known by number."""

    def __init__(self, trial: Trial, path: Path) -> None:
        self.trial, self.path = trial, path
        self.inputs, self.results = path.with_suffix(".in"), path.with_suffix(".out")
        arrays = [
            a for a, b in zip(trial.before, trial.after, strict=True) if isinstance(b, np.ndarray)
        ]
        self.inputs.write_bytes(b"".join(array.tobytes() for array in arrays))
        self.known: dict[int, str] = {}

    def run(self, seeds: int) -> Outcome:
        """All seeds."""
        try:
            lines, ended = self._seeds(0, seeds)
        except subprocess.TimeoutExpired:
            return Outcome(seeds, 0, skipped=f"its runs take more than {SECONDS} s")
        wrong = [(seed, text) for seed, text in lines if text]
        if len(lines) < seeds:
            wrong.append((len(lines), ended))
        races = tuple(self.races()) if wrong else ()
        return Outcome(seeds, len(lines) - len(wrong), tuple(wrong[:4]), races=races)

    def outputs(self) -> list[list[np.ndarray]]:
        """The tensors of each result that was seen so far."""
        data = (Path(f"{self.results}.{number}").read_bytes() for number in self.known)
        return [read_back(self.trial, one) for one in data]

    def without(self, lines: list[int], seeds: int) -> tuple[int, str] | None:
        """The first seed that shows that lines are missing, with how; None where none does."""
        first = 0
        while first < seeds:
            try:
                found, ended = self._seeds(first, seeds - first, lines)
            except subprocess.TimeoutExpired:
                return first, f"the program does not end in {SECONDS} s"
            wrong = next(((seed, text) for seed, text in found if text), None)
            if wrong is not None or not found:
                return wrong or (first, ended)
            first += len(found)
        return None

    def races(self, lines: Sequence[int] = ()) -> list[str]:
        """Accesses that nothing orders, where the synchronisation of some lines is left out."""
        words = (self.path, self.inputs, self.results, "0", "0", "0", *map(str, lines))
        ran = _run(*words, timeout=SECONDS)
        return [line.partition(" race ")[2] for line in ran.stdout.splitlines()]

    def _seeds(
        self, first: int, count: int, lines: Sequence[int] = ()
    ) -> tuple[list[tuple[int, str]], str]:
        """What is wrong under each seed, empty where nothing is, and how the program ended."""
        left_out = [str(len(self.known)), *map(str, lines)] if lines else []
        words = (self.path, self.inputs, self.results, str(first), str(count), *left_out)
        ran = _run(*words, timeout=SECONDS)
        told = []
        for line in ran.stdout.splitlines():
            seed, kind, text = line.split(" ", 2)
            told.append((int(seed), text if kind == "wrong" else self._difference(int(text))))
        return told, f"the program ends with {ran.returncode}: {ran.stderr[:500]}"

    def _difference(self, number: int) -> str:
        if number not in self.known:
            data = Path(f"{self.results}.{number}").read_bytes()
            self.known[number] = differences(self.trial, read_back(self.trial, data))
        return self.known[number]


def read_back(trial: Trial, data: bytes) -> list[np.ndarray]:
    """The tensors of a result."""
    found: list[np.ndarray] = []
    for want in trial.after:
        if isinstance(want, np.ndarray):
            part, data = data[: want.nbytes], data[want.nbytes :]
            found.append(np.frombuffer(part, want.dtype).reshape(want.shape))
    return found


def program_text(trial: Trial, program: Emitted) -> str:
    """The emitted text as it is, and a main function that calls it."""
    tensors, passed = [], []
    lowered = trial.report.lowered
    assert lowered is not None
    for param, before, after in zip(lowered.params, trial.before, trial.after, strict=True):
        if isinstance(before, np.ndarray):
            passed.append(f"tensors[{len(tensors)}]")
            scratch = "false" if isinstance(after, np.ndarray) else "true"
            tensors.append(f'{{"{param.name}", {before.nbytes}, {scratch}}}')
        else:
            passed.append(repr(before))
    passed += more_numbers(trial, program).values()
    return "\n".join(
        [
            program.text,
            "int main(int count, char **words) {",
            f"  return prove::main({{words, words + count}}, {{{', '.join(tensors)}}},",
            "      [](const std::vector<uint8_t *> &tensors) {",
            f"        {program.launch.function}({', '.join([*passed, 'nullptr'])});",
            "      });",
            "}",
            "",
        ]
    )


def _run(*command: Any, timeout: float | None = None) -> subprocess.CompletedProcess[str]:
    words = [str(part) for part in command]
    environment = {**os.environ, "LC_ALL": "C"}
    return subprocess.run(
        words, capture_output=True, text=True, check=False, env=environment, timeout=timeout
    )


def _compile(*arguments: Any) -> None:
    done = _run(GXX, *FLAGS, *arguments)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[:4000])
