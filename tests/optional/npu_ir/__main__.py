"""Our memory plan and synchronisation beside those of AscendNPU IR, on the same vector loops.

    python -m tests.optional.npu_ir [FILES..] [--texts FOLDER]

Each kernel of FILES (by default kernels/loops.py here) is given to both as it is before pipelining:
to our stages, and as HIVM text, with the same tiles doubled and the same scratch, to bishengir-opt of
PyPI's ascendnpu-ir, which plans memory and inserts synchronisation. Both results are run. `bytes`: the
least UB in which ours fits; its synchronisation is that of the plan in as much as theirs takes. Pairs
and barriers are those that run. Exit status 1 where ours needs more bytes, or leaves open an order that
theirs keeps and ours needs as well.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

from tests.optional.npu_ir import ours, theirs
from tests.optional.npu_ir.clocks import Clocks, Work
from tests.optional.npu_ir.hivm import Text, Unsaid
from tests.optional.npu_ir.wheel import tool

from tl_ascend.driver.check import Checker, CheckOptions, KernelReport
from tl_ascend.driver.files import Files
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Memory

KERNELS = Path(__file__).parent / "kernels" / "loops.py"
HEAD = ("bytes", "of theirs", "pairs", "theirs", "barriers", "theirs", "orders", "open")


@dataclass(frozen=True)
class Row:
    """One kernel. `orders`: pairs of calls that theirs orders and that touch the same bytes in ours;
    `open`: those of them that ours does not order. `wrong`: what is worse."""

    name: str
    numbers: tuple[int, ...]
    wrong: tuple[str, ...]


def main() -> int:
    """Print the table and judge it."""
    parser = argparse.ArgumentParser(prog="python -m tests.optional.npu_ir", description=__doc__)
    parser.add_argument("files", nargs="*", default=[str(KERNELS)])
    parser.add_argument("--texts", type=Path, help="where what theirs was given and gave is kept")
    arguments = parser.parse_args()
    found = tool()
    if isinstance(found, str):
        print(f"ascendnpu-ir: not run: {found}")
        return 0
    rows = []
    for path in arguments.files:
        for report in Checker(Files()).check(path, CheckOptions(upstream="none")).kernels:
            rows.append(_compared(found, report, arguments.texts))
    _print(rows)
    return 1 if any(row.wrong for row in rows) else 0


def _compared(found: Path, report: KernelReport, keep: Path | None) -> Row:
    name = f"{report.factory} {report.instance}"
    assert report.lowered is not None, f"{name}: {report.reason}"
    plain = ours.before(report)
    try:
        text = Text(plain, ours.turns(report.lowered, plain)).write()
    except Unsaid as what:
        return Row(name, (), (f"not compared: {what}",))
    planned = theirs.planned(found, str(text))
    if keep is not None:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{report.factory}-{report.span.node}.mlir").write_text(f"{text}\n{planned}")
    other = theirs.Theirs(planned)
    fewest = ours.least(report)
    mine = ours.within(report, max(fewest, other.peak))
    assert mine is not None
    return _row(name, fewest, ours.run(mine), other, text.calls, report)


def _row(
    name: str,
    fewest: int,
    mine: ours.Ours,
    other: theirs.Theirs,
    calls: list[Span],
    report: KernelReport,
) -> Row:
    bytes_ = fewest, other.peak
    kept, missing = _orders(mine.told, other.clocks, calls)
    limit = report.platform.memories[Memory.UB].plannable
    wrong = [f"open: {text}" for text in (*missing, *mine.problems)]
    if bytes_[0] > bytes_[1]:
        wrong.append(f"{bytes_[0]} bytes, theirs {bytes_[1]}")
    if max(bytes_) > limit:
        wrong.append(f"more than the {limit} bytes of the UB")
    counts = mine.told.pairs, other.clocks.pairs, mine.told.barriers, other.clocks.barriers
    return Row(name, (*bytes_, *counts, kept, len(missing) + len(mine.problems)), tuple(wrong))


def _orders(mine: Clocks, other: Clocks, calls: list[Span]) -> tuple[int, list[str]]:
    """How many orders that theirs keeps ours needs too, and those of them that it does not keep."""
    first: dict[tuple[object, int], Work] = {}
    last: dict[tuple[object, int], Work] = {}
    for work in mine.work:
        first.setdefault(work.key, work)
        last[work.key] = work
    kept, missing = 0, []
    for at, later in enumerate(other.work):
        for earlier in other.work[:at]:
            if not (later.meets(earlier) and later.after(earlier)):
                continue
            (a, m), (b, n) = ((calls[w.key[0]], w.key[1]) for w in (earlier, later))
            if not first[b, n].meets(last[a, m]):
                continue
            kept += 1
            if not first[b, n].after(last[a, m]):
                missing.append(f"call {later.key} is not behind call {earlier.key}")
    return kept, missing


def _print(rows: list[Row]) -> None:
    print(f"{'kernel':46}" + "".join(f"{word:>11}" for word in HEAD))
    for row in rows:
        print(f"{row.name:46}" + "".join(f"{number:>11}" for number in row.numbers))
        for text in row.wrong:
            print(f"    {text}")


if __name__ == "__main__":
    sys.exit(main())
