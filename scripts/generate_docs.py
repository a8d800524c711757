#!/usr/bin/env python3
"""Write docs/diagnostics/ and docs/ops.md from the catalogue, the pages and the operation table.

python scripts/generate_docs.py           write
python scripts/generate_docs.py --check   only say what is not current (exit status 1)
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from tl_ascend.backends.registry import backends
from tl_ascend.diagnostics.catalogue import RULES, Rule
from tl_ascend.diagnostics.help import page
from tl_ascend.ops.row import Emit, Form, Op, Unsupported, Values
from tl_ascend.ops.table import ROWS

DOCS = Path(__file__).resolve().parents[1] / "docs"
GAPS = DOCS.parent / "tests" / "check" / "gaps"
_TOLD = re.compile(r"\[(TL\d+)\]")
MADE = "<!-- Made by scripts/generate_docs.py from {source}: change that instead. -->\n\n"

FAMILIES = {
    "language": "Kernels, buffers, loops",
    "copy": "Copies",
    "matmul": "Matrix operations",
    "math": "Functions of tiles",
    "bitwise": "Bitwise operations",
    "vector": "Arithmetic, conversion, comparison, repetition",
    "reduce": "Reductions",
    "gather": "Gathering",
    "sort": "Sorting",
    "sync": "Synchronisation",
    "views": "Views",
    "debug": "Debugging",
    "remote": "Memory of other devices",
    "values": "Scalar functions",
    "experimental": "Experimental",
    "deprecated": "Deprecated",
    "retired": "Names without a use on Ascend",
}
# Families whose rows are one line each.
LISTED = ("values", "retired")


def generate() -> dict[str, str]:
    """All files by their path below docs/."""
    out = {f"diagnostics/{rule.code}.md": _page(rule) for rule in RULES}
    out["diagnostics/README.md"] = _index()
    out["ops.md"] = _operations()
    return out


def _page(rule: Rule) -> str:
    title, _, rest = page(rule.code).partition("\n")
    facts = f"**{rule.severity.label}**, a rule of: {rule.owner.value}. {rule.summary}"
    source = f"compiler/tl_ascend/diagnostics/pages/{rule.code}.md"
    return f"{MADE.format(source=source)}{title}\n\n{facts}\n{rest}"


def _index() -> str:
    source = "compiler/tl_ascend/diagnostics/catalogue.py"
    rows = [
        f"| [{r.code}]({r.code}.md) | {r.name} | {r.severity.label} | {r.owner.value} | {r.summary} |"
        for r in RULES
    ]
    head = "| code | name | severity | whose rule | what it says |\n|---|---|---|---|---|\n"
    table = f"{head}{chr(10).join(rows)}"
    return f"{MADE.format(source=source)}# Diagnostics\n\n{table}\n\n{_gaps()}\n"


def _gaps() -> str:
    """What upstream's compiler lets pass: each file is a kernel, and states what is told of it."""
    lines = []
    for path in sorted(GAPS.glob("gap_*.py")):
        text = path.read_text(encoding="utf-8")
        what = " ".join((ast.get_docstring(ast.parse(text)) or "").split())
        codes = ", ".join(f"[{code}]({code}.md)" for code in sorted({*_TOLD.findall(text)}))
        lines.append(f"| {what} | {codes} | [{path.stem}](../../tests/check/gaps/{path.name}) |")
    return (
        "## What upstream's compiler lets pass\n\n"
        "Faults that end in wrong results, a program that hangs, or an error far from their source, "
        "and are told here. The kernels that show it are tests.\n\n"
        "| fault | told as | shown by |\n|---|---|---|\n" + "\n".join(lines)
    )


# --- operations ----------------------------------------------------------------------------------


def _operations() -> str:
    families = [*FAMILIES, *sorted({row.family for row in ROWS} - set(FAMILIES))]
    parts = [MADE.format(source="compiler/tl_ascend/ops/") + "# Operations\n\n" + _introduction()]
    for family in families:
        rows = [row for row in ROWS if row.family == family]
        if rows:
            parts.append(f"## {FAMILIES.get(family, family.capitalize())}")
            parts.extend(_list(rows, family) if family in LISTED else map(_operation, rows))
    return "\n\n".join(parts) + "\n"


