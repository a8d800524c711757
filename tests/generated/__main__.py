"""Generate kernels and report what is wrong with any.

    python -m tests.generated --count 500 [--seed S] [--show]

Exit status 1 where something is.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter

from tests.generated.examine import case, problems


def main() -> int:
    """Run a range of seeds."""
    parser = argparse.ArgumentParser(prog="python -m tests.generated", description=__doc__)
    parser.add_argument("--count", type=int, default=500)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--show", action="store_true", help="print the kernels, too")
    arguments = parser.parse_args()
    bad: Counter[str] = Counter()
    total: Counter[str] = Counter()
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        made = case(seed)
        total[made.family] += 1
        if arguments.show:
            print(made.text)
        for text in _found(made):
            bad[made.family] += 1
            print(f"seed {seed} ({made.family}): {text}")
    print(f"{sum(total.values())} kernels of {len(total)} families, {sum(bad.values())} problems")
    return 1 if bad else 0


def _found(made: object) -> list[str]:
    try:
        return problems(made)  # type: ignore[arg-type]
    except Exception as error:  # a crash is a finding of its own; the next seeds still run
        return [f"{type(error).__name__}: {error}"]


if __name__ == "__main__":
    sys.exit(main())
