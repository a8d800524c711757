"""Evaluated kernels against their emitted programs, on random inputs.

    python -m tests.simulate.agree [--count N] [--seed S] [--keep FOLDER]
    python -m tests.simulate.agree --corpus CHECKOUT [--match TEXT]

Kernels from seeds, or the smaller ones of a checkout of tile-ai/tilelang-ascend. Every program runs on
the immediate machine of tests/emit, which executes each call at once, the cube core of a block before
its vector cores and block after block. What cannot run there is left out: programs whose vector cores
feed the cube core or whose blocks meet, and calls that it does not know. Exit status 1 where numbers
differ.
"""

from __future__ import annotations

import argparse
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tests.corpus import values
from tests.emit import support
from tests.emit.test_numbers import MACHINES
from tests.generated.examine import case, checked

from tl_ascend import simulate
from tl_ascend.backends import registry
from tl_ascend.backends.manifest import Emitted
from tl_ascend.driver.check import KernelReport
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.ir.expr import Expr, Var
from tl_ascend.ir.nodes import Buffer, CoreScope, Kernel, Region, TileOp, walk_stmts
from tl_ascend.target.hardware import Core, Memory

UNRESOLVED = 127  # how the loader ends a program
SMALL = 1_500_000  # bytes of tensors: the machine is slow
BATCH = 12  # programs in one translation unit
MORE = Path(__file__).parent / "data"
LARGE, RELATIVE = 1e6, {"float16": 4e-3, "float32": 1e-4}


@dataclass
class Run:
    """A kernel by a number, its program, and the tensors before and after."""

    number: int
    kernel: Kernel
    program: Emitted
    before: list[np.ndarray]
    after: list[np.ndarray]

    @property
    def name(self) -> str:
        return f"run_{self.number}"