def _introduction() -> str:
    routes = ", ".join(f"`{b.name}`" for b in backends())
    return (
        "`import tilelang.language as T`. An operation that has several device calls shows one line "
        f"for each. Routes: {routes}. Where a table of element types has no entry for a platform, "
        "nothing is known and nothing is checked."
    )


def _list(rows: list[Op], family: str) -> list[str]:
    """Routes are named where rows are used: they share the code for scalars."""
    routes = [b.name for b in backends()] if family == "values" else []
    lines = [f"| name | | {' | '.join(routes)} |" if routes else "| name | |"]
    lines.append("|---" * (2 + len(routes)) + "|")
    for row in rows:
        support = f"no: {row.unwritten}" if row.unwritten else "yes"
        cells = [f"`{row.signature}`", row.doc or row.status, *[support] * len(routes)]
        lines.append(f"| {' | '.join(cells)} |")
    return ["\n".join(lines)]


def _operation(row: Op) -> str:
    parts = [f"### `{row.signature}`", row.doc]
    if row.status:
        parts.append(f"**Not usable:** {row.status}")
    if row.deprecated:
        parts.append(f"**Deprecated:** {row.deprecated}")
    where = [
        f"`{p.name}` {' or '.join(m.value for m in p.memories)}" for p in row.params if p.memories
    ]
    if where:
        parts.append(f"Operands: {', '.join(where)}.")
    asked = [
        f"`{p.name}` {p.values.value}"
        for p in row.params
        if p.values not in (Values.ANY, Values.NONE)
    ]
    if asked:
        parts.append(f"It must hold: {', '.join(asked)}.")
    if any(form.name for form in row.forms):
        parts.append(_forms(row))
    parts.extend(_types(row))
    parts.append(f"*{row.source}*")
    return "\n\n".join(p for p in parts if p)


def _forms(row: Op) -> str:
    routes = [b.name for b in backends()]
    lines = [f"| device call | core | pipe | path | {' | '.join(routes)} |"]
    lines.append("|---" * (4 + len(routes)) + "|")
    for form in row.forms:
        cells = [f"`{form.name}`", form.core.value, form.pipe.value, _path(form)]
        cells += [_support(form.emit.get(route)) for route in routes]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _path(form: Form) -> str:
    if form.memories is None:
        return ""
    way = " -> ".join(m.value for m in form.memories)
    return f"{way}, through GM" if form.virtual else way


def _support(entry: Emit | None) -> str:
    if entry is None:
        return "-"
    return f"no: {entry.why}" if isinstance(entry, Unsupported) else "yes"


def _types(row: Op) -> Iterator[str]:
    """Element types by platform: of the row, of each device call where these differ, and of operands
    that have their own."""
    tables = [form.dtypes for form in row.forms if form.dtypes]
    if all(table == tables[0] for table in tables):
        yield from _table("Element types", row.dtypes)
    else:
        for form in row.forms:
            yield from _table(f"Element types of `{form.name}`", form.dtypes)
    for param in row.params:
        yield from _table(f"Element types of operand `{param.name}`", param.dtypes)


def _table(what: str, table: Mapping[str, frozenset[str]]) -> Iterator[str]:
    """One line for platforms that agree."""
    groups: dict[frozenset[str], list[str]] = {}
    for platform, kinds in table.items():
        groups.setdefault(kinds, []).append(platform)
    for kinds, platforms in groups.items():
        yield f"{what} on {', '.join(platforms)}: {', '.join(sorted(kinds))}."


# --- command -------------------------------------------------------------------------------------


def stale() -> list[str]:
    """Files below docs/ that are not what would be written, or that nothing writes any more."""
    wanted = generate()
    there = {"ops.md"} | {
        str(p.relative_to(DOCS)) for p in (DOCS / "diagnostics").glob("*") if p.is_file()
    }
    changed = [name for name, text in wanted.items() if _read(name) != text]
    return sorted([*changed, *(there - set(wanted))])


def _read(name: str) -> str | None:
    path = DOCS / name
    return path.read_text(encoding="utf-8") if path.exists() else None


def main(arguments: list[str]) -> int:
    """Write, or check; the exit status."""
    if arguments == ["--check"]:
        for name in stale():
            print(f"docs/{name} is not current: run scripts/generate_docs.py")
        return bool(stale())
    for name in stale():
        (DOCS / name).unlink(missing_ok=True)
    for name, text in generate().items():
        (DOCS / name).parent.mkdir(parents=True, exist_ok=True)
        (DOCS / name).write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
