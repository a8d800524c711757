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
    """Print the slowest stages, each the better of two runs, and what each stage takes in all."""
    measured = on_deep_stack(lambda: list(_measured(paths)))
    total: Counter[str] = Counter()
    for seconds, name, _ in measured:
        total[name] += seconds
    print("slowest stages (ms of CPU):")
    for seconds, name, place in sorted(measured, reverse=True)[:SHOWN]:
        print(f"{seconds * 1e3:8.1f}  {name:20}  {place}")
    print("each stage over all kernels (s of CPU):")
    for name, seconds in total.most_common():
        print(f"{seconds:8.2f}  {name}")
    over = sum(seconds > LIMIT for seconds, _, _ in measured)
    print(f"{over} stages of {len(measured)} take more than {LIMIT * 1e3:.0f} ms")


def _measured(paths: Sequence[str]) -> Iterator[tuple[float, str, str]]:
    checker, options = Checker(Files()), CheckOptions()
    for path in paths:
        for kernel in checker.check(path, options).kernels:
            if kernel.lowered is not None:
                for name, seconds in _stages(kernel, options).items():
                    yield seconds, name, f"{path} {kernel.name}({kernel.instance[:60]})"


def _stages(kernel: KernelReport, options: CheckOptions) -> dict[str, float]:
    runs = []
    for _ in range(2):
        clock = _Clock()
        lowering = LowerOptions(options.platform, options.upstream)
        lower(kernel.kernel, lowering, Report(), observe=clock.observe)
        runs.append(clock.taken)
    return {name: min(run[name] for run in runs) for name in runs[0]}
