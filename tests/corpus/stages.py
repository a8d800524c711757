"""Which stages of lowering take longest, over all kernels of the corpus."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from tl_ascend.diagnostics.report import Report
from tl_ascend.driver.check import Checker, CheckOptions, KernelReport
from tl_ascend.driver.files import Files
from tl_ascend.driver.stack import on_deep_stack
from tl_ascend.ir.nodes import Kernel
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.pipeline import Stage, lower

SHOWN = 12
LIMIT = 0.050  # seconds; what lies above is listed in docs/benchmarks.md


@dataclass
class _Clock:
    """CPU seconds of each stage of one kernel."""

    taken: dict[str, float] = field(default_factory=dict)
    last: float = field(default_factory=time.process_time)

    def observe(self, stage: Stage, kernel: Kernel) -> None:
        now = time.process_time()
        self.taken[stage.name] = now - self.last
        self.last = now


def show_stages(paths: Sequence[str]) -> None:
    """Print the slowest kernels and stages, each the better of two runs, and what each stage takes in
    all."""
    measured = on_deep_stack(lambda: list(_measured(paths)))
    whole = [(sum(taken.values()), "", place) for place, taken in measured]
    single = [
        (seconds, name, place) for place, taken in measured for name, seconds in taken.items()
    ]
    for title, rows in (("kernels", whole), ("stages", single)):
        print(f"slowest {title} (ms of CPU):")
        for seconds, name, place in sorted(rows, reverse=True)[:SHOWN]:
            print(f"{seconds * 1e3:8.1f}  {name:20}  {place}")
    total: Counter[str] = Counter()
    for seconds, name, _ in single:
        total[name] += seconds
    print("each stage over all kernels (s of CPU):")
    for name, seconds in total.most_common():
        print(f"{seconds:8.2f}  {name}")
    over = sum(seconds > LIMIT for seconds, _, _ in single)
    print(f"{over} stages of {len(single)} take more than {LIMIT * 1e3:.0f} ms")


def _measured(paths: Sequence[str]) -> Iterator[tuple[str, dict[str, float]]]:
    checker, options = Checker(Files()), CheckOptions()
    for path in paths:
        for kernel in checker.check(path, options).kernels:
            if kernel.lowered is not None:
                place = f"{path} {kernel.name}({kernel.instance[:60]})"
                yield place, _stages(kernel, options)


def _stages(kernel: KernelReport, options: CheckOptions) -> dict[str, float]:
    runs = []
    for _ in range(2):
        clock = _Clock()
        lowering = LowerOptions(options.platform, options.upstream)
        lower(kernel.kernel, lowering, Report(), observe=clock.observe)
        runs.append(clock.taken)
    return {name: min(run[name] for run in runs) for name in runs[0]}
