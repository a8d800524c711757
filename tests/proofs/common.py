"""What the proofs share: kernels to try, inputs, what their evaluation gives (proof a), comparison."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import FrameType
from typing import Any

import ml_dtypes
import numpy as np
from tests.corpus.__main__ import FOLDERS
from tests.proofs.preconditions import as_asked

from tl_ascend import simulate
from tl_ascend.backends.manifest import Emitted
from tl_ascend.driver.check import Checker, CheckOptions, KernelReport
from tl_ascend.driver.files import Files
from tl_ascend.ir.drawn import drawn, example
from tl_ascend.ir.expr import Expr, Var, free_vars
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import Buffer, Kernel

SIZE = 64  # for what is symbolic
SIZES = (SIZE, 32, 16, 8, 4, 2)  # the first that keeps tensors small
SMALL = 2_000_000  # bytes of tensors
MOST_BYTES = 13_000_000  # of tensors: more takes too long
SECONDS = 40  # of the processor, for an evaluation
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
    last): arrays before, arrays that the evaluation left (None: scratch), numbers."""

    name: str
    report: KernelReport
    before: tuple[Any, ...]
    after: tuple[Any, ...]

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
    """Bytes of all tensors."""
    return _bytes(kernel, symbol_size(kernel))


def _bytes(kernel: Kernel, size: int) -> int:
    return sum(int(np.prod(shape_of(t, size))) * t.dtype.bytes for t in kernel.tensors)


def symbol_size(kernel: Kernel) -> int:
    """The number that every symbolic size has."""
    return next((size for size in SIZES if _bytes(kernel, size) <= SMALL), SIZES[-1])


def shape_of(buffer: Buffer, size: int = SIZE) -> tuple[int, ...]:
    """The shape, with a size for what is symbolic."""
    return tuple(size_number(extent, size) for extent in buffer.shape)


def size_number(extent: Any, size: int = SIZE) -> int:
    """A number for a size."""
    if not isinstance(extent, Expr):
        return int(extent)
    return max(1, int(substitute(extent, dict.fromkeys(free_vars(extent), size))))


# --- inputs and their evaluation --------------------------------------------------------------------


def evaluated(name: str, report: KernelReport, seed: int = 1, least: int = 0) -> Trial | str:
    """A kernel evaluated on random inputs, or why it cannot be tried. `least`: of integers; where
    these are no valid indices, offsets or conditions, others are tried."""
    if report.lowered is None:
        return "it is not lowered"
    if size_of(report.kernel) > MOST_BYTES:
        return f"its tensors have {size_of(report.kernel)} bytes"
    first = ""
    for numbers in (range(least, 4), RAMP, range(1, 2), range(0, 256, 32), range(1)):
        trial = _tame(name, report, seed, numbers)
        if isinstance(trial, Trial):
            return trial
        first = first or trial
        if not first.startswith("its evaluation ends"):
            break
    return first


def _tame(name: str, report: KernelReport, seed: int, numbers: range | str) -> Trial | str:
    """With floats so small that nothing grows beyond what its type holds well, where there are such:
    what overflows or cancels says little."""
    first: Trial | str = ""
    for scale in SCALES:
        trial = _evaluated(name, report, inputs(report.kernel, seed, numbers, scale))
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


def _evaluated(name: str, report: KernelReport, before: list[Any] | str) -> Trial | str:
    if isinstance(before, str):
        return before
    before = as_asked(report.kernel, before)
    arrays = [None if a is None else a.copy() if isinstance(a, np.ndarray) else a for a in before]
    try:
        with in_time(SECONDS):
            simulate.run(report.kernel, *arrays)
    except Late:
        return f"its evaluation takes more than {SECONDS} s"
    except simulate.EvaluationError as error:
        return f"its evaluation ends with {type(error).__name__}: {error}"
    return Trial(name, report, *_with_hidden(report, before, arrays))


def inputs(kernel: Kernel, seed: int, numbers: range | str, scale: float = 1.0) -> list[Any] | str:
    """Small numbers, with fractions where the type has them; None for scratch of the author."""
    random = np.random.default_rng(seed)
    scratch = {at % len(kernel.params) for at in kernel.options.workspace_idx}
    size = symbol_size(kernel)
    found: list[Any] = []
    for at, param in enumerate(kernel.params):
        if isinstance(param.value, Var):
            found.append(1.0 if param.value.dtype.kind == "float" else size)
            continue
        kind = param.value.dtype
        if kind.name.startswith(("float8", "int4")):
            return f"numpy has no {kind.name}"
        drawn = None if at in scratch else _drawn(random, param.value, size, numbers, scale)
        found.append(drawn)
    return found


def _drawn(
    random: np.random.Generator, buffer: Buffer, size: int, numbers: range | str, scale: float
) -> np.ndarray:
    """Floats that every type holds exactly, of which few are equal: a stale one must show."""
    kind, shape = buffer.dtype, shape_of(buffer, size)
    if kind.kind != "float":
        return _integers(random, buffer, shape, size, numbers)
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
    report: KernelReport, before: list[Any], after: list[Any]
) -> tuple[tuple[Any, ...], tuple[Any, ...]]:
    """The arguments with those that lowering adds; scratch as arrays that only have a size."""
    assert report.lowered is not None
    params = report.lowered.params
    for at, param in enumerate(params):
        if at < len(before) and before[at] is not None:
            continue
        assert isinstance(param.value, Buffer)
        shape = shape_of(param.value, symbol_size(report.kernel))
        bits = int(np.prod(shape)) * param.value.dtype.bytes
        room = np.zeros(bits, np.uint8)
        before[at : at + 1], after[at : at + 1] = [room], [None]
    return tuple(before), tuple(after)


def more_numbers(trial: Trial, program: Emitted) -> dict[int, str]:
    """What a program takes behind its parameters, by place: symbolic sizes, and what the host draws."""
    assert trial.report.lowered is not None
    draws = iter(drawn(trial.report.lowered))
    size = symbol_size(trial.kernel)
    return {
        at: str(size) if argument.kind == "dimension" else repr(example(next(draws)))
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


def differences(trial: Trial, found: list[np.ndarray]) -> str:
    """The first tensor that differs."""
    names = (param.name for param in trial.kernel.params)
    wanted = [(n, a) for n, a in zip(names, trial.after, strict=False) if isinstance(a, np.ndarray)]
    rounded = any(tensor.dtype.kind == "float" for tensor in trial.kernel.tensors)
    for (name, want), got in zip(wanted, found, strict=True):
        if text := difference(got, want, rounded):
            return f"{name}, {text}"
    return ""
