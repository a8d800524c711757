"""Evaluated kernels against their emitted programs, on kernels from seeds and random inputs.

    python -m tests.simulate.agree [--count N] [--seed S] [--keep FOLDER]

Every program runs on the immediate machine of tests/emit, which executes each call at once, the cube
core of a block before its vector cores. Programs whose vector cores feed the cube core cannot run there
and are left out, as are calls that it does not know. Exit status 1 where numbers differ.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tests.emit import support
from tests.emit.test_numbers import MACHINES
from tests.generated.examine import Case, case, checked

from tl_ascend import simulate
from tl_ascend.backends.manifest import Emitted
from tl_ascend.ir.expr import Var
from tl_ascend.ir.nodes import Buffer, CoreScope, Kernel, TileOp, walk_stmts
from tl_ascend.target.hardware import Core, Memory

BATCH = 12  # programs in one translation unit
MORE = Path(__file__).parent / "data"
LARGE, RELATIVE = 1e6, {"float16": 4e-3, "float32": 1e-4}


@dataclass
class Run:
    """A kernel, its program, and the tensors before and after."""

    made: Case
    kernel: Kernel
    program: Emitted
    before: list[np.ndarray]
    after: list[np.ndarray]

    @property
    def name(self) -> str:
        return f"seed_{self.made.seed}"


def main() -> int:
    """Compare, and print what differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulate.agree", description=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--keep", type=Path, help="where programs and tensors stay")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        place = arguments.keep or Path(folder)
        place.mkdir(parents=True, exist_ok=True)
        last = arguments.seed + arguments.count
        for first in range(arguments.seed, last, BATCH):
            for seed, outcome in compared(place, range(first, min(first + BATCH, last))):
                counts[outcome.partition(":")[0]] += 1
                if not outcome.startswith("agrees"):
                    print(f"seed {seed} ({case(seed).family}): {outcome}")
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    return 1 if counts["differs"] else 0


def compared(folder: Path, seeds: range) -> list[tuple[int, str]]:
    """What came of each seed: `agrees`, `skipped: why` or `differs: where`."""
    found: list[tuple[int, str]] = []
    runs: list[Run] = []
    for seed in seeds:
        made = evaluated(case(seed))
        if isinstance(made, Run):
            runs.append(made)
        else:
            found.append((seed, made))
    if runs:
        program = build(folder, runs)
        found += [(run.made.seed, outcome(folder, program, run)) for run in runs]
    return sorted(found)


def evaluated(made: Case) -> Run | str:
    """The kernel evaluated and emitted, or why not."""
    (report,) = checked(made).kernels
    if report.lowered is None or _feeds_cube(report.lowered):
        return "skipped: its vector cores feed the cube core"
    (result,) = support.outcomes("case.py", made.text)
    if result.emitted is None:
        return f"skipped: not emitted, {result.blockers[0].message}"
    before = inputs(report.kernel, made.seed)
    after = [array.copy() for array in before]
    try:
        simulate.run(report.kernel, *after)
    except simulate.EvaluationError as error:
        return f"differs: evaluation fails, {type(error).__name__}: {error}"
    extra = [p.value for p in report.lowered.params[len(report.kernel.params) :]]
    before += [np.zeros(b.shape, b.dtype.name) for b in extra if isinstance(b, Buffer)]  # type: ignore[arg-type]
    return Run(made, report.kernel, result.emitted, before, after)


def _feeds_cube(lowered: Kernel) -> bool:
    """True where the cube core waits for the vector cores, or reads what they write."""
    written: set[int] = set()
    for scope in walk_stmts(lowered.body):
        if not isinstance(scope, CoreScope):
            continue
        for stmt in walk_stmts(scope.body):
            if not isinstance(stmt, TileOp) or stmt.op not in ("copy", "tile.atomic_add"):
                continue
            row = (stmt.args[0], stmt.args[1])
            source, target = row if stmt.op == "copy" else row[::-1]
            if scope.core is Core.VECTOR and _in_gm(lowered, target):
                written.add(target.buffer.uid)  # type: ignore[union-attr]
    return any(
        isinstance(stmt, TileOp)
        and stmt.op == "copy"
        and _in_gm(lowered, stmt.args[0])
        and stmt.args[0].buffer.uid in written  # type: ignore[union-attr]
        for scope in walk_stmts(lowered.body)
        if isinstance(scope, CoreScope) and scope.core is Core.CUBE
        for stmt in walk_stmts(scope.body)
    )


