"""Emitted PTO programs against evaluated kernels, on the public CPU simulator of PTO.

    python -m tests.proofs.pto [FILES..] [--examples] [--kernels] [--count N] [--corpus CHECKOUT]
                               [--json OUT]

Without a choice: our examples and the kernels of tests/emit. FILES: one instance of each of their
kernels. --count: kernels from seeds, whose
programs are built as one, a batch at a time, with their includes above them. --corpus: those of a
checkout of tile-ai/tilelang-ascend, the smallest instance of each. Every program is built against the
template header of upstream and against ours. Prints a line for each kernel and the counts at the end;
--json also writes what came of each, as far as it got. Exit status 1 where a program does
otherwise than its kernel says.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

from tests.corpus.values import Late, stop
from tests.proofs.pto import build, kernels
from tests.proofs.pto.compare import DIFFERS, SKIPPED, Verdict, prove, prove_together
from tests.proofs.pto.wheel import headers

from tl_ascend.driver.check import KernelReport

SECONDS = 180  # for one kernel of upstream


def main() -> int:
    """Prove what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m tests.proofs.pto", description=__doc__)
    parser.add_argument("files", nargs="*")
    parser.add_argument("--examples", action="store_true", help="our examples")
    parser.add_argument("--kernels", action="store_true", help="the kernels of tests/emit")
    parser.add_argument("--count", type=int, default=0, help="so many kernels from seeds")
    parser.add_argument("--batch", type=int, default=20, help="of these at a time")
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--corpus", type=Path, help="a checkout of upstream")
    parser.add_argument("--match", default="", help="only names that contain this")
    parser.add_argument("--headers", default="", choices=("", "upstream", "ours"))
    parser.add_argument("--keep", type=Path, help="where programs and tensors stay")
    parser.add_argument("--json", type=Path, help="where what came of each kernel is written")
    arguments = parser.parse_args()
    out = arguments.json.absolute() if arguments.json else None  # the corpus is seen from inside
    found = headers()
    if isinstance(found, str):
        print(f"proofs: {found}; nothing was proved")
        return 0
    verdicts: list[Verdict] = []
    with tempfile.TemporaryDirectory() as place:
        tools = build.prepared(Path(place), found)
        folder = (arguments.keep or Path(place)).absolute() / "kernels"
        for at, (name, report) in enumerate(_chosen(arguments)):
            if arguments.match in name:
                least = 0 if arguments.corpus else -2
                verdict = _in_time(tools, folder / str(at), name, report, least, arguments.headers)
                verdicts.append(verdict)
                print(verdict, flush=True)
                if out:
                    out.write_text(_json(verdicts), encoding="utf-8")
        for verdict in _generated(tools, folder, arguments):
            verdicts.append(verdict)
            print(verdict, flush=True)
    if out:
        out.write_text(_json(verdicts), encoding="utf-8")
    return _end(verdicts)


def _generated(
    tools: build.Tools, folder: Path, arguments: argparse.Namespace
) -> Iterator[Verdict]:
    """Kernels from seeds, a batch at a time."""
    end = arguments.seed + arguments.count
    for first in range(arguments.seed, end, arguments.batch):
        batch = list(kernels.generated(min(arguments.batch, end - first), first))
        yield from prove_together(tools, folder / f"seeds_{first}", batch, arguments.headers)


def _chosen(arguments: argparse.Namespace) -> Iterator[tuple[str, KernelReport]]:
    nothing = not (arguments.files or arguments.kernels or arguments.count or arguments.corpus)
    yield from kernels.of_files(arguments.files)
    if arguments.examples or nothing:
        yield from kernels.examples()
    if arguments.kernels or (nothing and not arguments.examples):
        yield from kernels.emitted()
    if arguments.corpus is not None:
        yield from kernels.upstream(arguments.corpus, arguments.match)


def _in_time(
    tools: build.Tools, folder: Path, name: str, report: KernelReport, least: int, only: str
) -> Verdict:
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        return prove(tools, folder, name, report, least, only)
    except Late:
        return Verdict(name, SKIPPED, f"takes more than {SECONDS} s")
    finally:
        signal.alarm(0)


def _json(verdicts: list[Verdict]) -> str:
    return json.dumps([asdict(verdict) for verdict in verdicts], indent=1) + "\n"


def _end(verdicts: list[Verdict]) -> int:
    counts = Counter(verdict.kind for verdict in verdicts)
    told = ", ".join(f"{n} {kind}" for kind, n in counts.most_common())
    print(f"{len(verdicts)} tried: {told}")
    return 1 if counts[DIFFERS] else 0


if __name__ == "__main__":
    sys.exit(main())
