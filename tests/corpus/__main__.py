"""How much of upstream's public kernels is understood, and what is said about them.

    python -m tests.corpus CHECKOUT [--files | --stages | --verify | --tir | --emit ROUTE]

CHECKOUT is a checkout of tile-ai/tilelang-ascend at the commit that docs/corpus.md names. Every error
and warning must be listed there with the reason why it is true. Exit status 1 where one is not, where
a listed one is gone, on an internal error, or below the goals.
"""

from __future__ import annotations

import argparse
import ast
import os
import re
import sys
import time
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.corpus.emission import show_emission
from tests.corpus.stages import show_stages
from tests.corpus.tir import show_tir
from tests.corpus.verify import verify_files

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ide.batch import Batch, check_files
from tl_ascend.ide.result import FileResult, KernelSummary

FOLDERS = ("examples", "testing", "benchmark")
GOAL_CALLED, GOAL_ALL = 305, 314
LISTED = re.compile(r"^\| `([^`]+)` \| `([\w-]+)` \|", re.MULTILINE)
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "corpus.md"


@dataclass
class Totals:
    """Counts over the corpus."""

    files: int = 0
    kernels: int = 0
    called: int = 0
    symbolic: int = 0
    instances: int = 0
    missing: list[str] = field(default_factory=list)
    internal: list[str] = field(default_factory=list)
    said: set[tuple[str, str]] = field(default_factory=set)


def main() -> int:
    """Print the table and judge it."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus", description=__doc__)
    parser.add_argument("checkout", nargs="?", type=Path)
    parser.add_argument("--files", action="store_true", help="one line a file")
    parser.add_argument("--stages", action="store_true", help="the slowest stages, nothing else")
    parser.add_argument(
        "--emit", metavar="ROUTE", help="which instances have programs, nothing else"
    )
    parser.add_argument("--cache", action="store_true", help="use results kept on disk")
    parser.add_argument("--verify", action="store_true", help="the IR checker after every stage")
    parser.add_argument("--tir", action="store_true", help="scripts of TVM, and back, nothing else")
    arguments = parser.parse_args()
    if arguments.checkout is None or not (arguments.checkout / "examples").is_dir():
        print("corpus: no checkout of tile-ai/tilelang-ascend given; nothing was checked")
        return 0 if arguments.checkout is None else 2
    os.chdir(arguments.checkout)
    started = time.monotonic()
    paths = [str(p) for f in FOLDERS for p in sorted(Path(f).rglob("*.py"))]
    if arguments.verify:
        return verify_files(paths)
    if arguments.tir:
        return show_tir(paths)
    if arguments.emit:
        return show_emission(paths, arguments.emit)
    if arguments.stages:
        show_stages(paths)
        return 0
    totals = Totals()
    for result in check_files(paths, Batch(cache=arguments.cache)):
        for line in _file(result, totals):
            if arguments.files:
                print(line)
    return _judge(totals, time.monotonic() - started)


def _file(result: FileResult, totals: Totals) -> Iterator[str]:
    totals.files += 1
    totals.instances += len(result.kernels)
    by_row: dict[int, list[KernelSummary]] = defaultdict(list)
    for kernel in result.kernels:
        by_row[kernel.row].append(kernel)
    rows = _prim_funcs(Path(result.path))
    totals.kernels += len(rows)
    for row in rows:
        _count(f"{result.path}:{row}", by_row.get(row, []), totals)
    loud = [d for d in result.diagnostics if d.severity >= Severity.WARNING]
    for found in loud:
        totals.said.add((f"{found.range.path}:{found.range.start.row}", found.name))
    totals.internal += [d.message for d in result.diagnostics if d.name == "internal-error"]
    checked = sum(k.status == "checked" for k in result.kernels)
    yield f"{result.path}: {len(rows)} kernels, {checked}/{len(result.kernels)} instances checked"
    for found in loud:
        yield f"    {found.range.start.row}: {found.severity.label} {found.name}: {found.message}"


def _count(place: str, kernels: list[KernelSummary], totals: Totals) -> None:
    whole = [k for k in kernels if k.status == "checked"]
    if any(k.origin != "symbolic" for k in whole):
        totals.called += 1
    elif whole:
        totals.symbolic += 1
    else:
        reason = kernels[0].reason if kernels else "no instance"
        totals.missing.append(f"{place}: {reason}")


def _prim_funcs(path: Path) -> list[int]:
    """Rows of all functions under `prim_func`."""
    tree = ast.parse(path.read_text("utf-8"))
    found = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    return [n.lineno for n in found if any("prim_func" in ast.unparse(d) for d in n.decorator_list)]


def _judge(totals: Totals, seconds: float) -> int:
    print(
        f"{totals.files} files, {totals.kernels} prim_funcs: {totals.called} whole from real calls, "
        f"{totals.symbolic} more with symbolic sizes; {totals.instances} instances; {seconds:.1f} s"
    )
    for line in totals.missing:
        print(f"not whole: {line}")
    listed = set(LISTED.findall(DOCUMENT.read_text("utf-8")))
    complaints = [f"internal error: {text}" for text in totals.internal]
    complaints += [f"not in docs/corpus.md: {p} {n}" for p, n in sorted(totals.said - listed)]
    complaints += [f"listed but gone: {p} {n}" for p, n in sorted(listed - totals.said)]
    if totals.called < GOAL_CALLED or totals.called + totals.symbolic < GOAL_ALL:
        complaints.append(f"below the goals of {GOAL_CALLED} and {GOAL_ALL} prim_funcs")
    for text in complaints:
        print(f"corpus: {text}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
