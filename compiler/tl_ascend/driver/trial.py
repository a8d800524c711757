"""Run a built kernel on a device and hold what it leaves against the numpy semantics."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isfinite, prod
from pathlib import Path
from typing import Any

import numpy as np

from tl_ascend import simulate
from tl_ascend.backends.manifest import Emitted
from tl_ascend.driver.build import Result
from tl_ascend.driver.check import KernelReport
from tl_ascend.ir.arguments import names_of
from tl_ascend.ir.drawn import drawn, example
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr, Var, free_vars
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import Buffer, Kernel, Param, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.simulate.elements import element
from tl_ascend.source.words import counted
from tl_ascend.toolchain.child import POLL
from tl_ascend.toolchain.launch import Launched, Number, Request, Tensor, launch
from tl_ascend.toolchain.place import Open

EVALUATION_SECONDS = 120.0
DEFAULT_SIZE = 64  # for symbolic sizes that are not given
# Relative differences that rounding explains, by the type of the output.
TOLERANCE = {"float16": 1e-2, "bfloat16": 5e-2, "float32": 1e-3}
_CTYPES = {
    "int8": "c_int8",
    "uint8": "c_uint8",
    "int16": "c_int16",
    "uint16": "c_uint16",
    "int32": "c_int32",
    "uint32": "c_uint32",
    "int64": "c_int64",
    "uint64": "c_uint64",
    "float32": "c_float",
    "float64": "c_double",
    "bool": "c_bool",
}


@dataclass(frozen=True, slots=True)
class Difference:
    """An output against what it should be. `norm`: of the difference by that of what it should be."""

    name: str
    dtype: str
    shape: tuple[int, ...]
    most: float
    norm: float
    unequal: int
    agrees: bool


@dataclass(frozen=True, slots=True)
class Trial:
    """`differences`: of every tensor that the kernel writes; empty with a `reason` where there was
    nothing to compare with, `asked` for or not."""

    launched: Launched
    differences: tuple[Difference, ...]
    reason: str = ""
    asked: bool = True

    @property
    def agrees(self) -> bool:
        """True where the launch, and those that were timed, ended well and no output differs."""
        ended = self.launched.after is not None and not self.launched.why
        known = not self.asked or not self.reason
        return ended and known and all(d.agrees for d in self.differences)


def inputs(kernel: Kernel, sizes: Mapping[str, float], seed: int) -> list[Any]:
    """An argument for each parameter: arrays of small numbers (bfloat16 in float32), numbers.
    `sizes`: of symbolic dimensions and scalars by name. Errors: ValueError."""
    known = names_of(kernel)
    for name in sizes:
        if name not in known:
            there = f"there are: {', '.join(known)}" if known else "it has none"
            raise ValueError(f"the kernel has no size or scalar {name!r}; {there}")
    random = np.random.default_rng(seed)
    try:
        return [_argument(param, sizes, random) for param in kernel.params]
    except MemoryError as error:
        raise ValueError(
            f"its tensors do not fit into the memory of this machine: {error}"
        ) from error


def _argument(param: Param, sizes: Mapping[str, float], random: np.random.Generator) -> Any:
    value = param.value
    if isinstance(value, Var):
        number = sizes.get(param.name, 1)
        if value.dtype.name not in _CTYPES:
            raise ValueError(
                f"{param.name} is a {value.dtype.name}: ctypes cannot pass one by value"
            )
        if value.dtype.kind == "float":
            return float(number)
        if not isfinite(number):
            raise ValueError(f"{param.name} is a {value.dtype.name}, and cannot be {number}")
        return int(number)
    shape = tuple(_size(extent, sizes) for extent in value.shape)
    kind = value.dtype
    if kind.kind == "float":
        numbers = np.rint(random.normal(0, 1, shape).clip(-4, 4) * 64) / 64
        return numbers.astype("float32" if kind.name == "bfloat16" else kind.name)
    if kind.kind == "bool":
        return random.integers(0, 2, shape).astype(bool)
    return random.integers(0, 4, shape).astype(kind.name)


def _size(extent: Any, sizes: Mapping[str, float]) -> int:
    if not isinstance(extent, Expr):
        return int(extent)
    values: dict[Expr, Any] = {var: sizes.get(var.name, DEFAULT_SIZE) for var in free_vars(extent)}
    found = substitute(extent, values)
    if isinstance(found, Expr) or not isfinite(found) or found < 1 or found != int(found):
        raise ValueError(f"a size is {found}: give sizes by --size NAME=VALUE")
    return int(found)


def expected(
    kernel: Kernel,
    arguments: Sequence[Any],
    seconds: float,
    cancelled: Callable[[], bool] = lambda: False,
) -> list[Any] | str:
    """What the numpy semantics leave in the arguments, or why that is not known."""
    after = [a.copy() if isinstance(a, np.ndarray) else a for a in arguments]
    ended: list[str] = []

    def work() -> None:
        try:
            simulate.run(kernel, *after)
            ended.append("")
        except simulate.EvaluationError as error:
            ended.append(f"its evaluation ends with {type(error).__name__}: {error}")
        except MemoryError:
            ended.append("its evaluation in numpy needs more memory than there is")

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    end = time.monotonic() + seconds
    while thread.is_alive() and time.monotonic() < end:
        if cancelled():
            return "its evaluation was cancelled"
        thread.join(POLL)
    if not ended:
        return f"its evaluation in numpy takes more than {seconds:g} s"
    return ended[0] or after


@dataclass(frozen=True, slots=True)
class Launch:
    """How to launch: `device` as the user's torch numbers it, `simulator` instead of a device, `seconds`
    until it is ended; `compare` with the numpy semantics, which may take as many seconds again. `step`
    gets a word about each step, `heard` what is printed, as it comes."""

    place: Open
    python: str
    environment: Mapping[str, str]
    device: int = 0
    simulator: Path | None = None
    warm_up: int = 3
    repeats: int = 10
    seconds: float = 120.0
    compare: bool = True
    cancelled: Callable[[], bool] = lambda: False
    step: Callable[[str], None] = lambda _: None
    heard: Callable[[str], None] = lambda _: None


def run(built: Result, report: KernelReport, how: Launch, arguments: Sequence[Any]) -> Trial:
    """Launch a program on these arguments, then compare: what does not end well costs no evaluation."""
    assert built.lowered is not None and built.emitted is not None and built.built is not None
    library = built.built.library
    assert library is not None
    passed = _passed(report.kernel, built.lowered, built.emitted, arguments)
    function = built.emitted.launch.function
    request = Request(
        library, function, passed, how.device, how.warm_up, how.repeats, how.simulator
    )
    where = "CANN's simulator" if how.simulator is not None else f"device {how.device}"
    how.step(f"running on {where}")
    launched = launch(
        request, how.python, how.environment, how.seconds, how.place, how.cancelled, how.heard
    )
    if launched.after is None or not how.compare:
        return Trial(launched, (), "" if how.compare else "not asked for", how.compare)
    how.step("evaluating in numpy")
    wanted = expected(report.kernel, arguments, EVALUATION_SECONDS, how.cancelled)
    if isinstance(wanted, str):
        return Trial(launched, (), wanted)
    after = dict(zip(_tensors(built.lowered), launched.after, strict=True))
    found = tuple(_compared(report.kernel, wanted, after))
    return Trial(launched, found, "" if found else "it writes no tensor")


def _tensors(kernel: Kernel) -> list[int]:
    return [p.value.uid for p in kernel.params if isinstance(p.value, Buffer)]


def _passed(
    kernel: Kernel, lowered: Kernel, emitted: Emitted, arguments: Sequence[Any]
) -> list[Tensor | Number]:
    """The arguments of the host function: those of the kernel, workspaces that lowering added, and
    symbolic sizes."""
    given = {p.value.uid: a for p, a in zip(kernel.params, arguments, strict=True)}
    sizes = _sizes(kernel, arguments)
    found: list[Tensor | Number] = []
    for param in lowered.params:
        value = param.value
        if isinstance(value, Var):
            found.append(Number(given[value.uid], _CTYPES[value.dtype.name]))
        elif value.uid in given:
            found.append(Tensor(element(value.dtype).encode(given[value.uid]).tobytes()))
        else:
            shape = [int(substitute(extent, sizes)) for extent in value.shape]
            found.append(Tensor(bytes(prod(shape) * value.dtype.bytes)))
    by_name = {var.name: size for var, size in sizes.items() if isinstance(var, Var)}
    numbers = iter(drawn(lowered))
    for extra in emitted.launch.arguments[len(found) :]:
        if extra.kind == "drawn":
            var = next(numbers)
            found.append(Number(example(var), _CTYPES[var.dtype.name]))
        else:
            found.append(Number(by_name[extra.name], "c_int64"))
    return found


def _sizes(kernel: Kernel, arguments: Sequence[Any]) -> dict[Expr, Any]:
    """The values of symbolic dimensions, from the shapes of the arrays."""
    found: dict[Expr, Any] = {}
    for param, argument in zip(kernel.params, arguments, strict=True):
        if isinstance(param.value, Buffer):
            for extent, size in zip(param.value.shape, argument.shape, strict=True):
                if isinstance(extent, Var):
                    found.setdefault(extent, int(size))
    return found


def _compared(
    kernel: Kernel, wanted: Sequence[Any], after: Mapping[int, bytes]
) -> Iterator[Difference]:
    written = {
        root(region.buffer).uid
        for stmt in walk_stmts(kernel.body)
        for region in effect_of(stmt).writes
    }
    scratch = {at % len(kernel.params) for at in kernel.options.workspace_idx}
    for at, (param, want) in enumerate(zip(kernel.params, wanted, strict=True)):
        if isinstance(param.value, Buffer) and param.value.uid in written and at not in scratch:
            kind = element(param.value.dtype)
            cells = np.frombuffer(after[param.value.uid], kind.store).reshape(want.shape)
            yield difference(param.name, param.value.dtype.name, kind.decode(cells), want)


def difference(name: str, dtype: str, have: Any, want: Any) -> Difference:
    """An output against what it should be. Where both are not a number, they are equal."""
    one, other = have.astype(np.float64), want.astype(np.float64)
    same = (one == other) | (np.isnan(one) & np.isnan(other))
    with np.errstate(invalid="ignore"):
        apart = np.where(same, 0.0, np.abs(one - other))
    size = np.linalg.norm(other[np.isfinite(other)].ravel())
    norm = float(np.linalg.norm(apart.ravel()) / size) if size else float(apart.any())
    limit = TOLERANCE.get(dtype, 0.0)
    bound = limit * np.maximum(1.0, np.abs(np.nan_to_num(other)))
    unequal = int(np.count_nonzero(~(apart <= bound)))
    most = float(np.max(apart)) if apart.size else 0.0
    return Difference(name, dtype, tuple(want.shape), most, norm, unequal, unequal == 0)


def summary(name: str, trial: Trial) -> list[str]:
    """What came of a launch, as lines for people."""
    launched = trial.launched
    lines = [f"{name}: {launched.why}"] if launched.why else []
    if launched.after is None:
        return lines
    time = f", median {launched.median:.3f} ms" if launched.median is not None else ""
    lines.append(f"{name} on {launched.device}{time}")
    if trial.reason:
        lines.append(f"  not compared: {trial.reason}")
    for d in trial.differences:
        word = "agrees" if d.agrees else f"DIFFERS in {counted(d.unequal, 'element')}"
        numbers = f"most {d.most:.3g}, norm {d.norm:.3g}"
        lines.append(f"  {d.name} {d.dtype}{list(d.shape)}: {word}, {numbers}")
    return lines
