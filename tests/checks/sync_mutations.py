"""How many faults of synchronisation are found, and what is said of programs that have none.

    python -m tests.checks.sync_mutations [--corpus CHECKOUT] [--verdicts FILE] [--list] [--write FOLDER]

Each flag and barrier of our examples, and of ten kernels of upstream's, is deleted, alone or with its
other half, turned round, renumbered, moved. A mutation counts as harmful where a judge says so: FILE
(JSON: file name, then `kind:rows`, then true or false), or else the oracle of
`tests/passes/happens_before.py` and `cores.py`: it says something that it does not say of the whole
program. Caught: an error that the whole program does not have. Exit status 1 where an error is told of
a harmless one.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.checks.sync_sites import Mutation, mutations
from tests.passes.cores import disorder
from tests.passes.happens_before import Run

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.driver.check import Checker, FileReport, options_for
from tl_ascend.driver.files import Files
from tl_ascend.driver.stack import on_deep_stack
from tl_ascend.ir.effects import form_of
from tl_ascend.ir.nodes import AUTO_SYNC, CoreScope, Kernel, Stmt, TileOp

ROOT = Path(__file__).resolve().parents[2]
OURS = tuple(
    f"examples/{name}.py" for name in ("flash_attention", "gemm_manual_flags", "vector_add")
)
UPSTREAM = (
    "examples/gemm/example_gemm_intrinsic.py",
    "examples/gemm/example_gemm_intrinsic_persistent.py",
    "examples/elementwise/elementwise_add_pipeline.py",
    "examples/causal_conv1d/causal_conv1d.py",
    "examples/flash_attention/flash_attn_bhsd.py",
    "examples/linear_attention_and_rnn/opt_gdn/opt_gdn_chunk_o.py",
    "examples/linear_attention_and_rnn/opt_gdn/opt_gdn_wy_fast.py",
    "examples/linear_attention_and_rnn/opt_gdn/opt_gdn_chunk_scaled_dot_kkt.py",
    "examples/lightning_indexer/example_lightning_indexer.py",
    "examples/simple_fusion/matmul_add.py",
)
_CODES = (
    "sync-missing",
    "core-race",
    "flag-unmatched",
    "cross-flag-unmatched",
    "flag-id",
    "cross-flag-id",
)


@dataclass
class Said:
    """`errors`: by name and place of each instance's findings; `oracle`: what the oracle says."""

    errors: set[tuple[str, int]]
    oracle: set[str]
    internal: bool = False


@dataclass
class Score:
    """By kind of mutation. `near`: at a line that was changed or right behind it."""

    harmful: Counter[str] = field(default_factory=Counter)
    caught: Counter[str] = field(default_factory=Counter)
    alone: Counter[str] = field(default_factory=Counter)
    harmless: Counter[str] = field(default_factory=Counter)
    missed: list[str] = field(default_factory=list)
    several: list[str] = field(default_factory=list)
    untrue: list[str] = field(default_factory=list)


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.checks.sync_mutations", description=__doc__
    )
    parser.add_argument("--corpus", type=Path)
    parser.add_argument("--verdicts", type=Path)
    parser.add_argument("--list", action="store_true", help="each miss")
    parser.add_argument("--write", type=Path, help="write the mutated programs, for another judge")
    arguments = parser.parse_args()
    verdicts = json.loads(arguments.verdicts.read_text("utf-8")) if arguments.verdicts else {}
    files = [ROOT / name for name in OURS]
    files += [arguments.corpus / name for name in UPSTREAM] if arguments.corpus else []
    score = Score()
    on_deep_stack(lambda: [_file(path, verdicts, arguments.write, score) for path in files])
    _show(score, arguments.list)
    return 1 if score.untrue else 0


def _file(path: Path, verdicts: dict[str, Any], folder: Path | None, score: Score) -> None:
    text = path.read_text("utf-8")
    whole = _said(str(path), text)
    for number, mutation in enumerate(mutations(text)):
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{path.stem}_{number:03}.py").write_text(mutation.text, "utf-8")
        said = _said(str(path), mutation.text)
        key = f"{mutation.kind}:{','.join(map(str, mutation.rows))}"
        harmful = verdicts.get(path.name, {}).get(key)
        if harmful is None:
            harmful = bool(said.oracle - whole.oracle)
        _count(f"{path.name} {key}", mutation, whole, said, harmful, score)


