"""What the proofs share: kernels to try, inputs, what their evaluation gives (proof a), comparison."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import ml_dtypes
import numpy as np
from tests.corpus.__main__ import FOLDERS
from tests.proofs import scalars
from tests.proofs import sizes as sizing
from tests.proofs.preconditions import as_asked

from tl_ascend import simulate
from tl_ascend.backends.common.abi import dimensions
from tl_ascend.backends.manifest import Emitted
from tl_ascend.driver.check import Checker, CheckOptions, KernelReport
from tl_ascend.driver.files import Files
from tl_ascend.ir.drawn import drawn, example
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Var, dtype_of, walk
from tl_ascend.ir.nodes import Buffer, Kernel, Let, exprs_of, walk_stmts

SECONDS = 40  # of the processor, for an evaluation
TAKES = "its evaluation takes more than"
# Relative and absolute difference that rounding explains; sums of many halves differ more.
MOST_TIES = 0.02  # of the elements of a tensor
MOST_CANCELLED = 0.001  # of the elements: small sums of numbers as large as the largest
RAMP = "ramp"  # integers that rise
SCALES = (1.0, 1 / 4, 1 / 16)  # of floats
LARGE_VALUE = 1000
TOLERANCE = {"float16": 8e-3, "bfloat16": 4e-2, "float32": 1e-3}


class Late(Exception):
    """The time is over."""


@dataclass(frozen=True)
class Trial:
    """A kernel instance by name, and the arguments of its program in order (`Var`s of symbolic sizes
    last): arrays before, arrays that the evaluation left (None: scratch), numbers. `sizes`: what is
    symbolic."""

    name: str
    report: KernelReport
    before: tuple[Any, ...]
    after: tuple[Any, ...]
    sizes: sizing.Sizes = field(default_factory=dict)

    @property
    def kernel(self) -> Kernel:
        return self.report.kernel


# --- kernels ----------------------------------------------------------------------------------------


def corpus_paths(match: str = "") -> list[str]:
    """The files of a checkout of upstream, from inside of it."""
    found = [str(p) for f in FOLDERS for p in sorted(Path(f).rglob("*.py"))]
    return [path for path in found if match in path]


def smallest(path: str, options: CheckOptions) -> list[KernelReport]:
    """One instance of each kernel of a file: that with the smallest tensors."""
    found: dict[Any, KernelReport] = {}
    for kernel in Checker(Files()).check(path, options).kernels:
        if kernel.status != "checked":
            continue
        known = found.setdefault(kernel.span, kernel)
        if size_of(kernel.kernel) < size_of(known.kernel):
            found[kernel.span] = kernel
    return list(found.values())


def size_of(kernel: Kernel) -> int:
    """Bytes of all tensors, those of symbolic sizes with one number for all."""
    return sizing.bytes_of(kernel, sizing.equal_sizes(kernel))


# --- inputs and their evaluation --------------------------------------------------------------------


def evaluated(name: str, report: KernelReport, seed: int = 1, least: int = 0) -> Trial | str:
    """A kernel evaluated on random inputs, or why it cannot be tried. `least`: of integers; where
    these are no valid indices, offsets or conditions, or the sizes do not fit, others are tried."""
    if report.lowered is None:
        return "it is not lowered"
    choices = scalars.spread(report.kernel, sizing.choices(report.kernel))
    if not choices:
        return f"its tensors have {size_of(report.kernel)} bytes"
    first, late = "", 0
    for numbers in (range(least, 4), RAMP, range(1, 2), range(0, 256, 32), range(1)):
        for sizes in choices:
            trial = _tame(name, report, seed, numbers, sizes)
            if isinstance(trial, Trial):
                return trial
            first = first or trial
            late += trial.startswith(TAKES)  # others may be smaller
            if late == 2 or not trial.startswith(("its evaluation ends", TAKES)):
                return first
    return first


def _tame(
    name: str, report: KernelReport, seed: int, numbers: range | str, sizes: sizing.Sizes
) -> Trial | str:
    """With floats so small that nothing grows beyond what its type holds well, where there are such:
    what overflows or cancels says little."""
    first: Trial | str = ""
    for scale in SCALES:
        given = inputs(report.kernel, seed, numbers, sizes, scale)
        trial = _evaluated(name, report, given, sizes)
        first = first or trial
        if isinstance(trial, str) or all(map(_moderate, trial.after)):
            return trial if isinstance(trial, Trial) else first
    return first


def _moderate(array: np.ndarray | None) -> bool:
    """Finite and not large."""
    if not isinstance(array, np.ndarray) or array.dtype.kind in "iub":
        return True
    with np.errstate(invalid="ignore"):
        return bool((np.abs(array.astype(np.float64)) <= LARGE_VALUE).all())


def _evaluated(
    name: str, report: KernelReport, before: list[Any] | str, sizes: sizing.Sizes
) -> Trial | str:
    if isinstance(before, str):
        return before
    before = as_asked(report.kernel, before)
    arrays = [None if a is None else a.copy() if isinstance(a, np.ndarray) else a for a in before]
    try:
        with in_time(SECONDS):
            simulate.run(report.kernel, *arrays)
    except Late:
        return f"{TAKES} {SECONDS} s"
    except simulate.EvaluationError as error:
        return f"its evaluation ends with {type(error).__name__}: {error}"
    if sizes and _unchanged(before, arrays):
        return "its evaluation ends with its tensors as they were, for these sizes"
    if sizes and not _in_any_order(report.kernel, before, arrays):
        return "its evaluation ends with what the order of its blocks decides, for these sizes"
    return Trial(name, report, *_with_hidden(report, before, arrays, sizes), sizes)


def _in_any_order(kernel: Kernel, before: list[Any], after: list[Any]) -> bool:
    """False where blocks write to places of others, as where parts of rows do not fit."""
    again = [a.copy() if isinstance(a, np.ndarray) else a for a in before]
    try:
        with in_time(SECONDS):
            simulate.run(kernel, *again, backwards=True)
    except (Late, simulate.EvaluationError):
        return False
    pairs = zip(again, after, strict=True)
    return not any(difference(a, b) for a, b in pairs if isinstance(a, np.ndarray))


def _unchanged(before: list[Any], after: list[Any]) -> bool:
    """True where a kernel did nothing, as where all that it moves lies outside of the tensors."""
    pairs = [(a, b) for a, b in zip(before, after, strict=True) if isinstance(a, np.ndarray)]
    return all(a.tobytes() == b.tobytes() for a, b in pairs)


def inputs(
    kernel: Kernel, seed: int, numbers: range | str, sizes: sizing.Sizes, scale: float = 1.0
) -> list[Any] | str:
    """Small numbers, with fractions where the type has them; None for scratch of the author."""
    random = np.random.default_rng(seed)
    scratch = {at % len(kernel.params) for at in kernel.options.workspace_idx}
    numbers_of = scalars.numbers(kernel, sizes)
    found: list[Any] = []
    for at, param in enumerate(kernel.params):
        if isinstance(param.value, Var):
            found.append(numbers_of[param.value])
            continue
        kind = param.value.dtype
        if kind.name.startswith(("float8", "int4")):
            return f"numpy has no {kind.name}"
        if at in scratch:
            found.append(None)
            continue
        shape = sizing.shape_of(param.value, sizes)
        if kind.kind == "float":
            found.append(_floats(random, param.value, shape, scale))
            continue
        found.append(_integers(random, param.value, shape, sizing.span(kernel, sizes), numbers))
    return found


def _floats(
    random: np.random.Generator, buffer: Buffer, shape: tuple[int, ...], scale: float
) -> np.ndarray:
    """Floats that every type holds exactly, of which few are equal: a stale one must show."""
    kind = buffer.dtype
    fine = 16 if kind.name == "bfloat16" else 256
    drawn = np.rint(random.normal(0, 1, shape).clip(-4, 4) * fine) / fine * scale
    return drawn.astype(ml_dtypes.bfloat16 if kind.name == "bfloat16" else kind.name)


def _integers(
    random: np.random.Generator,
    buffer: Buffer,
    shape: tuple[int, ...],
    size: int,
    numbers: range | str,
) -> np.ndarray:
    """Of some numbers; or rising in equal steps, as starts of sequences do."""
    if numbers == RAMP:
        count = int(np.prod(shape))
        return (
            (np.arange(count) * max(1, size // count) % size)
            .reshape(shape)
            .astype(buffer.dtype.name)
        )
    legal = [n for n in numbers if n >= 0 or buffer.dtype.kind == "int"]
    return random.choice(legal, shape).astype(buffer.dtype.name)


def _with_hidden(
    report: KernelReport, before: list[Any], after: list[Any], sizes: sizing.Sizes
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The arguments with those that lowering adds; scratch as arrays that only have a size."""
    assert report.lowered is not None
    params = report.lowered.params
    for at, param in enumerate(params):
        if at < len(before) and before[at] is not None:
            continue
        assert isinstance(param.value, Buffer)
        shape = sizing.shape_of(param.value, sizes)
        bits = int(np.prod(shape)) * param.value.dtype.bytes
        room = np.zeros(bits, np.uint8)
        before[at : at + 1], after[at : at + 1] = [room], [None]
    return tuple(before), tuple(after)


