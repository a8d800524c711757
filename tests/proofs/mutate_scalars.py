"""That proofs b and c can fail: with one scalar expression of a program changed they show it.

    python -m tests.proofs.mutate_scalars [FILES..] [--corpus CHECKOUT] [--match TEXT] [--count N]
                                          [--seed S] [--route ascendc] [--most N] [--json OUT]

The unmutated program must agree. Then one expression of the lowered kernel at a time is another one: an
operand is dropped, two are swapped, a number is off by one. What a program computes is compared with the
evaluation of the kernel as it was. A mutant is *seen*, or *refused* (it has no program), or *the same*
(its program, or all values of the expression for these inputs), or it *survives*.
Exit status 1 where one survives.
"""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path
from typing import Any

from tests.proofs import common, sizes
from tests.proofs.ascendc import add_choice, batches, chosen, known
from tests.proofs.pto import build
from tests.proofs.pto.compare import Prepared, ran_together
from tests.proofs.pto.wheel import Headers, headers
from tests.proofs.surgery import BARRIERS, BETWEEN, FLAGS
from tests.proofs.twin import Twin

from tl_ascend.backends import registry
from tl_ascend.backends.manifest import Emitted
from tl_ascend.diagnostics.report import Report
from tl_ascend.driver.check import KernelReport, on_route
from tl_ascend.ir.expr import Binary, Compare, Expr, Logic, Select
from tl_ascend.ir.fold import binary, compare
from tl_ascend.ir.nodes import Kernel, Stmt, Store, TileOp
from tl_ascend.ir.rewrite import Rewriter
from tl_ascend.ir.text import show

SEEDS = 2  # of which each has other numbers in what nothing wrote
TOGETHER = 12  # programs of a translation unit
OTHER = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
SWAPPED = ("-", "/", "//", "%", "<<", ">>", "**")
EXCHANGED = {"min": "max", "max": "min", "+": "-"}
ORDERING = (*FLAGS, *BETWEEN, *BARRIERS)


@dataclass(frozen=True)
class Mutant:
    """A kernel with one expression changed."""

    what: str
    kernel: Kernel


class Numbered(Rewriter):
    """Changes the expression of one number, in one way. `found`: what could be changed, by number."""

    def __init__(self, number: int = -1, way: int = 0) -> None:
        self.number, self.way = number, way
        self.found: list[list[tuple[str, Any]]] = []
        self.where = ""

    def head(self, stmt: Stmt) -> Stmt:
        if isinstance(stmt, TileOp) and stmt.op in ORDERING:
            return stmt
        self.where = stmt.op if isinstance(stmt, TileOp) else type(stmt).__name__
        if isinstance(stmt, Store):  # its place is no value
            indices = tuple(map(self.expr, stmt.indices))
            return replace(stmt, indices=indices, value=self.expr(stmt.value))
        return super().head(stmt)

    def expr(self, value: Any) -> Any:
        ways = [] if isinstance(value, bool) else list(changes(value))
        if not ways:
            return super().expr(value)
        self.found.append([(f"{self.where}: {show(value)} is {w}", new) for w, new in ways])
        if len(self.found) - 1 == self.number:
            return ways[self.way][1]
        return super().expr(value)


def main() -> int:
    """Change expressions, and print what survives."""
    parser = argparse.ArgumentParser(prog="python -m tests.proofs.mutate_scalars")
    add_choice(parser)
    parser.add_argument("--route", default="ascendc", choices=("ascendc", "pto"))
    parser.add_argument("--most", type=int, default=0, help="mutated kernels")
    parser.add_argument("--json", type=Path, help="where what came of each mutant is written")
    arguments = parser.parse_args()
    found: dict[str, dict[str, str]] = known(arguments.json)
    counts: Counter[str] = Counter()
    mutated_kernels = 0
    with tempfile.TemporaryDirectory() as folder:
        machine = _machine(arguments.route, Path(folder))
        for name, report in chosen(arguments):
            outcomes = machine if isinstance(machine, str) else mutated(machine, name, report)
            if isinstance(outcomes, str):
                print(f"{name}: {outcomes}", flush=True)
                continue
            found[name] = outcomes
            if arguments.json:
                arguments.json.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
            counts += tell(name, outcomes)
            mutated_kernels += 1
            if mutated_kernels == arguments.most:
                break
    print(f"{mutated_kernels} kernels, {dict(counts)}")
    return 1 if counts["survives"] else 0


def tell(name: str, outcomes: dict[str, str]) -> Counter[str]:
    """A line for a kernel, and for each mutant that survives."""
    kinds = Counter(text.partition(":")[0] for text in outcomes.values())
    print(f"{name}: {', '.join(f'{number} {kind}' for kind, number in sorted(kinds.items()))}")
    for what, text in outcomes.items():
        if text.startswith("survives"):
            print(f"    {what}: {text}", flush=True)
    return kinds


