"""That proof c can fail: without any one pair of flags or barrier it shows, or the pair is redundant.

    python -m tests.proofs.mutate [FILES..] [--corpus CHECKOUT] [--match TEXT] [--count N] [--seed S]
                                  [--seeds 50] [--most N] [--expert] [--json OUT]

The unmutated program must agree under all seeds. Then each flag (all its sets and waits in the code of a
core, or between cores) and each barrier of the lowered kernel is left out, of the author as well as of
the compiler. Either a seed disagrees or deadlocks, or no two accesses of the program lose their order.
Exit status 1 where neither is so.
"""

from __future__ import annotations

import argparse
import difflib
import json
import sys
import tempfile
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from tests.proofs import common
from tests.proofs.ascendc import add_choice, chosen, known
from tests.proofs.surgery import BARRIERS, BETWEEN, FLAGS, without
from tests.proofs.twin import Program, Twin

from tl_ascend.backends import registry
from tl_ascend.backends.manifest import Emitted
from tl_ascend.diagnostics.report import Report
from tl_ascend.driver.check import KernelReport
from tl_ascend.ir.nodes import Block, CoreScope, Kernel, Stmt, TileOp, blocks_of, walk_stmts
from tl_ascend.ir.text import op_text

SEEDS = 50
FIRST_SEEDS = 4  # before order is looked at
MOST_HELD = 8  # accesses of a mutant, of those that lost their order


@dataclass(frozen=True)
class Mutant:
    """Calls that are left out together."""

    what: str
    calls: frozenset[int]  # by id()


def main() -> int:
    """Mutate, and print what survives."""
    parser = argparse.ArgumentParser(prog="python -m tests.proofs.mutate", description=__doc__)
    add_choice(parser)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="orders for each mutant")
    parser.add_argument("--most", type=int, default=0, help="mutated kernels")
    parser.add_argument("--expert", action="store_true", help="only with flags of their authors")
    parser.add_argument("--json", type=Path, help="where what came of each mutant is written")
    arguments = parser.parse_args()
    found: dict[str, dict[str, str]] = known(arguments.json)
    counts: Counter[str] = Counter()
    mutated_kernels = 0
    kernels = chosen(arguments)
    with tempfile.TemporaryDirectory() as folder:
        twin = Twin(Path(folder))
        for name, report in kernels:
            if arguments.expert and not by_hand(report.kernel):
                continue
            outcomes = mutated(twin, name, report, arguments.seeds)
            if isinstance(outcomes, str):
                print(f"{name}: {outcomes}", flush=True)
                continue
            found[name] = outcomes
            if arguments.json:  # as far as it got: there are many
                arguments.json.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
            kinds = Counter(text.partition(":")[0] for text in outcomes.values())
            counts += kinds
            print(f"{name}: {_told(kinds)}", flush=True)
            for what, text in outcomes.items():
                if text.startswith("survives"):
                    print(f"    without {what}: {text}", flush=True)
            mutated_kernels += 1
            if mutated_kernels == arguments.most:
                break
    print(f"{mutated_kernels} kernels, {_told(counts)}")
    return 1 if counts["survives"] else 0


def by_hand(kernel: Kernel) -> bool:
    """Whether the author sets flags."""
    calls = (stmt for stmt in walk_stmts(kernel.body) if isinstance(stmt, TileOp))
    return any(stmt.op in FLAGS or stmt.op in BETWEEN for stmt in calls)


def _told(counts: Counter[str]) -> str:
    return ", ".join(f"{number} {kind}" for kind, number in sorted(counts.items())) or "no mutants"


def mutated(twin: Twin, name: str, report: KernelReport, seeds: int) -> dict[str, str] | str:
    """Each mutant with what came of it: `shows: seed and how`, `redundant` or `survives`; or why the
    kernel cannot be mutated."""
    lowered = report.lowered
    trial = common.evaluated(name, report)
    if isinstance(trial, str) or lowered is None:
        return f"skipped: {trial}"
    program = emitted(lowered, report)
    mutants = list(mutants_of(lowered))
    if program is None or not mutants:
        return "skipped: no program, or nothing to mutate"
    with twin.built(trial, program) as built:
        if isinstance(built, str):
            return f"skipped: {built}"
        base = built.run(seeds)
        if base.skipped or base.wrong:
            return f"unmutated, {base.text}"
        races = set(built.races())
        return {
            mutant.what: outcome(built, report, program, mutant, seeds, races) for mutant in mutants
        }


