"""How many faults of synchronisation are found, and what is said of programs that have none.

    python -m tests.checks.sync_mutations [--corpus CHECKOUT] [--verdicts FILE] [--list] [--write FOLDER]

Each flag and barrier of our examples, and of ten kernels of upstream's, is deleted, alone or with its
other half, turned round, renumbered, moved. A mutation counts as harmful where FILE (of `sync_judge`)
says so, or else the oracle of `tests/passes/happens_before.py` and `cores.py`, where it says something
that it does not say of the whole program. Caught: an error or warning that the whole program does not
have; at its place: at the flag, its other half or a statement that the two keep in order; strictly: at
the changed call, or for one that is gone at its other half or what it kept waiting. Exit status 1 where
something is told of a harmless one or of a whole program.
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

from tests.checks.sync_places import Places
from tests.checks.sync_sites import Mutation, mutations
from tests.passes.cores import disorder
from tests.passes.happens_before import Run

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.driver.check import Checker, FileReport, options_for
from tl_ascend.driver.files import Files
from tl_ascend.driver.stack import on_deep_stack
from tl_ascend.ir.effects import form_of
from tl_ascend.ir.expr import Call, Load, walk
from tl_ascend.ir.nodes import Block, CoreScope, For, Kernel, Let, Stmt, TileOp

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
    "examples/sparse_flash_attention/example_sparse_flash_attn_gqa.py",
    "examples/linear_attention_and_rnn/opt_gdn/opt_gdn_wy_fast.py",
    "examples/linear_attention_and_rnn/opt_gdn/opt_gdn_chunk_scaled_dot_kkt.py",
    "examples/lightning_indexer/example_lightning_indexer.py",
    "examples/simple_fusion/matmul_add.py",
)
# Of the oracle, which draws what only the device knows; the second where the first show nothing.
SEEDS, MORE = 2, 16
LIMITS = (4, 64, 128, 256, 512, 1024)  # of numbers in memory, until loops turn so often:
TURNS = 2
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
    """`errors`: by name and place of each instance's findings; `kernels`: as they were lowered."""

    errors: set[tuple[str, int]]
    kernels: list[Kernel]
    known: dict[int, Counter[str]] = field(default_factory=dict)

    def oracle(self, seeds: int) -> Counter[str]:
        """What the oracle says, and under how many seeds."""
        if seeds not in self.known:
            self.known[seeds] = Counter(
                text for kernel in self.kernels for text in _oracle(kernel, seeds)
            )
        return self.known[seeds]

    def against(self, whole: Said, seeds: int) -> list[str]:
        """What the oracle says, and does not, or under fewer seeds, of the whole program."""
        return sorted(self.oracle(seeds) - whole.oracle(seeds))


@dataclass
class Score:
    """By kind of mutation. `placed`: at the flag, its other half, or what the two order; `far`: the
    others; `strict`: at the changed call, or for one that is gone at its half or what it kept waiting.
    `shown`: how many a file of verdicts has judged."""

    harmful: Counter[str] = field(default_factory=Counter)
    caught: Counter[str] = field(default_factory=Counter)
    alone: Counter[str] = field(default_factory=Counter)
    placed: Counter[str] = field(default_factory=Counter)
    strict: Counter[str] = field(default_factory=Counter)
    beside: list[str] = field(default_factory=list)
    far: list[str] = field(default_factory=list)
    shown: int = 0
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
    files = files_of(arguments.corpus)
    score = Score()
    on_deep_stack(lambda: [_file(path, verdicts, arguments.write, score) for path in files])
    _show(score, arguments.list)
    return 1 if score.untrue else 0


def files_of(corpus: Path | None) -> list[Path]:
    """The files that are mutated."""
    files = [ROOT / name for name in OURS]
    return files + ([corpus / name for name in UPSTREAM] if corpus else [])


def key_of(mutation: Mutation) -> str:
    """What a mutation is called in a file of verdicts."""
    return f"{mutation.kind}:{','.join(map(str, mutation.rows))}"


def _file(path: Path, verdicts: dict[str, Any], folder: Path | None, score: Score) -> None:
    text = path.read_text("utf-8")
    print(f"{path.name} ..", file=sys.stderr, flush=True)
    whole = _said(str(path), text)
    places = Places.of_file(str(path), text)
    if whole.errors:
        score.untrue.append(f"{path.name}, whole: {sorted(whole.errors)}")
    for number, mutation in enumerate(mutations(text)):
        if folder is not None:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / f"{path.stem}_{number:03}.py").write_text(mutation.text, "utf-8")
        said = _said(str(path), mutation.text)
        key = key_of(mutation)
        harmful = verdicts.get(path.name, {}).get(key)
        score.shown += harmful is not None
        if harmful is None:
            harmful = any(said.against(whole, seeds) for seeds in (SEEDS, MORE))
        _count(f"{path.name} {key}", mutation, whole, said, harmful, places, score)