class Machine:
    """Runs programs of one route, several at a time."""

    route = ""

    def wrong(self, trial: common.Trial, programs: list[Emitted]) -> list[str]:
        """What is wrong with each; empty where it agrees."""
        raise NotImplementedError


class OnTwin(Machine):
    """The CPU twin. In few orders: this is about numbers."""

    route = "ascendc"

    def __init__(self, folder: Path) -> None:
        self.twin = Twin(folder)

    def wrong(self, trial: common.Trial, programs: list[Emitted]) -> list[str]:
        outcomes = self.twin.prove_all([(trial, program) for program in programs], SEEDS)
        return [outcome.reason for outcome in outcomes]


class OnSimulator(Machine):
    """The simulator of PTO, with our header."""

    route = "pto"

    def __init__(self, folder: Path, found: Headers) -> None:
        self.folder, self.count = folder, 0
        self.tools = build.prepared(folder, found)

    def wrong(self, trial: common.Trial, programs: list[Emitted]) -> list[str]:
        self.count += 1
        launch = trial.kernel.launch
        blocks = sizes.number(launch.blocks, trial.sizes) if launch is not None else 0
        made = [Prepared(trial, program, blocks) for program in programs]
        wrong = ran_together(self.tools, self.folder / str(self.count), made, "ours")
        return [one["ours"] for one in wrong]


def _machine(route: str, folder: Path) -> Machine | str:
    if route == "ascendc":
        return OnTwin(folder)
    found = headers()
    return found if isinstance(found, str) else OnSimulator(folder, found)


def mutated(
    machine: Machine, name: str, report: KernelReport, share: int = 1
) -> dict[str, str] | str:
    """Each mutant with what came of it, or why the kernel cannot be mutated. `share`: every so many."""
    report = on_route(report, machine.route)
    trial = common.evaluated(name, report)
    if isinstance(trial, str) or report.lowered is None:
        return f"skipped: {trial}"
    own = emitted(machine.route, report.lowered, report)
    if own is None:
        return "skipped: it is not emitted"
    if text := machine.wrong(trial, [own])[0]:
        return f"unmutated, {text}"
    found: dict[str, str] = {}
    programs: list[tuple[str, Emitted]] = []
    for mutant in islice(mutants(report.lowered), 0, None, share):
        program = emitted(machine.route, mutant.kernel, report)
        if program is None:
            found[mutant.what] = "refused"
        elif program.text == own.text:
            found[mutant.what] = "the same"
        else:
            programs.append((mutant.what, program))
    for some in batches(iter(programs), TOGETHER):
        texts = machine.wrong(trial, [program for _, program in some])
        found |= {
            what: f"seen: {text}" if text else f"survives: {apart(own.text, program.text)}"
            for (what, program), text in zip(some, texts, strict=True)
        }
    return found


def apart(before: str, after: str) -> str:
    """The first line that is another one, both ways."""
    lines = zip(before.splitlines(), after.splitlines(), strict=False)
    was, now = next((a, b) for a, b in lines if a != b)
    return f"{was.strip()} is {now.strip()}"


def mutants(lowered: Kernel) -> Iterator[Mutant]:
    """Each expression changed in each way, the same text once."""
    every = Numbered()
    every.block(lowered.body)
    seen: Counter[str] = Counter()
    for number, ways in enumerate(every.found):
        for way, (what, _) in enumerate(ways):
            seen[what] += 1
            body = Numbered(number, way).block(lowered.body)
            yield Mutant(f"{what} (no. {seen[what]})", replace(lowered, body=body))


def emitted(route: str, lowered: Kernel, report: KernelReport) -> Emitted | None:
    """The program; None where there can be none."""
    try:
        return registry.backend(route).emit(lowered, report.platform, Report())
    except Exception:  # mutants are no kernels that lowering would give
        return None


def changes(value: Any) -> Iterator[tuple[str, Any]]:
    """What an expression may be instead."""
    if isinstance(value, Binary):
        made = list(_of_binary(value))
    elif isinstance(value, Compare):
        made = [compare(OTHER[value.op], value.a, value.b)]
    elif isinstance(value, Logic):
        made = list(value.operands) if len(value.operands) > 1 else []
    elif isinstance(value, Select):
        made = [value.then, value.other]
    elif isinstance(value, (int, float)):
        made = [
            value - 1 if value > 1 else value + 1
        ]  # more than there is may lie in what is unused
    elif isinstance(value, Expr) and value.dtype.kind in ("int", "uint", "float"):
        made = [binary("+", value, 1)]
    else:
        made = []
    for new in made:
        yield show(new), new


def _of_binary(value: Binary) -> Iterator[Any]:
    yield value.a
    yield value.b
    if value.op in SWAPPED:
        yield binary(value.op, value.b, value.a)
    if value.op in EXCHANGED:
        yield binary(EXCHANGED[value.op], value.a, value.b)


if __name__ == "__main__":
    sys.exit(main())
