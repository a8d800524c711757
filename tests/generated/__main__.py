"""Generate kernels and report what is wrong with any.

    python -m tests.generated --count 500 [--seed S] [--show] [--proofs] [--orders 20]

--proofs: what the emitted Ascend C programs compute, too, against the evaluation (proofs a and c).
Exit status 1 where something is.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.generated.examine import case, problems
from tests.proofs import ascendc
from tests.proofs.twin import the_twin


def main() -> int:
    """Run a range of seeds."""
    parser = argparse.ArgumentParser(prog="python -m tests.generated", description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--show", action="store_true", help="print the kernels, too")
    parser.add_argument("--proofs", action="store_true", help="run their programs on the twin")
    parser.add_argument("--orders", type=int, default=20, help="in which each program runs")
    arguments = parser.parse_args()
    bad: Counter[str] = Counter()
    total: Counter[str] = Counter()
    seeds = range(arguments.seed, arguments.seed + arguments.count)
    for seed in seeds:
        made = case(seed)
        total[made.family] += 1
        if arguments.show:
            print(made.text)
        for text in _found(made):
            bad[made.family] += 1
            print(f"seed {seed} ({made.family}): {text}")
    print(f"{sum(total.values())} kernels of {len(total)} families, {sum(bad.values())} problems")
    proved = not arguments.proofs or _prove(seeds, arguments.orders)
    return 0 if proved and not bad else 1


def _prove(seeds: range, orders: int) -> bool:
    """Whether the programs of all of them agree with the evaluation."""
    kinds: Counter[str] = Counter()
    for some in ascendc.batches(ascendc.generated(seeds), ascendc.TOGETHER):
        for name, _, outcome in ascendc.proved_all(the_twin(), some, orders, least=-2):
            kinds[outcome.kind] += 1
            if outcome.kind != "agrees":
                print(f"{name}: {outcome.text}", flush=True)
    told = ", ".join(f"{number} {kind}" for kind, number in kinds.most_common())
    print(f"{sum(kinds.values())} proved in {orders} orders each: {told}")
    return set(kinds) <= {"agrees"}


def _found(made: object) -> list[str]:
    try:
        return problems(made)  # type: ignore[arg-type]
    except Exception as error:  # a crash is a finding of its own; the next seeds still run
        return [f"{type(error).__name__}: {error}"]


if __name__ == "__main__":
    sys.exit(main())
