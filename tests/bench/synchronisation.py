"""What the analysis of synchronisation costs, which runs both halves of a core with all their flags.

    python -m tests.bench.synchronisation FILE [--rounds N] [--root CHECKOUT]

CPU milliseconds of one process, for all kernels of the file, after a first round that makes what other
checks share with it. The goal is for the figure at the best speed (`clock.py`); exit status 1 where it
is missed.
"""

from __future__ import annotations

import argparse
import sys

from tests.bench.clock import HEAD, Taken, at_best, row, timed

from tl_ascend.checks.context import CheckContext
from tl_ascend.checks.sync.missing import synchronisation
from tl_ascend.diagnostics.report import Report
from tl_ascend.driver.check import Checker, KernelReport, options_for
from tl_ascend.driver.files import Files
from tl_ascend.driver.stack import on_deep_stack
from tl_ascend.ir.nodes import Kernel

GOAL = 100.0  # milliseconds that 95 of 100 rounds stay within


def measure(path: str, root: str | None, rounds: int) -> list[Taken]:
    """What each round took."""
    found = Checker(Files(root)).check(path, options_for(path, "A3")).kernels
    kernels = [(report, report.lowered) for report in found if report.lowered is not None]
    if not kernels:
        raise SystemExit(f"{path}: no kernel was lowered")
    return [timed(lambda: [analyse(*kernel) for kernel in kernels])[0] for _ in range(rounds + 1)][
        1:
    ]


def analyse(report: KernelReport, lowered: Kernel) -> Report:
    """What the analysis finds in one kernel."""
    context = CheckContext(report.kernel, lowered, report.platform, Report())
    synchronisation(context)
    return context.report


def main() -> int:
    """Measure, print, judge."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.bench.synchronisation", description=__doc__
    )
    parser.add_argument("file")
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--root", help="folder of the project")
    arguments = parser.parse_args()
    values = on_deep_stack(lambda: measure(arguments.file, arguments.root, arguments.rounds))
    best = min(value.loop for value in values)
    print(HEAD)
    print(row("analysis of synchronisation", values, best, GOAL))
    print(f"\nThe loop took {best:.1f} ms at best.")
    return 0 if at_best(values, best) <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
