"""Proof c: emitted Ascend C programs on the CPU twin, under orders that only flags and barriers limit.

    python -m tests.proofs.ascendc [FILES..] [--corpus CHECKOUT] [--match TEXT] [--count N]
                                   [--seed S] [--seeds 20] [--json OUT] [--go-on]

Kernels of files, of a checkout of tile-ai/tilelang-ascend, or N generated ones. Each is evaluated (proof
a); its program runs under the seeds and must give the same. Exit status 1 where one does not, or does
not compile. A kernel synchronised by hand is `unordered` where it does not, yet does once the compiler
synchronises it: then what is missing is the author's, not ours, and diagnostics must name it. What
--json names is kept as far as it is not proved again.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

from tests.generated.examine import case, checked
from tests.proofs import common, shrink
from tests.proofs.surgery import by_compiler, left_set_by_author
from tests.proofs.twin import UNBUILT, Outcome, Twin

from tl_ascend.backends import registry
from tl_ascend.backends.manifest import Emitted
from tl_ascend.driver.check import KernelReport
from tl_ascend.driver.emit import emit_kernel
from tl_ascend.ir.nodes import AUTO_SYNC

SEEDS = 20
TOGETHER = 12  # programs of a translation unit
Named = tuple[str, KernelReport]


def main() -> int:
    """Prove, and print what does not agree."""
    arguments = _parser().parse_args()
    found: dict[str, dict[str, Any]] = known(arguments.json)
    counts: Counter[str] = Counter()
    kernels = (k for k in chosen(arguments) if not (arguments.go_on and k[0] in found))
    with tempfile.TemporaryDirectory() as folder:
        twin = Twin(Path(folder))
        for some in batches(kernels, TOGETHER):
            for name, report, outcome in proved_all(twin, some, arguments.seeds):
                found[name] = record(report, outcome)
                counts[outcome.kind] += 1
                print(f"{name}: {outcome.text}", flush=True)
            if arguments.json:  # as far as it got: there are many
                arguments.json.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    told = ", ".join(f"{n} {kind}" for kind, n in counts.most_common())
    print(f"{sum(counts.values())} tried: {told}")
    return 1 if counts["differs"] or counts[UNBUILT] else 0


def known(path: Path | None) -> dict[str, dict[str, Any]]:
    """What was written before."""
    return json.loads(path.read_text()) if path is not None and path.exists() else {}


def record(report: KernelReport, outcome: Outcome) -> dict[str, object]:
    """What the report of all proofs reads."""
    return {
        "instance": report.instance,
        "kind": outcome.kind,
        "reason": outcome.reason,
        "seeds": outcome.seeds,
        "agreed": outcome.agreed,
    }


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.proofs.ascendc", description=__doc__)
    add_choice(parser)
    parser.add_argument("--seeds", type=int, default=SEEDS, help="orders for each kernel")
    parser.add_argument("--json", type=Path, help="where what came of each kernel is written")
    parser.add_argument("--go-on", action="store_true", help="without what stands there already")
    return parser


def add_choice(parser: argparse.ArgumentParser) -> None:
    """The arguments that say which kernels are meant."""
    parser.add_argument("files", nargs="*")
    parser.add_argument("--corpus", type=Path, help="a checkout of upstream")
    parser.add_argument("--match", default="", help="only paths that contain this")
    parser.add_argument("--count", type=int, default=0, help="of generated kernels")
    parser.add_argument("--seed", type=int, default=0, help="of the first generated one")


def chosen(arguments: argparse.Namespace) -> Iterator[tuple[str, KernelReport]]:
    """The kernels that arguments choose, by name. Paths of a corpus are as seen from inside of it."""
    if arguments.json is not None:
        arguments.json = arguments.json.absolute()
    yield from of_files(arguments.files)
    if arguments.corpus is not None:
        os.chdir(arguments.corpus)
        yield from of_files(common.corpus_paths(arguments.match))
    yield from generated(range(arguments.seed, arguments.seed + arguments.count))


def of_files(paths: list[str]) -> Iterator[tuple[str, KernelReport]]:
    """One instance of each kernel of some files, by name."""
    for path in paths:
        names: Counter[str] = Counter()
        for report in shrink.instances(path):
            name = report.factory or report.kernel.name
            names[name] += 1
            again = f" no. {names[name]}" if names[name] > 1 else ""
            yield f"{path} {name}{again}", report


def generated(seeds: range) -> Iterator[tuple[str, KernelReport]]:
    """Kernels of the generator, by name."""
    for seed in seeds:
        made = case(seed)
        yield f"seed {seed} ({made.family})", checked(made).kernels[0]


def batches(kernels: Iterator[Named], most: int) -> Iterator[list[Named]]:
    """So many at a time."""
    while some := list(islice(kernels, most)):
        yield some


def proved(twin: Twin, name: str, report: KernelReport, seeds: int, least: int = 0) -> Outcome:
    """What came of one kernel."""
    return next(proved_all(twin, [(name, report)], seeds, least))[2]


def proved_all(
    twin: Twin, kernels: Sequence[Named], seeds: int, least: int = 0
) -> Iterator[tuple[str, KernelReport, Outcome]]:
    """What came of each of some kernels, whose programs are compiled together."""
    tried = [_trial(name, report, least) for name, report in kernels]
    pairs = [one for one in tried if not isinstance(one, str)]
    outcomes = iter(twin.prove_all(pairs, seeds))
    for (name, report), one in zip(kernels, tried, strict=True):
        if isinstance(one, str):
            yield name, report, Outcome(seeds, 0, skipped=one)
        else:
            yield name, report, _judged(twin, one[0], next(outcomes), seeds)


def _trial(name: str, report: KernelReport, least: int) -> tuple[common.Trial, Emitted] | str:
    """A kernel with its program, or why it cannot be tried."""
    program = emit_kernel(report, registry.backend("ascendc"))
    if program.emitted is None:
        return f"it is not emitted: {program.blockers[0].message}"
    trial = common.evaluated(name, report, least=least)
    return trial if isinstance(trial, str) else (trial, program.emitted)


def _judged(twin: Twin, trial: common.Trial, outcome: Outcome, seeds: int) -> Outcome:
    """The outcome; where the synchronisation is the author's, whether only this is wrong. Where the
    compiler adds its own, a diagnostic must name what is."""
    report = trial.report
    told = tuple(named(report))
    if not outcome.wrong or (report.kernel.options.on(AUTO_SYNC) and not told):
        return outcome
    fair = (replace(trial, report=other) for other in by_compiler(report))
    left = all(left_set_by_author(report, why) for _, why in outcome.wrong)
    if not left and not any(_agrees(twin, other, seeds) for other in fair):
        return outcome
    return replace(outcome, by_author=True, named=told)


def _agrees(twin: Twin, trial: common.Trial, seeds: int) -> bool:
    program = emit_kernel(trial.report, registry.backend("ascendc")).emitted
    return program is not None and twin.prove(trial, program, seeds).kind == "agrees"


def named(report: KernelReport) -> Iterator[str]:
    """The mistakes of synchronisation that diagnostics find in a kernel."""
    for finding in report.findings:
        if finding.rule.code.startswith("TL4"):
            yield f"{finding.rule.code} {finding.message}"


if __name__ == "__main__":
    sys.exit(main())
