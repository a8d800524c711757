"""Write docs/proofs.md: what the proofs say of upstream's kernels.

    python -m tests.proofs.report --c ASCENDC.json [--b PTO.json] [--mutants MUTANTS.json]

The files are what `python -m tests.proofs.ascendc`, `.pto` and `.mutate` write with
`--corpus CHECKOUT --json FILE`.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from tests.proofs.pto.compare import UPSTREAM

DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "proofs.md"
MOST = 100  # characters of a reason
GOOD = ("agrees", "evaluated", "unordered", UPSTREAM)
MUTANT_KINDS = ("shows", "redundant", "writes the same", "survives")

HEAD = """\
# Proofs

A kernel is right when independent executions of it agree. This page is written by `python -m
tests.proofs.report`; the kernels are those of a checkout of tile-ai/tilelang-ascend at 95acbd7f,
the smallest instance of each, with a cap on its sizes where it is large.

| proof | what runs |
|---|---|
| a | the evaluated kernel, by numpy (`tl_ascend.evaluate`) |
| b | the emitted PTO program, on the public CPU simulator of PTO (`python -m tests.proofs.pto`) |
| c | the emitted Ascend C program, on our CPU twin of the API (`python -m tests.proofs.ascendc`) |

In proof b the device part of a program is compiled unchanged by the host's compiler; what the
simulator does otherwise than the device is mended around it (`tests/proofs/pto/data/`): bfloat16,
for which it has float16 where the compiler has no such type, is a class there; it fills up halves
with 0 for infinity; a division by a scalar fills its result first, as on A2 and A3. Its pipes run in
the order of the program, so it shows no missing flag. Programs that meet what is known to be wrong
in upstream's header (`tests/proofs/pto/faults.py`: a last part of K that is no whole step) are not
counted where it differs and ours agrees. `python -m tests.proofs.pto --count N` proves generated
kernels.

Inputs hold what rows of operations ask of operands (`Param.values`, `tests/proofs/preconditions.py`):
runs to merge come sorted, bases of powers are positive, offsets are those of whole elements or blocks.

In proof c every call is queued on its pipe; a seed chooses what runs next, limited only by flags,
barriers and what the scalar unit waits for. A call reads when it starts and its results appear
later, maybe piece by piece, so that calls of one pipe overlap, too. What nothing wrote is NaN or
noise, by seed. Cubes, vector cores and blocks run side by side. Deadlocks, flags that stay set,
illegal ids and accesses beyond a memory are errors. The twin takes flags for counters, lets a set
wait for all calls of its pipe before it, and has no caches; it knows nothing of time. *unordered*:
seeds disagree, and all agree once the compiler synchronises what was its author's to synchronise,
or a flag between cores that the author alone handles stays set; what our diagnostics say of it is
quoted, as are accesses that nothing orders. Of calls of one pipe they say nothing: those they take to
come one after the other, which the twin does not without a barrier.

| | a | b | c |
|---|---|---|---|
"""


def main() -> int:
    """Write the page."""
    parser = argparse.ArgumentParser(prog="python -m tests.proofs.report", description=__doc__)
    parser.add_argument("--c", type=Path, required=True, help="what tests.proofs.ascendc wrote")
    parser.add_argument("--b", type=Path, help="what tests.proofs.pto wrote")
    parser.add_argument("--mutants", type=Path, help="what tests.proofs.mutate wrote")
    arguments = parser.parse_args()
    c = of_ascendc(json.loads(arguments.c.read_text()))
    b = of_pto(json.loads(arguments.b.read_text())) if arguments.b else {}
    mutants = json.loads(arguments.mutants.read_text()) if arguments.mutants else {}
    DOCUMENT.write_text(page(c, b, mutants), encoding="utf-8")
    print(f"{len(c)} kernels, {len(mutants)} mutated")
    return 0


def of_ascendc(records: Mapping[str, Mapping[str, Any]]) -> dict[str, str]:
    """Records of proof c as texts."""
    return {
        name: record["kind"] + (f": {record['reason']}" if record["reason"] else "")
        for name, record in records.items()
    }


def of_pto(verdicts: list[dict[str, Any]]) -> dict[str, str]:
    """Verdicts of proof b as texts like those of proof c."""
    kinds = {"agreed": "agrees"}
    return {
        v["name"]: kinds.get(v["kind"], v["kind"]) + (f": {v['reason']}" if v["reason"] else "")
        for v in verdicts
    }


def page(c: Mapping[str, str], b: Mapping[str, str], mutants: Mapping[str, Any]) -> str:
    """The whole document."""
    names = sorted({*c, *b})
    rows = {name: (evaluation(c.get(name, "")), b.get(name, ""), c.get(name, "")) for name in names}
    counts = [Counter(_kind(row[at]) for row in rows.values()) for at in range(3)]
    kinds = [
        kind
        for kind in (*GOOD, "differs", "does not compile", "skipped", "")
        if any(n[kind] for n in counts)
    ]
    text = HEAD
    for kind in kinds:
        text += f"| {kind or 'not tried'} | " + " | ".join(str(n[kind]) for n in counts) + " |\n"
    text += "\n## Kernels\n\n| kernel | a | b | c |\n|---|---|---|---|\n"
    for name, row in rows.items():
        text += f"| `{name}` | " + " | ".join(map(_cell, row)) + " |\n"
    return text + _mutants(mutants)


def evaluation(c: str) -> str:
    """What proof c's attempt says of the evaluation."""
    if "its evaluation" in c or "its tensors" in c:
        return c
    return "" if c.startswith("skipped: it is not emitted") or not c else "evaluated"


def _kind(text: str) -> str:
    return text.partition(":")[0]


def _cell(text: str) -> str:
    line = " ".join(text.split()).replace("|", "\\|")
    return line if len(line) <= MOST else line[: MOST - 1] + "…"


def _mutants(mutants: Mapping[str, Mapping[str, str]]) -> str:
    if not mutants:
        return ""
    text = (
        "\n## Mutants\n\n"
        "Each flag and each barrier of a lowered kernel, the author's as well as the compiler's, is\n"
        "left out (`python -m tests.proofs.mutate --expert`). It *shows* where one of 50 seeds\n"
        "disagrees or deadlocks, or an order in which the first of two accesses that lost theirs is\n"
        "held back; it is *redundant* where no two accesses lose their order, by vector clocks over\n"
        "all pipes, and *writes the same* where the only ones that do write what is there already.\n"
        "Where authors set flags, those around `T.gemm_v0` are redundant if those inside of its\n"
        "template say the same; where the compiler does, the template sets none.\n\n"
        "| kernel | shows | redundant | writes the same | survives |\n|---|---|---|---|---|\n"
    )
    total: Counter[str] = Counter()
    for name, outcomes in sorted(mutants.items()):
        counts = Counter(map(_mutant, outcomes.values()))
        total += counts
        text += f"| `{name}` | {' | '.join(str(counts[kind]) for kind in MUTANT_KINDS)} |\n"
    return f"{text}| all | {' | '.join(str(total[kind]) for kind in MUTANT_KINDS)} |\n"


def _mutant(outcome: str) -> str:
    return "writes the same" if outcome.startswith("redundant:") else _kind(outcome)


if __name__ == "__main__":
    sys.exit(main())
