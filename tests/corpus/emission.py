"""How many kernel instances of upstream have a program on a route, and why the others have none."""

from __future__ import annotations

from collections import Counter

from tl_ascend.backends import registry
from tl_ascend.driver.check import Checker, CheckOptions, KernelReport
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.driver.files import Files

OTHER = {"pto": "ascendc", "ascendc": "pto"}


def show_emission(paths: list[str], route: str) -> int:
    """Print the figures of a route: of all instances that are checked, and of those that the other route
    has programs for. The status: 1 on an internal error."""
    counts: Counter[str] = Counter()
    refused: Counter[str] = Counter()
    first: dict[str, str] = {}
    for path in paths:
        for kernel in Checker(Files()).check(path, CheckOptions(upstream="none")).kernels:
            if kernel.status != "checked":
                continue
            why, other = _why(kernel, route), _why(kernel, OTHER.get(route, "ascendc"))
            counts["all"] += 1
            counts["emitted"] += not why
            counts["other"] += not other
            counts["both"] += not why and not other
            # What the table says that a route does not have, nor has upstream's.
            counts["lacking"] += f" on route {route}: " in why and not other
            if why:
                refused[why] += 1
                first.setdefault(why, f"{path} {kernel.factory or kernel.name}")
    _print(route, counts)
    for why, count in refused.most_common():
        print(f"{count:5} {first[why]}: {why}")
    return 1 if any(why.startswith("internal-error") for why in refused) else 0


def _why(kernel: KernelReport, route: str) -> str:
    """Why there is no program; empty where there is one."""
    outcome = emit_kernel(kernel, registry.backend(route))
    if outcome.emitted is not None:
        return ""
    found = outcome.blockers[0]
    return f"{found.name}: {found.message}"


def _print(route: str, counts: Counter[str]) -> None:
    part = 100 * counts["emitted"] / max(1, counts["all"])
    print(f"{route}: {counts['emitted']} of {counts['all']} instances emitted ({part:.1f} %)")
    share = 100 * counts["both"] / max(1, counts["other"])
    other = OTHER.get(route, "ascendc")
    print(f"{counts['both']} of {counts['other']} that {other} emits ({share:.1f} %)")
    able = counts["other"] - counts["lacking"]
    print(
        f"{counts['lacking']} of these need an operation that {route} lacks: "
        f"{100 * counts['both'] / max(1, able):.1f} % of the rest"
    )
