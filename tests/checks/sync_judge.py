"""Which mutations of synchronisation do harm, as the CPU twin shows it.

    python -m tests.checks.sync_judge [--corpus CHECKOUT] [--each 12] [--seeds 50] --json FILE

Of each kernel that `sync_mutations` damages, and that the twin can run whole, so many mutants are
drawn, always the same ones. Harmful: under some seed the program gives other numbers, stops for ever
or leaves a flag set, or accesses lose their order. A mutant of a smaller instance, in which loops turn
less than twice, is never called harmless. FILE is for `sync_mutations --verdicts FILE`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from tests.checks.sync_mutations import TURNS, files_of, key_of
from tests.checks.sync_sites import Mutation, mutations
from tests.proofs import common, shrink
from tests.proofs.mutate import emitted
from tests.proofs.twin import Program, Twin

from tl_ascend.driver.check import Checker, KernelReport, options_for
from tl_ascend.driver.files import Files
from tl_ascend.ir.nodes import For, walk_stmts
from tl_ascend.source.span import Span


def main() -> int:
    """Judge, and write the verdicts."""
    parser = argparse.ArgumentParser(prog="python -m tests.checks.sync_judge", description=__doc__)
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--each", type=int, default=12, help="mutants of each kernel")
    parser.add_argument("--seeds", type=int, default=50, help="orders for each mutant")
    parser.add_argument("--json", type=Path, required=True)
    arguments = parser.parse_args()
    found: dict[str, dict[str, bool]] = {}
    with tempfile.TemporaryDirectory() as folder:
        twin = Twin(Path(folder))

        def one(path: Path) -> None:
            verdicts = judged(twin, path, arguments.each, arguments.seeds)
            if isinstance(verdicts, str):
                print(f"{path.name}: {verdicts}", flush=True)
                return
            found[path.name] = verdicts
            harmful = sum(verdicts.values())
            print(f"{path.name}: {harmful} of {len(verdicts)} mutants do harm", flush=True)
            arguments.json.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")

        for path in files_of(arguments.corpus):
            one(path)
    return 0


def judged(twin: Twin, path: Path, each: int, seeds: int) -> dict[str, bool] | str:
    """By mutation, whether it does harm; or why nothing can be said."""
    reports = shrink.instances(str(path))
    if len(reports) != 1:
        return "skipped: not one kernel"
    (whole,) = reports
    trial = common.evaluated(path.name, whole)
    if isinstance(trial, str):
        return f"skipped: {trial}"
    with _program(twin, trial, whole) as built:
        if isinstance(built, str):
            return f"skipped: {built}"
        base = built.run(seeds)
        if base.skipped or base.wrong:
            return f"unmutated, {base.text}"
        known = _races(built)
    found, telling = {}, _telling(path, whole)
    for mutation in drawn(path.read_text("utf-8"), path.name, each):
        harmful = _harmful(twin, trial, path, whole, mutation, seeds, known)
        if harmful or (harmful is not None and telling):
            found[key_of(mutation)] = harmful
    return found


def _telling(path: Path, whole: KernelReport) -> bool:
    """True where the loops turn that turn in the file's own instances."""
    short = {span for span, extent in _lengths(whole) if extent < TURNS}
    own = Checker(Files()).check(str(path), options_for(str(path))).kernels
    return not any(
        span in short and extent >= TURNS for report in own for span, extent in _lengths(report)
    )


def _lengths(report: KernelReport) -> Iterator[tuple[Span, int]]:
    """The loops of a kernel whose lengths are numbers."""
    for stmt in walk_stmts(report.kernel.body):
        if isinstance(stmt, For) and isinstance(stmt.extent, int):
            yield stmt.span, stmt.extent


def drawn(text: str, name: str, each: int) -> list[Mutation]:
    """So many mutations of a file, in their order, the same ones each time."""
    every = list(mutations(text))
    chosen = random.Random(name).sample(range(len(every)), min(each, len(every)))
    return [every[at] for at in sorted(chosen)]


def _harmful(
    twin: Twin,
    trial: common.Trial,
    path: Path,
    whole: KernelReport,
    mutation: Mutation,
    seeds: int,
    known: set[str],
) -> bool | None:
    """None where the mutant is no program."""
    report = _report(path, mutation.text, whole)
    if report is None or report.lowered is None:
        return None
    with _program(twin, replace(trial, report=report), report) as built:
        if isinstance(built, str):
            return None
        return bool(built.run(seeds).wrong or _races(built) - known)


def _report(path: Path, text: str, whole: KernelReport) -> KernelReport | None:
    """The same instance of a mutated file."""
    files = Files()
    files.set_text(str(path), text)
    options = options_for(str(path))
    if whole.factory:
        stated = {f"{path.name}:{whole.factory}": (whole.instance,)}
        project = replace(options.project, root=path.resolve().parent, stated=stated)
        options = replace(options, project=project)
    reports = Checker(files).check(str(path), options).kernels
    same = (r for r in reports if (r.factory, r.instance) == (whole.factory, whole.instance))
    return next(same, None)


@contextmanager
def _program(twin: Twin, trial: common.Trial, report: KernelReport) -> Iterator[Program | str]:
    assert report.lowered is not None
    program = emitted(report.lowered, report)
    if program is None:
        yield "it is not emitted"
        return
    with twin.built(trial, program) as built:
        yield built


def _races(built: Program) -> set[str]:
    """Accesses that nothing orders, without the places of the lines."""
    return set(_without_lines(built.races()))


def _without_lines(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield " ".join(word for word in text.split() if not word.strip("():,;").isdigit())


if __name__ == "__main__":
    sys.exit(main())
