"""Emitted Ascend C programs on the CPU twin: built once, run under many seeds."""

from __future__ import annotations

import atexit
import os
import re
import resource
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from tests.emit.machine import machine_object
from tests.emit.support import together
from tests.proofs.common import Late, Trial, differences, more_numbers

from tl_ascend.backends import registry
from tl_ascend.backends.manifest import Emitted

GXX = shutil.which("g++") or ""
INCLUDE = Path(registry.__file__).parent / "ascendc" / "include"
DATA = Path(__file__).parent / "data"
FLAGS = ("-std=c++17", "-O1", "-w", f"-I{INCLUDE / 'cpu_twin'}", f"-I{INCLUDE}")
UNBUILT = "does not compile"
SECONDS = 60  # of the processor, for all seeds of a program
ON_ONE_PIPE = re.compile(r": (.*) \S+ on (\w+) does not wait for \1 \S+ on \2$")
HELD_SEEDS = (0, 1, 16, 17)  # where an access is held back: the extremes, ranks, none


@dataclass(frozen=True)
class Outcome:
    """What the seeds gave. `wrong`: the first few that did not agree, with what was wrong.
    `races`: then, the accesses that no flag orders. `by_author`: with the compiler's synchronisation
    all agree; `named`: what diagnostics say of the author's. `refused`: what the compiler says of a
    program that it does not take."""

    seeds: int
    agreed: int
    wrong: tuple[tuple[int, str], ...] = ()
    skipped: str = ""
    refused: str = ""
    races: tuple[str, ...] = ()
    by_author: bool = False
    named: tuple[str, ...] = ()

    @property
    def kind(self) -> str:
        """A word: agrees, skipped, unordered, differs, does not compile."""
        if self.refused:
            return UNBUILT
        if self.skipped:
            return "skipped"
        return ("unordered" if self.by_author else "differs") if self.wrong else "agrees"

    @property
    def reason(self) -> str:
        """Why it is no better."""
        if not self.wrong:
            return self.refused or self.skipped
        seed, why = self.wrong[0]
        race = f"; nothing orders {self.races[0]}" if self.races else ""
        text = f"{self.agreed} of {self.seeds} seeds agree; seed {seed}: {why}{race}"
        if not self.by_author:
            return text
        return f"{'; '.join(self.named) or self._unnamed}; {text}"

    @property
    def _unnamed(self) -> str:
        """Why diagnostics are silent: they take calls of one pipe to come one after the other."""
        if self.races and all(map(ON_ONE_PIPE.search, self.races)):
            return "only calls of one pipe, which no barrier keeps apart, overlap"
        return "no diagnostic names it"

    @property
    def text(self) -> str:
        """Both."""
        return f"{self.kind}: {self.reason}" if self.reason else self.kind


@dataclass(frozen=True)
class Race:
    """Two accesses that nothing orders. `hold`: the first of them, as programs take it; `harms`: what is
    written was not there already."""

    text: str
    hold: str
    harms: bool


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
        return self.prove_all([(trial, program)], seeds)[0]

    def prove_all(self, pairs: Sequence[tuple[Trial, Emitted]], seeds: int) -> list[Outcome]:
        """Several, compiled together: most of what a program costs is what it shares with others."""
        with self.built_together(pairs) as built:
            if isinstance(built, str) and len(pairs) > 1:
                return [self.prove(trial, program, seeds) for trial, program in pairs]
            if isinstance(built, str):
                return [Outcome(seeds, 0, refused=built)]
            return [program.run(seeds) for program in built]

    @contextmanager
    def built(self, trial: Trial, program: Emitted) -> Iterator[Program | str]:
        """A program with its inputs, as long as it is needed; or what the compiler says."""
        with self.built_together([(trial, program)]) as built:
            yield built if isinstance(built, str) else built[0]

    @contextmanager
    def built_together(
        self, pairs: Sequence[tuple[Trial, Emitted]]
    ) -> Iterator[list[Program] | str]:
        """Programs of one translation unit."""
        self.count += 1
        name = f"program_{self.count}"
        try:
            text = program_text(pairs)
            built = self.build(text, name) if pairs else self.folder / name
            if isinstance(built, str):
                yield built
            else:
                yield [
                    Program(trial, built, at, text[: text.index(_opening(at))].count("\n") + 1)
                    for at, (trial, _) in enumerate(pairs)
                ]
        finally:
            for path in self.folder.glob(f"{name}*"):
                path.unlink()