def main() -> int:
    """Compare, and print what differs."""
    parser = argparse.ArgumentParser(prog="python -m tests.simulate.agree", description=__doc__)
    parser.add_argument("--count", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--keep", type=Path, help="where programs and tensors stay")
    parser.add_argument("--corpus", type=Path, help="a checkout of upstream")
    parser.add_argument("--match", default="", help="only paths that contain this")
    arguments = parser.parse_args()
    counts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        place = (arguments.keep or Path(folder)).absolute()
        place.mkdir(parents=True, exist_ok=True)
        if arguments.corpus is not None:
            found = of_corpus(place, arguments.corpus, arguments.match)
        else:
            found = of_seeds(place, range(arguments.seed, arguments.seed + arguments.count))
        for name, outcome in found:
            counts[outcome.partition(":")[0]] += 1
            if not outcome.startswith("agrees"):
                print(f"{name}: {outcome}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in counts.most_common()))
    return 1 if counts["differs"] else 0


def of_seeds(folder: Path, seeds: range) -> Iterator[tuple[str, str]]:
    """Each kernel with what came of it: `agrees`, `skipped: why` or `differs: where`."""
    for first in range(seeds.start, seeds.stop, BATCH):
        cases = [case(seed) for seed in range(first, min(first + BATCH, seeds.stop))]
        reports = {f"seed {made.seed} ({made.family})": checked(made).kernels[0] for made in cases}
        yield from compared(folder, reports)


def of_corpus(folder: Path, checkout: Path, match: str) -> Iterator[tuple[str, str]]:
    """The same for kernels of upstream with small tensors of known sizes."""
    os.chdir(checkout)
    signal.signal(signal.SIGALRM, values.stop)
    for path in (p for p in values.paths() if match in p):
        for report in values.smallest(path):
            if values.size_of(report.kernel) <= SMALL and fixed(report.kernel):
                yield from _in_time(folder, f"{path} {report.factory}", report)


def _in_time(folder: Path, name: str, report: KernelReport) -> list[tuple[str, str]]:
    signal.alarm(4 * values.SECONDS)
    try:
        # Integers of upstream's kernels are often places.
        return compared(folder, {name: report}, least=0)
    except values.Late:
        return [(name, "skipped: too slow")]
    finally:
        signal.alarm(0)


def fixed(kernel: Kernel) -> bool:
    """True where the arrays are all that a launch passes, of types that numpy has."""
    if any(isinstance(param.value, Var) for param in kernel.params):
        return False
    extents = [extent for tensor in kernel.tensors for extent in tensor.shape]
    odd = [t for t in kernel.tensors if t.dtype.name.startswith(("bfloat", "float8", "int4"))]
    return not odd and not any(isinstance(extent, Expr) for extent in extents)


def compared(
    folder: Path, reports: dict[str, KernelReport], least: int = -2
) -> list[tuple[str, str]]:
    """What came of some kernels, whose programs are built as one. `least`: of integer inputs."""
    found: dict[str, str] = {}
    runs: dict[str, Run] = {}
    for number, (name, report) in enumerate(reports.items()):
        made = evaluated(report, number, least)
        if isinstance(made, Run):
            runs[name] = made
        else:
            found[name] = made
    if runs:
        program = build(folder, list(runs.values()))
        found |= {name: outcome(folder, program, run) for name, run in runs.items()}
    return [(name, found[name]) for name in reports]


def evaluated(report: KernelReport, number: int, least: int) -> Run | str:
    """The kernel evaluated and emitted, or why not."""
    if report.lowered is None or _feeds_cube(report.lowered):
        return "skipped: its vector cores feed the cube core"
    if any(isinstance(s, TileOp) and s.op == "sync_all" for s in walk_stmts(report.kernel.body)):
        return "skipped: its blocks meet"
    result = emit_kernel(report, registry.backend("ascendc"))
    if result.emitted is None:
        return f"skipped: not emitted, {result.blockers[0].message}"
    before = inputs(report.kernel, number, least)
    after = [array.copy() for array in before]
    try:
        simulate.run(report.kernel, *after)
    except simulate.EvaluationError as error:
        return f"skipped: {type(error).__name__}, {error}"
    extra = [p.value for p in report.lowered.params[len(report.kernel.params) :]]
    more = [(b.shape, b.dtype.name) for b in extra if isinstance(b, Buffer)]
    before += [np.zeros(shape, kind) for shape, kind in more]  # type: ignore[arg-type]
    return Run(number, report.kernel, result.emitted, before, after)


def _feeds_cube(lowered: Kernel) -> bool:
    """True where the cube core waits for the vector cores, or reads what they write."""
    written: set[int] = set()
    for scope in walk_stmts(lowered.body):
        if not isinstance(scope, CoreScope):
            continue
        for stmt in walk_stmts(scope.body):
            if not isinstance(stmt, TileOp) or stmt.op not in ("copy", "tile.atomic_add"):
                continue
            target = stmt.args[1] if stmt.op == "copy" else stmt.args[0]
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
    return isinstance(region, Region) and kernel.memory(region.buffer) is Memory.GM


def inputs(kernel: Kernel, seed: int, least: int = -2) -> list[Any]:
    """Small numbers, with fractions where the type has them."""
    random = np.random.default_rng(seed)
    found: list[Any] = []
    for tensor in kernel.tensors:
        kind, shape = tensor.dtype, tuple(int(size) for size in tensor.shape)  # type: ignore[arg-type]
        low = 0 if kind.kind in ("uint", "bool") else -8 if kind.kind == "float" else least
        numbers = random.integers(low, 9 if kind.kind == "float" else 4, shape)
        found.append((numbers / 4 if kind.kind == "float" else numbers).astype(kind.name))
    return found


# --- programs ---------------------------------------------------------------------------------------


def build(folder: Path, runs: list[Run]) -> Path:
    """One program that runs the kernel whose number it is given. With a call that the machine does
    not know it cannot be loaded."""
    text = ['#include "more.h"', support.together({run.name: run.program for run in runs})]
    text.append("int main(int, char **arguments) {\n  const int chosen = std::atoi(arguments[1]);")
    for at, run in enumerate(runs):
        sizes = ", ".join(str(a.nbytes) for a in run.before)
        passed = ", ".join(f"tensors[{n}].data()" for n in range(len(run.before)))
        (folder / f"{run.name}.in").write_bytes(b"".join(a.tobytes() for a in run.before))
        text += [
            f"  if (chosen == {run.number}) {{",
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
    command = [program, str(run.number)]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=300)
    if ran.returncode < 0 or ran.returncode == UNRESOLVED:
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
