"""The IR checker after every stage, for every instance of every kernel."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from tests.harness.stages import lower_verified

from tl_ascend.driver.check import Checker, FileReport, KernelReport, options_for
from tl_ascend.driver.emit import blocks
from tl_ascend.driver.files import Files
from tl_ascend.driver.stack import on_deep_stack
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.summary import unlowered

GOAL = 0.99


@dataclass
class Verified:
    """`unsupported`: instances that are not lowered whole, with the place that says so."""

    lowered: int = 0
    unknown: int = 0
    unsupported: list[str] = field(default_factory=list)
    internal: list[str] = field(default_factory=list)

    @property
    def total(self) -> int:
        return self.lowered + len(self.unsupported) + len(self.internal)


def verify_files(paths: Iterable[str]) -> int:
    """Print the figures. Exit status 1 on an internal error or below the goal."""
    out = Verified()
    on_deep_stack(lambda: [_file(path, out) for path in paths])
    for text in (*out.unsupported, *out.internal):
        print(text)
    share = out.lowered / max(out.total, 1)
    print(
        f"{out.total} instances: {out.lowered} lowered ({share:.1%}), {len(out.unsupported)} "
        f"unsupported, {len(out.internal)} internal errors; {out.unknown} more are not known whole"
    )
    return 1 if out.internal or share < GOAL else 0


def _file(path: str, out: Verified) -> None:
    options = options_for(path)
    report = Checker(Files()).check(path, options)
    for kernel in report.kernels:
        try:
            _instance(path, report, kernel, options.upstream, out)
        except Exception as error:  # what is looked for
            out.internal.append(f"internal: {path} {kernel.name} ({kernel.instance}): {error!r}")


def _instance(
    path: str, report: FileReport, kernel: KernelReport, upstream: str, out: Verified
) -> None:
    if kernel.status != "checked":
        internal = kernel.reason.startswith("internal error")
        out.unknown += not internal
        out.internal += [f"internal: {path} {kernel.name}: {kernel.reason}"] if internal else []
        return
    options = LowerOptions(kernel.platform, upstream)
    lowered, _, problems = lower_verified(kernel.kernel, options)
    name = f"{path} {kernel.name} ({kernel.instance})"
    blockers = [f for f in kernel.findings if blocks(f, lowered)]
    left = unlowered(lowered, kernel.platform)
    if problems or (left and not blockers):
        why = problems[:1] or [f"T.{left[0].op} has no device call, and nothing says why"]
        out.internal.append(f"internal: {name}: {why[0]}")
    elif blockers:
        place = report.range_of(blockers[0].span)
        where = f"{place.path}:{place.start.row}" if place is not None else "no place"
        text = f"unsupported: {name}: {where} {blockers[0].name}: {blockers[0].message}"
        (out.internal if place is None else out.unsupported).append(text)
    else:
        out.lowered += 1
