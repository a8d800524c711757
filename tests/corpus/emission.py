"""How many kernel instances of upstream have a program on a route, and why the others have none."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from tl_ascend.backends import registry
from tl_ascend.driver.check import Checker, CheckOptions, KernelReport
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.driver.files import Files

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "corpus.md"
LISTED = re.compile(r"^\| (\w+) \| `([\w-]+)` \| (\d+) \|", re.MULTILINE)
OTHER = {"pto": "ascendc", "ascendc": "pto"}


def show_emission(paths: list[str], route: str) -> int:
    """Print the figures of a route: of all instances that are checked, and of those that the other route
    has programs for. The status: 1 on an internal error, or where docs/corpus.md says otherwise of why
    there are none on either route."""
    counts: Counter[str] = Counter()
    causes: Counter[tuple[str, str]] = Counter()
    refused: Counter[str] = Counter()
    first: dict[str, str] = {}
    for path in paths:
        for kernel in Checker(Files()).check(path, CheckOptions(upstream="none")).kernels:
            if kernel.status != "checked":
                continue
            why, other = _why(kernel, route), _why(kernel, OTHER.get(route, "ascendc"))
            counts["all"] += 1
            for where, said in ((route, why), (OTHER.get(route, "ascendc"), other)):
                causes[where, said.partition(":")[0]] += bool(said)
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
    internal = any(why.startswith("internal-error") for why in refused)
    complaints = list(_undocumented(+causes, DOCUMENT.read_text("utf-8")))
    for text in complaints:
        print(f"corpus: {text}")
    return 1 if internal or complaints else 0


def _undocumented(causes: Counter[tuple[str, str]], document: str) -> Iterator[str]:
    """Where the table of the document has other causes or counts than were found."""
    listed = Counter({(row[1], row[2]): int(row[3]) for row in LISTED.finditer(document)})
    for route, cause in sorted({*causes, *listed}):
        found, told = causes[route, cause], listed[route, cause]
        if found != told:
            yield f"{route}: {found} instances for {cause}, and docs/corpus.md says {told}"


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
