"""Random programs of the part of Python that is evaluated, from the tables of `python_grammar`."""

from __future__ import annotations

import random
import re
import warnings
from contextlib import suppress
from dataclasses import dataclass, field

from tests.unit.python_grammar import (
    ATOMS,
    EXPRESSIONS,
    FAILING,
    KERNEL,
    MAY_FAIL,
    PRELUDE,
    STATEMENTS,
)

PLACE = re.compile(r"\$([=@!?]?)(\w+)(?:\{((?:\w+ \w+(?:, )?)*)\})?")
OWN = re.compile(r"\b_([a-zA-Z])\b")
MAX_NESTING = 2
FAILS = 0.008  # of all expressions, outside `try`


@dataclass
class Scope:
    """Variables in sight, by type; `own`: those that this function may bind anew."""

    names: dict[str, list[str]] = field(default_factory=dict)
    own: set[str] = field(default_factory=set)

    def copy(self, function: bool = False) -> Scope:
        names = {kind: list(found) for kind, found in self.names.items()}
        return Scope(names, set() if function else set(self.own))

    def add(self, name: str, kind: str) -> None:
        self.names.setdefault(kind, []).append(name)
        self.own.add(name)


class Writer:
    """Writes one program. `opaque`: the share of values whose contents are hidden."""

    def __init__(self, rng: random.Random, opaque: float = 0.0) -> None:
        self.rng = rng
        self.opaque = opaque
        self.count = 0

    def program(self, statements: int) -> str:
        scope = Scope()
        lines = []
        for kind in ("int", "str", "ints", "dict", "obj", "set", "rows", "shape", "float"):
            name = self.fresh("v")
            scope.add(name, kind)
            lines.append(f"{name} = {self.rng.choice(ATOMS[kind])}")
        for _ in range(statements):
            lines += self.statement(scope, 0)
        if self.opaque:
            lines += [f"emit({n})" for k, names in scope.names.items() for n in names if k != "fn"]
        body = "".join(f"    {line}\n" for line in lines)
        return f"{PRELUDE}\n\ndef factory(n):\n{body}\n    {KERNEL}"

    def fresh(self, base: str) -> str:
        self.count += 1
        return f"{base}{self.count}"

    # --- statements --------------------------------------------------------------------------

    def statement(self, scope: Scope, nesting: int) -> list[str]:
        """A statement, and a line that shows what it bound."""
        while True:
            template = self.rng.choice(STATEMENTS)
            deep = "$block" in template or "$body" in template
            if (deep and nesting >= MAX_NESTING) or not self.possible(template, scope):
                continue
            if self.opaque and "try:" in template:  # what is unknown is taken not to raise
                continue
            lines, bound = self.lines(template, scope, nesting)
            for name, kind in bound:
                scope.add(name, kind)
            shown = [f"emit({name})" for name, kind in bound if kind != "fn"]
            touched = re.findall(r"\$[@!](\w+)", template)
            if touched and not shown:
                shown = [
                    f"emit({n})" for n in scope.names.get(touched[0], []) if touched[0] != "fn"
                ][-1:]
            return [*lines, *shown]

    def possible(self, template: str, scope: Scope) -> bool:
        for mark, kind, _ in PLACE.findall(template):
            if mark == "@" and not scope.own.intersection(scope.names.get(kind, ())):
                return False
            if mark == "!" and not scope.names.get(kind):
                return False
        return True

    def lines(
        self, template: str, scope: Scope, nesting: int
    ) -> tuple[list[str], list[tuple[str, str]]]:
        template = self.named(template)
        chosen: dict[str, str] = {}
        bound: list[tuple[str, str]] = []
        out: list[str] = []
        inner = scope.copy()
        for line in template.split("\n"):
            text = line.lstrip()
            indent = line[: len(line) - len(text)]
            if text.startswith("@declare "):
                _, name, kind = text.split()
                bound.append((name, kind))
                inner.add(name, kind)
            elif text.startswith(("$block", "$body", "$risk")):
                out += [indent + part for part in self.block(text, inner, nesting)]
            else:
                out.append(indent + self.fill(text, inner, 2, chosen, bound))
        return out, bound

    def block(self, text: str, scope: Scope, nesting: int) -> list[str]:
        scope = scope.copy(function=text.startswith("$body"))
        scope = self.extended(scope, text.partition("{")[2].rstrip("}"))
        if text.startswith("$risk"):
            options = [t for t in MAY_FAIL if self.possible(t, scope)]
            return self.lines(self.rng.choice(options), scope, nesting + 1)[0]
        lines: list[str] = []
        for _ in range(self.rng.randint(1, 2)):
            lines += self.statement(scope, nesting + 1)
        return lines

    def extended(self, scope: Scope, more: str) -> Scope:
        if more:
            scope = scope.copy()
            for pair in more.split(", "):
                name, kind = pair.split()
                scope.add(name, kind)
        return scope

    # --- expressions -------------------------------------------------------------------------

    def named(self, template: str) -> str:
        """The template's own names, new ones each time."""
        names: dict[str, str] = {}
        return OWN.sub(lambda m: names.setdefault(m[1], self.fresh(m[1])), template)

    def fill(
        self,
        text: str,
        scope: Scope,
        depth: int,
        chosen: dict[str, str],
        bound: list[tuple[str, str]],
    ) -> str:
        def one(found: re.Match[str]) -> str:
            mark, kind, more = found[1], found[2], found[3] or ""
            if mark == "=":
                name = self.fresh("v")
                bound.append((name, kind))
                return name
            if mark == "!" or mark == "@":
                names = scope.names[kind]
                if mark == "@":
                    names = [n for n in names if n in scope.own]
                return chosen.setdefault(mark + kind, self.rng.choice(names))
            inner = self.extended(scope, more)
            return self.expression(kind, inner, depth, risky=mark == "?")

        return PLACE.sub(one, text)

    def expression(self, kind: str, scope: Scope, depth: int, risky: bool = False) -> str:
        """An expression of a type, in brackets where it is not an atom."""
        rng = self.rng
        if kind not in EXPRESSIONS or (not risky and (depth <= 0 or rng.random() < 0.25)):
            return self.atom(kind, scope, quotes=depth >= 0)
        fails = kind in FAILING and (risky or rng.random() < FAILS)
        template = self.named(rng.choice((FAILING if fails else EXPRESSIONS)[kind]))
        # Within the quotes of an f-string others must not stand, before Python 3.12.
        depth = -1 if "f'" in template else depth - 1
        return self.hidden(f"({self.fill(template, scope, depth, {}, [])})")

    def atom(self, kind: str, scope: Scope, quotes: bool) -> str:
        known = scope.names.get(kind)
        if known and (not quotes or self.rng.random() < 0.7):
            return self.rng.choice(known)
        plain = [a for a in ATOMS[kind] if quotes or "'" not in a]
        return self.hidden(self.rng.choice(plain)) if quotes else self.rng.choice(plain)

    def hidden(self, text: str) -> str:
        return f"opaque({text})" if self.opaque and self.rng.random() < self.opaque else text


def program(rng: random.Random, statements: int = 8, opaque: float = 0.0) -> str:
    """A program whose factory calls `emit` with what it computed."""
    while True:
        text = Writer(rng, opaque).program(statements)
        with warnings.catch_warnings(), suppress(SyntaxError):  # `:=` may not stand everywhere
            warnings.simplefilter("ignore", SyntaxWarning)
            compile(text, "program", "exec")
            return text