def _count(
    name: str, mutation: Mutation, whole: Said, said: Said, harmful: bool, score: Score
) -> None:
    new = said.errors - whole.errors
    if harmful:
        score.harmful[mutation.kind] += 1
        score.caught[mutation.kind] += bool(new)
        score.alone[mutation.kind] += len(new) == 1
        if len(new) > 1:
            score.several.append(f"{name}: {sorted(new)}")
        if not new:
            score.missed.append(f"{name}: {sorted(said.oracle - whole.oracle)[:1]}")
    else:
        score.harmless[mutation.kind] += 1
        if new:
            score.untrue.append(f"{name}: {sorted(new)}")


def _said(path: str, text: str) -> Said:
    """What is said of a program under a path, whatever lies there."""
    files = Files()
    files.set_text(path, text)
    report = Checker(files).check(path, options_for(path))
    errors: set[tuple[str, int]] = set()
    oracle: set[str] = set()
    for kernel in report.kernels:
        errors |= _errors(report, kernel.findings)
        if kernel.lowered is not None and not kernel.kernel.options.on(AUTO_SYNC):
            oracle |= _oracle(kernel.lowered)
    return Said(errors, oracle)


def _errors(report: FileReport, findings: Any) -> set[tuple[str, int]]:
    found = set()
    for finding in findings:
        place = report.range_of(finding.span)
        if finding.name in _CODES and finding.level >= Severity.WARNING and place is not None:
            found.add((finding.name, place.start.row))
    return found


class _Run(Run):
    """With the flags that a template sets and waits for itself: behind what they name before it, and
    the other way round after it."""

    def work(self, stmt: Stmt) -> None:
        form = form_of(stmt) if isinstance(stmt, TileOp) else None
        events = form.events if form is not None and form.fill is None else ()
        for _ in range(len(events)):
            for source, target, _number in events:
                self.join(target, self.stamp(source))
        super().work(stmt)
        for source, target, _number in events:
            self.join(target, self.stamp(source))


def _races(kernel: Kernel) -> Iterator[str]:
    for body in [s.body for s in kernel.body if isinstance(s, CoreScope)] or [kernel.body]:
        for seed in range(2):
            run = _Run(kernel, random.Random(seed))
            assert kernel.launch is not None
            run.values[kernel.launch.block] = run.values[kernel.launch.subblock] = 0
            run.block(body)
            yield from run.problems
            if run.flags:
                yield f"flags left set: {sorted(map(str, run.flags))}"


def _oracle(kernel: Kernel) -> set[str]:
    """Pipes that are not ordered; of one pipe only MTE2 and MTE3 overlap, which authors leave open."""
    said = {text for text in _races(kernel) if not _one_pipe(text)}
    if any(isinstance(stmt, CoreScope) for stmt in kernel.body):
        said |= set(disorder(kernel))
    return said


def _one_pipe(text: str) -> bool:
    first, behind, second = text.partition(" is not behind ")
    return bool(behind) and first.rsplit(" ", 1)[1] == second.rsplit(" ", 1)[1]


def _show(score: Score, every: bool) -> None:
    print("| mutation | harmful | caught | by one error | harmless |")
    print("|---|---|---|---|---|")
    for kind in sorted(score.harmful.keys() | score.harmless.keys()):
        counts = (score.harmful, score.caught, score.alone, score.harmless)
        print(f"| {kind} | {' | '.join(str(count[kind]) for count in counts)} |")
    total = score.harmful.total()
    print(
        f"{score.caught.total()} of {total} harmful mutations caught; "
        f"{len(score.untrue)} errors on harmless ones"
    )
    by_file: dict[str, int] = defaultdict(int)
    for text in score.missed:
        by_file[text.split(" ", 1)[0]] += 1
        if every:
            print(f"missed: {text}")
    print(f"missed by file: {dict(by_file)}")
    for text in score.several if every else ():
        print(f"several errors: {text}")
    for text in score.untrue:
        print(f"untrue: {text}")


if __name__ == "__main__":
    sys.exit(main())