def more_numbers(trial: Trial, program: Emitted) -> dict[int, str]:
    """What a program takes behind its parameters, by place: symbolic sizes, and what the host draws."""
    assert trial.report.lowered is not None
    draws = iter(drawn(trial.report.lowered))
    names = iter(dimensions(trial.report.lowered))
    return {
        at: str(sizing.number(next(names), trial.sizes))
        if argument.kind == "dimension"
        else repr(example(next(draws)))
        for at, argument in enumerate(program.launch.arguments)
        if argument.kind in ("dimension", "drawn")
    }


@contextmanager
def in_time(seconds: int) -> Iterator[None]:
    """Errors: Late, after so many seconds of the processor, whatever else that does."""

    def stop(number: int, frame: FrameType | None) -> None:
        raise Late

    known = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, known)


# --- comparison -------------------------------------------------------------------------------------


def difference(found: np.ndarray, want: np.ndarray, rounded: bool = False) -> str:
    """The first element that differs by more than rounding; empty where none does. `rounded`: integers
    may come of floats, where a tie may fall to either side."""
    tolerance = TOLERANCE.get(want.dtype.name)
    if tolerance is None:
        wrong = found != want
        near = np.abs(found.astype(np.int64) - want.astype(np.int64)) <= 1
        if rounded and near.all() and wrong.mean() <= MOST_TIES:
            return ""
    else:
        with np.errstate(invalid="ignore"):
            a, b = found.astype(np.float64), want.astype(np.float64)
            same = (a == b) | (np.isnan(a) & np.isnan(b))
            apart = np.abs(a - b)
            wrong = ~(same | (apart <= tolerance * (1 + np.abs(b))))
            largest = np.abs(b[np.isfinite(b)]).max(initial=0)
        if wrong.mean() <= MOST_CANCELLED:
            wrong &= ~(apart <= tolerance * largest)
    if not wrong.any():
        return ""
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    total = int(wrong.sum())
    return f"{total} elements, the first at {list(at)}: evaluated {want[at]}, emitted {found[at]}"


def rounds(kernel: Kernel) -> bool:
    """Whether integers come of floats."""
    for stmt in walk_stmts(kernel.body):
        effect = effect_of(stmt)
        read = {region.buffer.dtype.kind for region in effect.reads}
        read |= {dtype_of(part).kind for value in exprs_of(stmt) for part in walk(value)}
        written = {region.buffer.dtype.kind for region in effect.writes}
        if isinstance(stmt, Let):
            written.add(stmt.var.dtype.kind)
        if "float" in read and written & {"int", "uint"}:
            return True
    return False


def differences(trial: Trial, found: list[np.ndarray]) -> str:
    """The first tensor that differs."""
    names = (param.name for param in trial.kernel.params)
    wanted = [(n, a) for n, a in zip(names, trial.after, strict=False) if isinstance(a, np.ndarray)]
    rounded = rounds(trial.kernel)
    for (name, want), got in zip(wanted, found, strict=True):
        if text := difference(got, want, rounded):
            return f"{name}, {text}"
    return ""