def _in_gm(kernel: Kernel, region: Any) -> bool:
    return kernel.memory(region.buffer) is Memory.GM


def inputs(kernel: Kernel, seed: int) -> list[Any]:
    """Small numbers, different for each seed, with fractions where the type has them."""
    random = np.random.default_rng(seed)
    found: list[Any] = []
    for param in kernel.params:
        assert not isinstance(param.value, Var), "generated kernels have tensors only"
        kind = param.value.dtype
        shape = tuple(int(size) for size in param.value.shape)  # type: ignore[arg-type]
        values = random.integers(-8, 9, shape) / (4 if kind.kind == "float" else 1)
        found.append(values.astype(kind.name))
    return found


# --- programs ---------------------------------------------------------------------------------------


def build(folder: Path, runs: list[Run]) -> Path:
    """One program that runs the kernel whose number it is given. Calls that the machine does not
    know stay unresolved, and crash where they are reached."""
    text = ['#include "more.h"', support.together({run.name: run.program for run in runs})]
    text.append("int main(int, char **arguments) {\n  const int chosen = std::atoi(arguments[1]);")
    for at, run in enumerate(runs):
        sizes = ", ".join(str(a.nbytes) for a in run.before)
        passed = ", ".join(f"tensors[{n}].data()" for n in range(len(run.before)))
        (folder / f"{run.name}.in").write_bytes(b"".join(a.tobytes() for a in run.before))
        text += [
            f"  if (chosen == {run.made.seed}) {{",
            f'    auto tensors = machine::read("{run.name}.in", {{{sizes}}});',
            f"    unit_{at}::call_{at}({passed}, nullptr);",
            f'    machine::write("{run.name}.out", tensors);',
            "  }",
        ]
    source = folder / f"{runs[0].name}.cpp"
    source.write_text("\n".join([*text, "}"]) + "\n", encoding="utf-8")
    program = source.with_suffix("")
    places = [f"-I{place}" for place in (*MACHINES, MORE)]
    loose = ("-Wno-undefined-inline", "-Wno-error", "-Wl,--unresolved-symbols=ignore-all")
    built = support.compile_cpp(*places, *loose, source, "-o", program)
    assert built.returncode == 0, built.stderr[:4000]
    return program


def outcome(folder: Path, program: Path, run: Run) -> str:
    """Run the program and compare every tensor."""
    command = [program, str(run.made.seed)]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    if ran.returncode < 0:
        return "skipped: a call that the machine does not know"
    if ran.returncode:
        return f"differs: the machine stops, {ran.stdout.strip()}"
    data = (folder / f"{run.name}.out").read_bytes()
    for array, param in zip(run.after, run.kernel.params, strict=True):
        size = array.nbytes
        found = np.frombuffer(data[:size], array.dtype).reshape(array.shape)
        data = data[size:]
        if text := difference(found, array):
            return f"differs: {param.name}, {text}"
    return "agrees"


def difference(found: np.ndarray, want: np.ndarray) -> str:
    """The first element that differs by more than rounding, which powers of e amplify; empty where
    none does."""
    if want.dtype.kind != "f":
        wrong = found != want
    else:
        a, b = found.astype(np.float64), want.astype(np.float64)
        same = (a == b) | (np.isnan(a) & np.isnan(b))
        part = np.where(np.abs(b) > LARGE, 10, 1) * RELATIVE[want.dtype.name]
        with np.errstate(invalid="ignore"):
            wrong = ~(same | (np.abs(a - b) <= part * (1 + np.abs(b))))
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    total = int(wrong.sum())
    return f"{total} elements, the first at {list(at)}: evaluated {want[at]}, emitted {found[at]}"


if __name__ == "__main__":
    sys.exit(main())
