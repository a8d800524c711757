"""Kernels of any folder with tokens lost, doubled, exchanged and cut off: never an exception, never
TL901, never a hang.

    python -m tests.robust.mutate FOLDER [--count N] [--seed S]

Prints each kind of failure once, with a command's worth of text to repeat it. Exit status 1 where
there was one.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from collections import Counter
from pathlib import Path

from tests.robust.test_fuzz import KINDS, ODD, changed

from tl_ascend.ide.model import Settings
from tl_ascend.ide.workspace import Workspace
from tl_ascend.source.span import Position

MAX_CHANGES = 4
HANG = 30.0  # seconds for one version of a file; the limit of an analysis is 10
PATH = "/project/kernel.py"


def damaged(text: str, rng: random.Random) -> str:
    """One change of one token."""
    kind, odd = rng.choice(KINDS), rng.choice(ODD)
    return changed(text, kind, rng.randrange(100_000), rng.randrange(100_000), odd)


def judge(workspace: Workspace, text: str) -> str:
    """What is wrong with how this text is dealt with; empty where nothing is."""
    started = time.monotonic()
    try:
        workspace.set_text(PATH, text)
        analysis = workspace.analyse(PATH, lambda: False)
        for row in (1, 5, 12):
            analysis.hover(Position(row, 7 * row % 40))
    except Exception as error:
        frame = traceback.extract_tb(error.__traceback__)[-1]
        return f"{type(error).__name__}: {error} ({Path(frame.filename).name}:{frame.lineno})"
    for found in analysis.diagnostics:
        if found.name == "internal-error":
            return found.message
    return "took too long" if time.monotonic() - started > HANG else ""


def main() -> int:
    """Damage files until `count` versions were judged."""
    parser = argparse.ArgumentParser(prog="python -m tests.robust.mutate", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    files = sorted(arguments.folder.rglob("*.py"))
    if not files:
        parser.error(f"no Python files under {arguments.folder}")
    rng = random.Random(arguments.seed)
    failures: Counter[str] = Counter()
    done = 0
    while done < arguments.count:
        path = rng.choice(files)
        text = path.read_bytes().decode("utf-8-sig", "replace")
        workspace = Workspace(Settings("A3"), str(arguments.folder))
        for _ in range(rng.randint(1, MAX_CHANGES)):  # one after the other, as an author types
            text = damaged(text, rng)
            problem = judge(workspace, text)
            done += 1
            if problem:
                failures[problem] += 1
                if failures[problem] == 1:
                    print(f"{path}: {problem}\n{text}\n{'-' * 80}")
    print(f"{done} damaged versions of {len(files)} files: {sum(failures.values())} failures")
    for problem, count in failures.most_common():
        print(f"{count:5} {problem}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
