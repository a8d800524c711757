"""What generated programs are made of: templates for each type of value, and statements.

They stand in `data/python/`. In a template `$int` is an expression of type int, `$int{_a int}` one in
which `_a` is an int as well; `$?int` is one that may well raise; `$@int` is a variable of this
function, `$!ints` any variable of that type, `$=int` a new one; `$block` stands for statements, `$body`
for those of a function, `$risk` for one that may raise; `_a` is a name of the template's own. A line
`@declare _a int` says which of these names are of use after the statement.
"""

from __future__ import annotations

from pathlib import Path

DATA = Path(__file__).resolve().parent / "data" / "python"


def _table(name: str) -> dict[str, list[str]]:
    """Sections under `[type]`, a template a line."""
    found: dict[str, list[str]] = {}
    for section in _statements(name):
        kind, *templates = section.split("\n")
        found[kind.strip("[]")] = templates
    return found


def _statements(name: str) -> list[str]:
    text = (DATA / name).read_text(encoding="utf-8")
    return [part.strip("\n") for part in text.split("\n\n") if part.strip()]


ATOMS = _table("atoms.txt")
EXPRESSIONS = _table("expressions.txt")
FAILING = _table("failing.txt")
STATEMENTS = [
    *(f"$={kind} = ${kind}" for kind in EXPRESSIONS for _ in range(2)),
    *_statements("statements.txt"),
]
MAY_FAIL = _statements("may_fail.txt")
PRELUDE = (DATA / "prelude.txt").read_text(encoding="utf-8")
KERNEL = (DATA / "kernel.txt").read_text(encoding="utf-8")