def outcome(
    built: Program,
    report: KernelReport,
    program: Emitted,
    mutant: Mutant,
    seeds: int,
    races: set[str],
) -> str:
    """What came of one mutant."""
    assert report.lowered is not None
    kernel = without(report.lowered, mutant.calls)
    changed = emitted(kernel, report)
    lines = None if changed is None else deleted(program.text, changed.text)
    if lines is None:
        return "skipped: more than calls change"
    shown = built.without(lines, 0, FIRST_SEEDS)
    if shown:
        return f"shows: {shown}"
    lost = [race for race in built.disorder(lines) if race.text not in races]
    if not lost:
        return "redundant"
    shown = built.without(lines, FIRST_SEEDS, seeds)
    if shown:
        return f"shows: {shown}"
    harmful = [race for race in lost if race.harms]
    if not harmful:
        return f"redundant: what is written was there already, {lost[0].text}"
    shown = next(filter(None, (built.overtaken(lines, race) for race in harmful[:MOST_HELD])), "")
    return f"shows: {shown}" if shown else f"survives: {harmful[0].text}"


def mutants_of(lowered: Kernel) -> Iterator[Mutant]:
    """Each flag with all of its calls in the code of a core, and each barrier."""
    groups: dict[str, list[Stmt]] = defaultdict(list)
    for core, stmt in _calls(lowered.body, ""):
        text = op_text(stmt)
        if stmt.op in FLAGS:
            where = ", ".join(map(str, stmt.args[:2]))
            groups[f"{core}flag {where}, {_id(stmt, 2)}"].append(stmt)
        elif stmt.op in BETWEEN:
            groups[f"flag between cores {_id(stmt, BETWEEN[stmt.op])}"].append(stmt)
        elif stmt.op in BARRIERS:
            at = sum(key.startswith(f"{core}{text}") for key in groups)
            groups[f"{core}{text} no. {at + 1}"].append(stmt)
    for what, calls in _joined(groups).items():
        yield Mutant(what, frozenset(map(id, calls)))


def _id(stmt: TileOp, at: int) -> str:
    """Ids that are computed are not told apart."""
    value = stmt.args[at] if at < len(stmt.args) else 0
    return str(value) if isinstance(value, int) else "any"


def _joined(groups: dict[str, list[Stmt]]) -> dict[str, list[Stmt]]:
    """A flag with computed ids takes those with known ids along."""
    found: dict[str, list[Stmt]] = {}
    for what, calls in groups.items():
        anyone = f"{what.rpartition(' ')[0]} any"
        known = "flag" in what and anyone in groups
        found.setdefault(anyone if known else what, []).extend(calls)
    return found


def _calls(block: Block, core: str) -> Iterator[tuple[str, TileOp]]:
    for stmt in block:
        inside = f"{stmt.core.value}: " if isinstance(stmt, CoreScope) else core
        if isinstance(stmt, TileOp):
            yield core, stmt
        for nested in blocks_of(stmt):
            yield from _calls(nested, inside)


def emitted(lowered: Kernel, report: KernelReport) -> Emitted | None:
    """The program of a lowered kernel."""
    return registry.backend("ascendc").emit(lowered, report.platform, Report())


def deleted(before: str, after: str) -> list[int] | None:
    """The lines that are missing, counted from 1; None where something else differs."""
    matcher = difflib.SequenceMatcher(None, before.splitlines(), after.splitlines(), autojunk=False)
    found: list[int] = []
    for kind, low, high, _, _ in matcher.get_opcodes():
        if kind == "delete":
            found += range(low + 1, high + 1)
        elif kind != "equal":
            return None
    return found or None


if __name__ == "__main__":
    sys.exit(main())
