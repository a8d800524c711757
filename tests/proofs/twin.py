"""Emitted Ascend C programs on the CPU twin: built once, run under many seeds."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tests.proofs.common import SIZE, Trial, differences

from tl_ascend.backends import registry
from tl_ascend.backends.manifest import Emitted
from tl_ascend.ir.nodes import Kernel

GXX = shutil.which("g++") or ""
INCLUDE = Path(registry.__file__).parent / "ascendc" / "include"
SOURCES = INCLUDE / "cpu_twin" / "src"
DATA = Path(__file__).parent / "data"
FLAGS = ("-std=c++17", "-O1", "-w", f"-I{INCLUDE / 'cpu_twin'}", f"-I{INCLUDE}")
SECONDS = 120  # for all seeds of a program


@dataclass(frozen=True)
class Outcome:
    """What the seeds gave. `wrong`: the first few that did not agree, with what was wrong."""

    seeds: int
    agreed: int
    wrong: tuple[tuple[int, str], ...] = ()
    skipped: str = ""

    @property
    def text(self) -> str:
        if self.skipped:
            return f"skipped: {self.skipped}"
        if self.wrong:
            seed, why = self.wrong[0]
            return f"differs: {self.agreed} of {self.seeds} seeds agree; seed {seed}: {why}"
        return "agrees"


class Twin:
    """The machine and its headers, compiled once into a folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.programs: Counter[str] = Counter()
        objects = []
        for source in sorted(SOURCES.glob("*.cpp")):
            objects.append(folder / f"{source.stem}.o")
            _compile("-O2", "-c", source, "-o", objects[-1])
        self.objects = objects
        self.header = folder / "prove.h"
        shutil.copy(DATA / "prove.h", self.header)
        _compile("-x", "c++-header", self.header, "-o", folder / "prove.h.gch")

    def build(self, text: str, name: str) -> Path | str:
        """A program of a source, or what the compiler says."""
        source, program = self.folder / f"{name}.cpp", self.folder / name
        source.write_text(text, encoding="utf-8")
        arguments = [f"-I{self.folder}", "-include", self.header, source, *self.objects]
        done = _run(GXX, *FLAGS, *arguments, "-o", program)
        return program if done.returncode == 0 else done.stderr[:2000]

    def prove(self, trial: Trial, program: Emitted, seeds: int, first: int = 0) -> Outcome:
        """Run a program under so many seeds and compare with the evaluation."""
        self.programs["all"] += 1
        name = f"program_{self.programs['all']}"
        built = self.build(program_text(trial, program), name)
        if isinstance(built, str):
            return Outcome(seeds, 0, skipped=f"it does not compile: {built}")
        arrays = [a for a, b in zip(trial.before, trial.after) if isinstance(b, np.ndarray)]
        inputs = self.folder / f"{name}.in"
        inputs.write_bytes(b"".join(array.tobytes() for array in arrays))
        results = self.folder / f"{name}.out"
        try:
            ran = _run(built, inputs, results, str(first), str(seeds), timeout=SECONDS)
        except subprocess.TimeoutExpired:
            return Outcome(seeds, 0, skipped=f"its runs take more than {SECONDS} s")
        finally:
            inputs.unlink()
        try:
            return self._judge(trial, ran, results, seeds)
        finally:
            for path in self.folder.glob(f"{name}*"):
                path.unlink()

    def _judge(
        self, trial: Trial, ran: subprocess.CompletedProcess[str], results: Path, seeds: int
    ) -> Outcome:
        known: dict[str, str] = {}
        wrong: list[tuple[int, str]] = []
        lines = ran.stdout.splitlines()
        for line in lines:
            seed, kind, text = line.split(" ", 2)
            if kind == "ok":
                if text not in known:
                    data = Path(f"{results}.{text}").read_bytes()
                    known[text] = differences(trial, read_back(trial, data))
                text = known[text]
            if text:
                wrong.append((int(seed), text))
        if len(lines) < seeds:
            wrong.append((len(lines), f"the program ends with {ran.returncode}: {ran.stderr[:500]}"))
        return Outcome(seeds, len(lines) - len(wrong), tuple(wrong[:4]))


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
    sizes = [a for a in program.launch.arguments if a.kind == "dimension"]
    passed += [str(SIZE) for _ in sizes]
    return "\n".join(
        [
            program.text,
            "int main(int, char **arguments) {",
            f"  return prove::main(arguments, {{{', '.join(tensors)}}},",
            "      [](const std::vector<uint8_t *> &tensors) {",
            f"        {program.launch.function}({', '.join([*passed, 'nullptr'])});",
            "      });",
            "}",
            "",
        ]
    )


def emitted(lowered: Kernel, trial: Trial) -> Emitted | str:
    """The program of a lowered kernel, or why there is none."""
    from tl_ascend.diagnostics.report import Report

    report = Report()
    program = registry.backend("ascendc").emit(lowered, trial.report.platform, report)
    if program is None:
        return f"it is not emitted: {next(iter(report.findings)).message}"
    return program


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
