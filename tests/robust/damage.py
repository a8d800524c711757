"""Kernels that are right, with small damage to their text: besides TL101 no error, and no crash.

    python -m tests.robust.damage FOLDER [--count N] [--seed S]

Prints what is told of a damaged text that Python cannot read. Exit status 1 where there was any.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections.abc import Iterator
from pathlib import Path

from tests.robust.test_fuzz import tokens

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.ide.model import Settings
from tl_ascend.ide.workspace import Workspace

PATH = "/project/kernel.py"
STRAY = [
    *("(", ")", "[", "]", "{", "}", '"', "'", '"""', ",", ":", "=", "\\"),
    *("def ", "class ", "@", "for "),
]
TYPED = [
    *("x = ", "def f(", "def f():", "class C:", "T.copy(", "if x", "import", "@", "K[0"),
    *("f(1)", "x = 1"),
]


def damaged(text: str, rng: random.Random) -> str:
    """One small damage, as it stands there while somebody types."""
    if rng.random() < 0.45:
        places = tokens(text)
        start, end = rng.choice(places)
        if rng.random() < 0.5:
            return text[:start] + text[end:]
        at = rng.choice((start, end))
        return text[:at] + rng.choice(STRAY) + text[at:]
    lines = text.split("\n")
    row = rng.choice([n for n, line in enumerate(lines) if line.strip()])
    rng.choice((_cut, _half, _indent, _dedent, _typed, _gone, _copied))(lines, row, rng)
    return "\n".join(lines)


def _cut(lines: list[str], row: int, rng: random.Random) -> None:
    lines[row] = lines[row][: rng.randrange(len(lines[row]))]


def _half(lines: list[str], row: int, rng: random.Random) -> None:
    line = lines[rng.choice([n for n, one in enumerate(lines) if one.strip()])]
    lines.insert(row, line[: rng.randrange(len(line))])


def _indent(lines: list[str], row: int, rng: random.Random) -> None:
    lines[row] = " " * rng.choice((1, 2, 4, 8)) + lines[row]


def _dedent(lines: list[str], row: int, rng: random.Random) -> None:
    for n in range(row, min(len(lines), row + rng.choice((1, 1, 3)))):
        lines[n] = lines[n].lstrip() if rng.random() < 0.5 else lines[n][1:]


def _typed(lines: list[str], row: int, rng: random.Random) -> None:
    indent = lines[row][: len(lines[row]) - len(lines[row].lstrip())] if rng.random() < 0.5 else ""
    lines.insert(row, indent + rng.choice(TYPED))


def _gone(lines: list[str], row: int, rng: random.Random) -> None:
    del lines[row : row + rng.choice((1, 1, 2, 4))]


def _copied(lines: list[str], row: int, rng: random.Random) -> None:
    other = rng.randrange(len(lines))
    lines[row:row] = lines[other : other + 3]


def errors(text: str) -> list[str]:
    """The errors that are told of a text, each with its row; a crash is one."""
    workspace = Workspace(Settings("A3"), str(Path(PATH).parent))
    workspace.set_text(PATH, text)
    found = workspace.analyse(PATH, lambda: False).diagnostics
    loud = [one for one in found if one.severity == Severity.ERROR]
    return [f"{one.code} in line {one.range.start.row}: {one.message}" for one in loud]


def untrue(text: str, before: set[str]) -> list[str]:
    """What is told besides TL101 of a text that Python cannot read, by codes that it had not before."""
    found = errors(text)
    if not any(one.startswith("TL101") for one in found):
        return []
    return [one for one in found if not one.startswith("TL101") and one[:5] not in before]


def damages(text: str, name: str, count: int) -> Iterator[tuple[str, list[str]]]:
    """Damaged versions of a text, each with what is told untruly of it."""
    rng = random.Random(name)
    before = {one[:5] for one in errors(text)}
    for _ in range(count):
        worse = damaged(text, rng)
        yield worse, untrue(worse, before)


def main() -> int:
    """Damage each file of a folder `count` times."""
    parser = argparse.ArgumentParser(prog="python -m tests.robust.damage", description=__doc__)
    parser.add_argument("folder", type=Path, nargs="+")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    files = sorted(path for folder in arguments.folder for path in folder.rglob("*.py"))
    failures = 0
    for path in files:
        text = path.read_text(encoding="utf-8")
        for worse, said in damages(text, f"{arguments.seed} {path.name}", arguments.count):
            if said:
                failures += 1
                print(f"{path.name}: {' | '.join(said)}\n{worse}\n{'-' * 80}")
    print(f"{len(files)} files, {failures} damaged texts with untrue errors")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
