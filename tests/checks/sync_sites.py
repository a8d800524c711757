"""Mutations of an author's synchronisation: what may be deleted, swapped, renumbered or moved."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

FLAGS = ("set_flag", "wait_flag", "set_cross_flag", "wait_cross_flag")
BARRIERS = ("barrier_all",)


@dataclass(frozen=True)
class Mutation:
    """`kind`: what was done; `rows`: the lines that were changed, 1-based; `text`: the program."""

    kind: str
    rows: tuple[int, ...]
    text: str


@dataclass(frozen=True)
class Site:
    """A call that stands alone. `block`, `at`: which statement of which block."""

    node: ast.Expr
    name: str
    block: int
    at: int

    @property
    def arguments(self) -> list[str]:
        assert isinstance(self.node.value, ast.Call)
        return [ast.unparse(argument) for argument in self.node.value.args]


def mutations(text: str) -> Iterator[Mutation]:
    """All mutations of a file's synchronisation, one at a time."""
    tree = ast.parse(text)
    blocks = list(_blocks(tree))
    sites = calls_of(tree)
    lines = text.splitlines()
    for site in sites:
        if site.name in BARRIERS:
            yield _changed("drop a barrier", lines, {site: None})
            continue
        yield _changed(f"delete one side: {site.name}", lines, {site: None})
        yield from _renumbered(site, lines)
        if site.name == "set_flag":
            yield from _pair(site, sites, lines)
        if site.name in ("wait_flag", "wait_cross_flag"):
            yield from _moved(site, blocks[site.block], lines)


def calls_of(tree: ast.AST) -> list[Site]:
    """All flags and barriers."""
    return [
        Site(stmt, name, number, at)
        for number, block in enumerate(_blocks(tree))
        for at, stmt in enumerate(block)
        if isinstance(stmt, ast.Expr) and (name := _called(stmt)) in (*FLAGS, *BARRIERS)
    ]


def _pair(first: Site, sites: list[Site], lines: list[str]) -> Iterator[Mutation]:
    """A set with the next wait of the same arguments."""
    for other in sites[sites.index(first) + 1 :]:
        if other.name == "wait_flag" and other.arguments == first.arguments:
            yield _changed("delete a pair", lines, {first: None, other: None})
            source, target, number = first.arguments
            turned = [f"T.{s.name}({target}, {source}, {number})" for s in (first, other)]
            yield _changed("swap directions", lines, dict(zip((first, other), turned, strict=True)))
            return


def _renumbered(site: Site, lines: list[str]) -> Iterator[Mutation]:
    at = {"set_flag": 2, "wait_flag": 2, "set_cross_flag": 1, "wait_cross_flag": 0}[site.name]
    arguments = site.arguments
    if len(arguments) > at:
        arguments[at] = (
            f"({arguments[at]}) ^ 5" if "cross" not in site.name else f"({arguments[at]}) ^ 8"
        )
        text = f"T.{site.name}({', '.join(arguments)})"
        yield _changed(f"change an id: {site.name}", lines, {site: text})


def _moved(site: Site, block: list[ast.stmt], lines: list[str]) -> Iterator[Mutation]:
    """A wait behind the statement that follows, where that is a call and no flag."""
    if site.at + 1 >= len(block):
        return
    after = block[site.at + 1]
    if not isinstance(after, ast.Expr) or _called(after) in ("", *FLAGS, *BARRIERS):
        return
    new = lines.copy()
    assert after.end_lineno is not None and site.node.end_lineno is not None
    wait = new[site.node.lineno - 1 : site.node.end_lineno]
    call = new[after.lineno - 1 : after.end_lineno]
    new[site.node.lineno - 1 : after.end_lineno] = [*call, *wait]
    yield Mutation("move a wait", (site.node.lineno, after.lineno), "\n".join(new) + "\n")


def _changed(kind: str, lines: list[str], texts: dict[Site, str | None]) -> Mutation:
    """The program with statements replaced; lines keep their numbers."""
    new = lines.copy()
    for site, text in texts.items():
        assert site.node.end_lineno is not None
        indent = " " * site.node.col_offset
        if "\t" in lines[site.node.lineno - 1]:
            indent = lines[site.node.lineno - 1][: site.node.col_offset]
        count = site.node.end_lineno - site.node.lineno
        body = [indent + (text or "pass"), *[""] * count]
        new[site.node.lineno - 1 : site.node.end_lineno] = body
    return Mutation(kind, tuple(site.node.lineno for site in texts), "\n".join(new) + "\n")


def _blocks(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            block = getattr(node, name, None)
            if isinstance(block, list) and block and isinstance(block[0], ast.stmt):
                yield block


def _called(stmt: ast.stmt) -> str:
    """The name behind `T.` of a call that stands alone."""
    if isinstance(stmt, ast.Expr) and isinstance(stmt.value, ast.Call):
        name = stmt.value.func
        if (
            isinstance(name, ast.Attribute)
            and isinstance(name.value, ast.Name)
            and name.value.id == "T"
        ):
            return name.attr
    return ""