def _count(
    name: str,
    mutation: Mutation,
    whole: Said,
    said: Said,
    harmful: bool,
    places: Places,
    score: Score,
) -> None:
    new, near = said.errors - whole.errors, places.of(mutation.rows)
    if harmful:
        score.harmful[mutation.kind] += 1
        score.caught[mutation.kind] += bool(new)
        score.alone[mutation.kind] += len(new) == 1
        score.placed[mutation.kind] += any(row in near for _, row in new)
        strict = places.strict(mutation)
        score.strict[mutation.kind] += any(row in strict for _, row in new)
        if new and not any(row in strict for _, row in new):
            score.beside.append(f"{name}: {sorted(new)}, not one of {sorted(strict)}")
        if new and not any(row in near for _, row in new):
            score.far.append(f"{name}: {sorted(new)}, not one of {sorted(near)}")
        if len(new) > 1:
            score.several.append(f"{name}: {sorted(new)}")
        if not new:
            score.missed.append(f"{name}: {said.against(whole, SEEDS)[:1]}")
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
    for kernel in report.kernels:
        errors |= _errors(report, kernel.findings)
    return Said(errors, [k.lowered for k in report.kernels if k.lowered is not None])


def _errors(report: FileReport, findings: Any) -> set[tuple[str, int]]:
    found = set()
    for finding in findings:
        place = report.range_of(finding.span)
        if finding.name in _CODES and finding.level >= Severity.WARNING and place is not None:
            found.add((finding.name, place.start.row))
    return found


@dataclass
class _Run(Run):
    """With the flags that a template sets and waits for itself: behind what they name before it, and
    the other way round after it. `drawn`: names of what memory holds; `short`: how many loops whose
    length that decides had a single turn, or none."""

    drawn: set[Any] = field(default_factory=set)
    short: int = 0

    def stmt(self, stmt: Stmt) -> None:
        if isinstance(stmt, Let) and self._of_memory(stmt.value):
            self.drawn.add(stmt.var)
        super().stmt(stmt)

    def iterations(self, extent: int, loop: For) -> list[int]:
        self.short += extent < TURNS and self._of_memory(loop.extent)
        return super().iterations(extent, loop)

    def _of_memory(self, value: Any) -> bool:
        return any(isinstance(n, (Call, Load)) or n in self.drawn for n in walk(value))

    def work(self, stmt: Stmt) -> None:
        form = form_of(stmt) if isinstance(stmt, TileOp) else None
        events = form.events if form is not None and form.fill is None else ()
        for _ in range(len(events)):
            for source, target, _number in events:
                self.join(target, self.stamp(source))
        super().work(stmt)
        for source, target, _number in events:
            self.join(target, self.stamp(source))


def _races(kernel: Kernel, body: Block, seed: int) -> Iterator[str]:
    """Of the first of several runs in which loops turn, else of that in which most do."""
    runs = [_run(kernel, body, random.Random(seed), LIMITS[0])]
    for limit in LIMITS[1:]:
        if not runs[-1].short:
            break
        runs.append(_run(kernel, body, random.Random(f"{seed} {limit}"), limit))
    run = min(runs, key=lambda run: run.short)
    yield from run.problems
    if run.flags:
        yield f"flags left set: {sorted(map(str, run.flags))}"


def _run(kernel: Kernel, body: Block, rng: random.Random, limit: int) -> _Run:
    run = _Run(kernel, rng, limit=limit)
    assert kernel.launch is not None
    run.values[kernel.launch.block] = run.values[kernel.launch.subblock] = 0
    run.block(body)
    return run


def _oracle(kernel: Kernel, seeds: int) -> Iterator[str]:
    """Pipes that are not ordered, once for each seed; of one pipe only MTE2 and MTE3 overlap, which
    authors leave open."""
    for body in [s.body for s in kernel.body if isinstance(s, CoreScope)] or [kernel.body]:
        for seed in range(seeds):
            yield from {text for text in _races(kernel, body, seed) if not _one_pipe(text)}
    if any(isinstance(stmt, CoreScope) for stmt in kernel.body):
        yield from set(disorder(kernel))


def _one_pipe(text: str) -> bool:
    first, behind, second = text.partition(" is not behind ")
    return bool(behind) and first.rsplit(" ", 1)[1] == second.rsplit(" ", 1)[1]


def _show(score: Score, every: bool) -> None:
    print("| mutation | harmful | caught | at its place | strictly | by one error | harmless |")
    print("|---|---|---|---|---|---|---|")
    for kind in sorted(score.harmful.keys() | score.harmless.keys()):
        counts = (
            score.harmful,
            score.caught,
            score.placed,
            score.strict,
            score.alone,
            score.harmless,
        )
        print(f"| {kind} | {' | '.join(str(count[kind]) for count in counts)} |")
    total = score.harmful.total()
    print(
        f"{score.caught.total()} of {total} harmful mutations caught, {score.placed.total()} at their "
        f"place, {score.strict.total()} strictly; {len(score.untrue)} errors on harmless ones; "
        f"{score.shown} judged by verdicts"
    )
    by_file: dict[str, int] = defaultdict(int)
    for text in score.missed:
        by_file[text.split(" ", 1)[0]] += 1
        if every:
            print(f"missed: {text}")
    print(f"missed by file: {dict(by_file)}")
    for title, texts in (
        ("several errors", score.several),
        ("elsewhere", score.far),
        ("beside", score.beside),
    ):
        for text in texts if every else ():
            print(f"{title}: {text}")
    for text in score.untrue:
        print(f"untrue: {text}")


if __name__ == "__main__":
    sys.exit(main())
