"""Emitted Ascend C and our device templates, type-checked against the real headers of asc-devkit.

    python -m tests.optional.asc_devkit CHECKOUT [FILES..] [--corpus CHECKOUT] [--all] [--json OUT]

CHECKOUT is a checkout of asc-devkit (its include/ and impl/ folders); FILES are kernels, by default our
examples and those of tests/emit. --corpus: those of a checkout of tile-ai/tilelang-ascend, one instance
of each, or with --all every instance. Each program is judged as the vector core sees it and as the cube
core does, without Bisheng: a host's clang++ reads the headers, and what only Bisheng knows is made up
(stubs.py). First, programs that must be refused (data/wrong.cpp) and calls that must be taken
(tests/headers) show that this means something. Exit status 1 where the headers refuse a program.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path

from tests.corpus.values import paths as corpus_paths
from tests.emit.support import INCLUDE
from tests.optional.asc_devkit.headers import CORES, Headers, compiler, kept
from tests.optional.asc_devkit.messages import Message
from tests.optional.asc_devkit.programs import MARK, ROOT, Program, of_paths, ours, unit
from tests.optional.asc_devkit.wrong import accepted, missed

TOGETHER = 16  # programs in a translation unit


def main() -> int:
    """Judge, and print what is refused."""
    arguments = _parser().parse_args()
    why = _missing(arguments.checkout)
    if why:
        print(f"asc-devkit: not run: {why}")
        return 0
    started = time.monotonic()
    checkout = arguments.checkout.resolve()
    folder = kept(checkout)
    cores = [Headers(checkout, core, folder, (INCLUDE,)) for core in CORES]
    complaints = [text for headers in cores for text in (*missed(headers), *accepted(headers))]
    count = 0
    found: dict[str, list[str]] = {}
    with tempfile.TemporaryDirectory() as place:
        for batch in _batches(_chosen(arguments)):
            count += len(batch)
            found |= _judged(cores, batch, Path(place))
    complaints += [f"{name}: {line}" for name, lines in found.items() for line in lines]
    for text in complaints:
        print(text)
    if arguments.json:
        arguments.json.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")
    for headers in cores:
        print(_known(headers))
    seconds = time.monotonic() - started
    print(f"{count} programs, {len(found)} refused, {len(complaints)} errors; {seconds:.0f} s")
    return 1 if complaints else 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tests.optional.asc_devkit", description=__doc__
    )
    parser.add_argument("checkout", nargs="?", type=Path, help="of asc-devkit")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--corpus", type=Path, help="a checkout of upstream")
    parser.add_argument("--match", default="", help="only paths of it that contain this")
    parser.add_argument("--all", action="store_true", help="every instance")
    parser.add_argument("--json", type=lambda name: Path(name).absolute(), help="what was refused")
    return parser


def _missing(checkout: Path | None) -> str:
    if checkout is None:
        return "no checkout of asc-devkit given"
    if not (checkout / "include" / "kernel_operator.h").is_file():
        return f"{checkout} is no checkout of asc-devkit: it has no include/kernel_operator.h"
    return "" if compiler() else "no clang++ of version 18 or later was found"


def _known(headers: Headers) -> str:
    stubs, left = headers.stubs, len(headers.remaining)
    return (
        f"{headers.core}: {len(stubs.functions)} intrinsics, {len(stubs.types)} types and "
        f"{len(stubs.constants)} constants made up; {left} errors remain in the headers"
    )


def _chosen(arguments: argparse.Namespace) -> Iterator[Program]:
    if arguments.files:
        yield from of_paths(arguments.files, arguments.all)
    elif not arguments.corpus:
        os.chdir(ROOT)
        yield from of_paths(ours(), arguments.all)
    if arguments.corpus:
        os.chdir(arguments.corpus)
        paths = [path for path in corpus_paths() if arguments.match in path]
        yield from of_paths(paths, arguments.all)


def _batches(programs: Iterable[Program]) -> Iterator[list[Program]]:
    it = iter(programs)
    while batch := list(islice(it, TOGETHER)):
        yield batch


def _judged(cores: list[Headers], batch: list[Program], place: Path) -> dict[str, list[str]]:
    """What is wrong with each of some programs."""
    source = place / "unit.cpp"
    source.write_text(unit(batch), encoding="utf-8")
    texts = {f"{MARK}{program.name}": program.text.split("\n") for program in batch}
    found: dict[str, list[str]] = {}
    for headers in cores:
        for error in headers.check(source):
            at, row = error.place(MARK)
            line = texts[at][row - 1].strip() if at in texts else ""
            found.setdefault(at.removeprefix(MARK), []).append(_told(headers, error, row, line))
    return found


def _told(headers: Headers, error: Message, row: int, line: str) -> str:
    where = error.path.removeprefix(f"{headers.checkout}/").removeprefix(f"{INCLUDE}/")
    origin = "" if where.startswith(MARK) else f" ({where}:{error.row})"
    return f"{row}: {headers.core}: {error.text}{origin}\n    {line}"


if __name__ == "__main__":
    sys.exit(main())
