"""The compiler's own synchronisation, executed.

    python -m tests.checks.sync_output CHECKOUT

For every instance of upstream's kernels that leaves the flags of a core to the compiler: pairs of
accesses that nothing orders, waits that nobody ends, sets that nobody waits for. Exit status 1 where
there is one within a core. Between cores the flags are the author's, unless those are automatic, too:
those are shown.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tl_ascend.checks.sync.events import PIPES
from tl_ascend.checks.sync.execute import execute, loose_pairs
from tl_ascend.checks.sync.halves import lost_sets
from tl_ascend.checks.sync.outcome import Pair
from tl_ascend.checks.sync.stuck import starved
from tl_ascend.checks.sync.words import Words
from tl_ascend.driver.check import Checker, KernelReport, options_for
from tl_ascend.driver.files import Files
from tl_ascend.driver.stack import on_deep_stack
from tl_ascend.ir.nodes import AUTO_CV_SYNC, AUTO_SYNC, Kernel

FOLDERS = ("examples", "testing", "benchmark")


@dataclass
class Totals:
    """`bugs`: of the compiler; `authors`: between cores."""

    instances: int = 0
    seconds: float = 0.0
    slowest: tuple[float, str] = (0.0, "")
    bugs: dict[str, None] = field(default_factory=dict)
    authors: dict[str, None] = field(default_factory=dict)


def main() -> int:
    """Print what is found."""
    if len(sys.argv) != 2:
        print(__doc__)
        return 2
    os.chdir(sys.argv[1])
    totals = Totals()
    paths = [str(p) for f in FOLDERS for p in sorted(Path(f).rglob("*.py"))]
    on_deep_stack(lambda: [_file(path, totals) for path in paths])
    print(
        f"{totals.instances} instances with automatic synchronisation: {len(totals.bugs)} findings "
        f"within a core, {len(totals.authors)} between cores whose flags are the author's; "
        f"{totals.seconds:.1f} s of CPU, the slowest {1000 * totals.slowest[0]:.0f} ms "
        f"({totals.slowest[1]})"
    )
    for text in totals.bugs:
        print(f"bug: {text}")
    for text in totals.authors:
        print(f"author's flags: {text}")
    return 1 if totals.bugs else 0


def _file(path: str, totals: Totals) -> None:
    for report in Checker(Files()).check(path, options_for(path)).kernels:
        if report.lowered is not None and report.kernel.options.on(AUTO_SYNC):
            _kernel(path, report, report.lowered, totals)


def _kernel(path: str, report: KernelReport, kernel: Kernel, totals: Totals) -> None:
    totals.instances += 1
    begin = time.process_time()
    found = execute(kernel)
    taken = time.process_time() - begin
    totals.seconds += taken
    totals.slowest = max(totals.slowest, (taken, f"{path} {report.name}"))
    words = Words(kernel)
    for runs in found.groups:
        for pair in loose_pairs(runs):
            across = pair.cores[0] != pair.cores[1]
            authors = across and not kernel.options.on(AUTO_CV_SYNC)
            into = totals.authors if authors else totals.bugs
            into[f"{path} {report.name}: {_shown(pair, words)}"] = None
    for half in (*starved(found, kernel), *lost_sets(found, kernel)):
        totals.bugs[f"{path} {report.name}: {half.text}"] = None


def _shown(pair: Pair, words: Words) -> str:
    def side() -> Iterator[str]:
        for event, access, pipe in zip(
            (pair.before, pair.after), (pair.first, pair.second), pair.pipes, strict=True
        ):
            does = "writes" if access.write else "reads"
            yield f"{words.of(event.stmt)} on {PIPES[pipe].value} {does} {access.buffer.name}"

    return ", then ".join(side())


if __name__ == "__main__":
    sys.exit(main())
