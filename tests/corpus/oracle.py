"""Compare what our compiler makes of upstream's kernels with what upstream's makes of them.

    python -m tests.corpus.oracle CHECKOUT FACTS.json [--sync | --differences | --write]

For every kernel of FACTS.json with an Ascend C program: the memory and the size of each buffer of the
author's, its address where buffers share no memory, and the device calls in order, synchronisation
left out. Every difference must be listed in
tests/corpus/differences.json, under the kind of reason that explains it, and docs/corpus.md holds the
table of kinds. Exit status 1 where one is not listed, or a listed one is gone or another.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from tests.corpus.differences import Listed, read_listed, write_listed
from tests.corpus.facts import Fact, Ours, read_facts
from tests.corpus.synchronisation import show_sync

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.diagnostics.report import Finding
from tl_ascend.driver.check import KernelReport
from tl_ascend.driver.stack import on_deep_stack
from tl_ascend.ir.nodes import Alloc, Kernel, walk_stmts
from tl_ascend.ir.storage import elements, root
from tl_ascend.passes.summary import operations


def main() -> int:
    """Print the comparison and judge it."""
    parser = argparse.ArgumentParser(prog="python -m tests.corpus.oracle", description=__doc__)
    parser.add_argument("checkout", nargs="?", type=Path)
    parser.add_argument("facts", nargs="?", type=Path)
    parser.add_argument("--sync", action="store_true", help="only synchronisation, as a table")
    parser.add_argument("--differences", action="store_true", help="only what differs")
    parser.add_argument("--write", action="store_true", help="list new differences as unexplained")
    arguments = parser.parse_args()
    if arguments.checkout is None or not (arguments.checkout / "examples").is_dir():
        print("oracle: no checkout of tile-ai/tilelang-ascend given; nothing was compared")
        return 2
    if arguments.facts is None or not arguments.facts.is_file():
        print("oracle: no file of facts given; nothing was compared")
        return 2
    facts, ours = read_facts(arguments.facts), Ours(arguments.checkout)
    if arguments.sync:
        return on_deep_stack(lambda: show_sync(facts, lambda fact: best(fact, ours)[0]))
    found = on_deep_stack(lambda: list(_compared(facts, ours)))
    for fact, difference in found:
        if difference or not arguments.differences:
            said = f"differs: {difference}" if difference else "agrees"
            print(f"{fact.example} {fact.kernel}: {said}")
    different = {fact.key: text for fact, text in found if text}
    if arguments.write:
        write_listed(different)
    return _judge(different, len(found), read_listed())


def _compared(facts: Sequence[Fact], ours: Ours) -> Iterator[tuple[Fact, str]]:
    for fact in facts:
        yield fact, best(fact, ours)[1]


def best(fact: Fact, ours: Ours) -> tuple[KernelReport | None, str]:
    """The kernel of ours that is closest to a fact, and the first difference; empty where there is
    none."""
    found: list[tuple[tuple[int, int], list[str], KernelReport]] = []
    for kernel in ours.kernels(fact):
        assert kernel.lowered is not None
        buffers, calls = _buffers(fact, kernel.lowered), _calls(fact, kernel.lowered)
        buffers += [f"{f.name} here" for f in kernel.findings if _overflows(f)]
        differences = [*buffers, *calls]
        if not differences:
            return kernel, ""
        found.append(((len(buffers), len(calls)), differences, kernel))
    if not found:
        return None, "no kernel of ours"
    _, differences, kernel = min(found, key=lambda entry: entry[0])
    return kernel, differences[0]


def _buffers(fact: Fact, kernel: Kernel) -> list[str]:
    """Memories and sizes that differ; buffers that upstream's compiler added have other names."""
    ours = {s.buffer.name: s.buffer for s in walk_stmts(kernel.body) if isinstance(s, Alloc)}
    found = []
    for place in fact.buffers:
        buffer = ours.get(place.name)
        if buffer is None:
            if not place.added:
                found.append(f"{place.name} is in {place.memory} upstream, and nowhere here")
            continue
        here = kernel.place(buffer)
        if here.memory.value != place.memory:
            found.append(f"{place.name} is in {place.memory} upstream, in {here.memory.value} here")
        count = elements(here.shape if root(buffer) is buffer else buffer.shape)
        if count is not None and count != place.elements:
            found.append(f"{place.name} has {place.elements} elements upstream, {count} here")
        elif not fact.planned and here.address not in (None, place.address):
            found.append(f"{place.name} is at {place.address} upstream, at {here.address} here")
    return found


def _overflows(finding: Finding) -> bool:
    return finding.name.endswith("-overflow") and finding.level >= Severity.ERROR


def _calls(fact: Fact, kernel: Kernel) -> list[str]:
    pairs = zip_longest(fact.operations, operations(kernel), fillvalue="nothing")
    return [
        f"call {number} is {theirs} upstream, {mine} here"
        for number, (theirs, mine) in enumerate(pairs, 1)
        if theirs != mine
    ]


def _judge(different: dict[tuple[str, str], str], count: int, listed: Listed) -> int:
    print(f"{count} kernels: {count - len(different)} agree, {len(different)} differ")
    for kind, reason, rows in listed.kinds:
        print(f"{len(rows):4}  {kind}: {reason}")
    complaints = list(listed.complaints(different))
    for text in complaints:
        print(f"oracle: {text}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main())
