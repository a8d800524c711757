"""Proof that the check is not empty: programs that the real headers must refuse, and where; and calls of
the tests that they must take."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from tests.optional.asc_devkit.headers import Headers

HERE = Path(__file__).parent / "data"
ACCEPTED = Path(__file__).parents[2] / "headers" / "data" / "accept"
# No host compiler can read a launch.
HOST = re.compile(r'^extern "C" void call\(', re.MULTILINE)
MARK = "// ~ error"


def missed(headers: Headers) -> Iterator[str]:
    """Lines that must be refused and are not, and the other way round."""
    for path in sorted(HERE.glob("wrong*.cpp")):
        lines = path.read_text("utf-8").splitlines()
        want = {at for at, line in enumerate(lines, 1) if line.endswith(MARK)}
        found = {error.place(str(path)) for error in headers.check(path)}
        for at in sorted(want - {row for name, row in found if name == str(path)}):
            yield f"{headers.core}: {path.name}:{at} must be refused and is not: {lines[at - 1]}"
        for name, at in sorted(found):
            if name != str(path) or at not in want:
                yield f"{headers.core}: {path.name}: {name}:{at} is refused"


def accepted(headers: Headers) -> Iterator[str]:
    """Calls of tests/headers that the real headers do not take."""
    for path in sorted(ACCEPTED.glob("*.cpp")):
        copy = headers.place / path.name
        copy.write_text(HOST.split(path.read_text("utf-8"))[0], encoding="utf-8")
        for error in headers.check(copy):
            name, at = error.place(str(copy))
            yield f"{headers.core}: {Path(name).name}:{at}: {error.text}"