@lru_cache
def the_twin() -> Twin:
    """That of this process, until it ends."""
    folder = Path(tempfile.mkdtemp(prefix="proofs-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return Twin(folder)


class Program:
    """A built program, one of some in a file, where so many lines stand before it. What it gave is known
    by number."""

    def __init__(self, trial: Trial, path: Path, at: int, before: int) -> None:
        self.trial, self.before = trial, before
        self.inputs, self.results = path.with_suffix(f".in{at}"), path.with_suffix(f".out{at}")
        self.command = (path, at, self.inputs, self.results)
        arrays = [
            a for a, b in zip(trial.before, trial.after, strict=True) if isinstance(b, np.ndarray)
        ]
        self.inputs.write_bytes(b"".join(array.tobytes() for array in arrays))
        self.known: dict[int, str] = {}

    def run(self, seeds: int) -> Outcome:
        """All seeds."""
        try:
            lines, ended = self._seeds(0, seeds)
        except Late:
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

    def without(self, lines: list[int], first: int, seeds: int) -> str:
        """How it shows that lines are missing; empty where no seed from the first on shows it."""
        while first < seeds:
            try:
                found, ended = self._seeds(first, seeds - first, lines)
            except Late:
                return f"seed {first}, the program does not end in {SECONDS} s"
            wrong = next((f"seed {seed}, {text}" for seed, text in found if text), "")
            if wrong or not found:
                return wrong or f"seed {first}, {ended}"
            first += len(found)
        return ""

    def overtaken(self, lines: list[int], race: Race) -> str:
        """How it shows that lines are missing where the other access of a race comes as early as it can;
        empty where that changes nothing."""
        for seed in HELD_SEEDS:
            found, ended = self._seeds(seed, 1, lines, race.hold)
            text = found[0][1] if found else ended
            if text:
                return f"seed {seed}, {text}, where one is held back, {race.text}"
        return ""

    def races(self, lines: Sequence[int] = ()) -> list[str]:
        """Accesses that nothing orders, where the synchronisation of some lines is left out."""
        return [race.text for race in self.disorder(lines)]

    def disorder(self, lines: Sequence[int] = ()) -> list[Race]:
        """The same, with all that is known of them."""
        words = (*self.command, "0", "0", "0", "-", *self._places(lines))
        ran = _run(*words, seconds=SECONDS)
        told = [line.split(" ", 3)[1:] for line in ran.stdout.splitlines()]
        harm = {text for kind, _, text in told if kind == "harm"}
        return [Race(text, hold, text in harm) for kind, hold, text in told if kind == "race"]

    def _places(self, lines: Sequence[int]) -> list[str]:
        return [str(line + self.before) for line in lines]

    def _seeds(
        self, first: int, count: int, lines: Sequence[int] = (), hold: str = "-"
    ) -> tuple[list[tuple[int, str]], str]:
        """What is wrong under each seed, empty where nothing is, and how the program ended."""
        left_out = [str(len(self.known)), hold, *self._places(lines)] if lines else []
        words = (*self.command, str(first), str(count), *left_out)
        ran = _run(*words, seconds=SECONDS)
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


def program_text(pairs: Sequence[tuple[Trial, Emitted]]) -> str:
    """The emitted texts as they are, each in a namespace, and a main function that calls one of them."""
    named = {str(at): program for at, (_, program) in enumerate(pairs)}
    cases = [_case(at, trial, program) for at, (trial, program) in enumerate(pairs)]
    return "\n".join(
        [
            together(named),
            "int main(int count, char **words) {",
            "  const std::vector<std::string> all(words, words + count);",
            "  const std::vector<std::string> others(all.begin() + 1, all.end());",
            *cases,
            "  return 2;",
            "}",
            "",
        ]
    )


def _opening(at: int) -> str:
    return f"namespace unit_{at} {{\n"


def _case(at: int, trial: Trial, program: Emitted) -> str:
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
    call = f"unit_{at}::{program.launch.function}_{at}({', '.join([*passed, 'nullptr'])});"
    return "\n".join(
        [
            f'  if (all[1] == "{at}") {{',
            f"    return prove::main(others, {{{', '.join(tensors)}}},",
            f"        [](const std::vector<uint8_t *> &tensors) {{ {call} }});",
            "  }",
        ]
    )


def _run(*command: Any, seconds: int = 0) -> subprocess.CompletedProcess[str]:
    """Errors: Late, where it takes more time of the processor, whatever else that does."""
    words = [str(part) for part in command]
    environment = {**os.environ, "LC_ALL": "C"}
    limit = partial(resource.setrlimit, resource.RLIMIT_CPU, (seconds, seconds + 1))
    done = subprocess.run(
        words,
        capture_output=True,
        text=True,
        check=False,
        env=environment,
        preexec_fn=limit if seconds else None,
    )
    if seconds and done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        raise Late
    return done


def _compile(*arguments: Any) -> None:
    done = _run(GXX, *FLAGS, *arguments)
    if done.returncode != 0:
        raise RuntimeError(done.stderr[:4000])
