"""How many of upstream's public kernels can be evaluated.

    python -m tests.corpus.values CHECKOUT [--files] [--match TEXT]

CHECKOUT is a checkout of tile-ai/tilelang-ascend. Every kernel instance that is checked is evaluated on
small random numbers, its first two blocks only (all, where blocks wait for each other); one that takes
longer than a minute or more than 1 GiB of tensors is left out. Exit status 1 on an exception that is no
`EvaluationError`: that is a bug of ours.
"""

from __future__ import annotations

import argparse
import os
import signal
import sys
import traceback
from collections import Counter
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from tests.corpus.__main__ import FOLDERS

from tl_ascend import simulate
from tl_ascend.driver.check import Checker, KernelReport, options_for
from tl_ascend.driver.files import Files
from tl_ascend.ir.expr import Expr, Var, free_vars
from tl_ascend.ir.fold import substitute
from tl_ascend.ir.nodes import Buffer, Kernel

BLOCKS, SECONDS, MOST_BYTES, SIZE = 2, 20, 1 << 30, 256


class Late(Exception):
    """The time is over."""


def main() -> int:
    """Print one line for each kind of outcome."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.values", description=__doc__)
    parser.add_argument("checkout", type=Path)
    parser.add_argument("--files", action="store_true", help="one line a kernel")
    parser.add_argument("--match", default="", help="only paths that contain this")
    arguments = parser.parse_args()
    os.chdir(arguments.checkout)
    counts: Counter[str] = Counter()
    signal.signal(signal.SIGALRM, stop)
    for path in (p for p in paths() if arguments.match in p):
        for kernel in smallest(path):
            kind, text = _outcome(kernel)
            counts[kind] += 1
            if arguments.files or kind == "bug":
                print(f"{path} {kernel.name} ({kernel.factory}) {kernel.instance}: {kind} {text}")
    for kind, count in counts.most_common():
        print(f"{count:5} {kind}")
    return 1 if counts["bug"] else 0


def stop(number: int, frame: FrameType | None) -> None:
    """What the alarm does."""
    raise Late


def paths() -> list[str]:
    """The files of a checkout, from inside of it."""
    return [str(p) for f in FOLDERS for p in sorted(Path(f).rglob("*.py"))]


def smallest(path: str) -> list[KernelReport]:
    """One instance of each kernel of a file: that with the smallest tensors."""
    found: dict[Any, KernelReport] = {}
    for kernel in Checker(Files()).check(path, options_for(path)).kernels:
        if kernel.status != "checked":
            continue
        known = found.setdefault(kernel.span, kernel)
        if size_of(kernel.kernel) < size_of(known.kernel):
            found[kernel.span] = kernel
    return list(found.values())


def _shape(buffer: Buffer) -> tuple[int, ...]:
    """The shape, with a size for what is symbolic."""
    return tuple(_number(extent) for extent in buffer.shape)


def _number(extent: Any) -> int:
    if not isinstance(extent, Expr):
        return int(extent)
    return max(1, int(substitute(extent, dict.fromkeys(free_vars(extent), SIZE))))


def size_of(kernel: Kernel) -> int:
    """Bytes of all tensors."""
    return sum(int(np.prod(_shape(t))) * t.dtype.bytes for t in kernel.tensors)


def _outcome(report: KernelReport) -> tuple[str, str]:
    kernel = report.kernel
    if size_of(kernel) > MOST_BYTES:
        return "too large", ""
    signal.alarm(SECONDS)
    try:
        simulate.run(kernel, *_arguments(kernel), blocks=BLOCKS)
    except Late:
        return "too slow", ""
    except simulate.EvaluationError as error:
        return type(error).__name__, str(error)
    except Exception as error:
        return "bug", f"{error!r} {traceback.format_exc(limit=-2)}"
    finally:
        signal.alarm(0)
    return "evaluated", ""


def _arguments(kernel: Kernel) -> list[Any]:
    random = np.random.default_rng(1)
    found: list[Any] = []
    for param in kernel.params:
        if isinstance(param.value, Var):
            found.append(1.0 if param.value.dtype.kind == "float" else SIZE)
            continue
        kind, shape = param.value.dtype, _shape(param.value)
        values = random.integers(0, 4, shape)
        plain = {"bool": "bool", "int4": "int8"}.get(kind.name, kind.name)
        has_none = kind.name == "bfloat16" or kind.name.startswith("float8")
        found.append(values.astype("float32" if has_none else plain))
    return found


if __name__ == "__main__":
    sys.exit(main())
