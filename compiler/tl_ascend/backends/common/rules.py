"""The rules by which rows of the operation table are written, and how they refuse.

A rule is a function that a row names by `RuleName`; it is registered for its route under that name by
the decorator, each name once. `gaps` lists what a row names and nobody wrote.
"""

from __future__ import annotations

import string
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

from tl_ascend.ir.nodes import Region, TileOp
from tl_ascend.ops.row import Emit, Form, Op, RuleName, Template, Unsupported
from tl_ascend.ops.table import ROWS
from tl_ascend.source.span import Span


class Refusal(Exception):
    """This program cannot say what the kernel says. `name`: a row of the catalogue. Never leaves
    the back end: it becomes a finding."""

    def __init__(self, name: str, span: Span, message: str, *notes: str) -> None:
        super().__init__(message)
        self.name, self.span, self.message, self.notes = name, span, message, notes


@dataclass(frozen=True, slots=True)
class Call:
    """A lowered operation with its row and form."""

    op: TileOp
    row: Op
    form: Form

    def arg(self, name: str) -> Any:
        """The argument for a parameter; None where it was not given."""
        return self.op.args[self._at(name)]

    def span(self, name: str) -> Span:
        return self.op.spans[self._at(name)]

    def _at(self, name: str) -> int:
        return self.row.index(name)

    def region(self, name: str) -> Region:
        """An operand that must be a tile. Errors: Refusal."""
        arg = self.arg(name)
        if isinstance(arg, Region):
            return arg
        raise Refusal("not-lowered", self.span(name), f"{name} of T.{self.row.name} is no tile")

    def flag(self, name: str) -> bool:
        """A flag that becomes part of the program text. Errors: Refusal."""
        arg = self.arg(name)
        if isinstance(arg, (bool, int)):
            return bool(arg)
        text = f"{name} of T.{self.row.name} must be known when the kernel is compiled"
        raise Refusal("dynamic-shape", self.span(name), text)

    def word(self, name: str) -> str:
        """A text argument, such as the name of a pipe. Errors: Refusal."""
        arg = self.arg(name)
        if isinstance(arg, str):
            return arg
        raise Refusal("not-lowered", self.span(name), f"{name} of T.{self.row.name} is no text")

    def choice(self, name: str) -> str:
        """A text argument that becomes part of the program: one of the words of its parameter.
        Errors: Refusal."""
        word, choices = self.word(name), self.row.params[self._at(name)].choices
        if word in choices:
            return word
        text = f"{name} of T.{self.row.name} is one of {', '.join(choices)}, not {word!r}"
        raise Refusal("not-lowered", self.span(name), text)


Rule: TypeAlias = Callable[..., Any]


class Rules:
    """The rules of one route, by name. `statements` take the emission and a `Call`; `values` the
    emission and an expression, of which they yield the text."""

    def __init__(self, route: str) -> None:
        self.route = route
        self.statements: dict[str, Rule] = {}
        self.values: dict[str, Rule] = {}

    def rule(self, name: str) -> Callable[[Rule], Rule]:
        """Register the function that writes the statements of a rule. Errors: ValueError."""
        return self._registering(self.statements, name)

    def value_rule(self, name: str) -> Callable[[Rule], Rule]:
        """Register the function that writes the values of a rule. Errors: ValueError."""
        return self._registering(self.values, name)

    def _registering(self, table: dict[str, Rule], name: str) -> Callable[[Rule], Rule]:
        def add(function: Rule) -> Rule:
            if name in self.statements or name in self.values:
                raise ValueError(f"rule {name!r} is written twice")
            table[name] = function
            return function

        return add

    def gaps(self) -> list[str]:
        """Forms without an entry for this route, and entries that cannot be written."""
        problems = []
        for row in ROWS:
            for form in row.forms:
                problem = self._gap(row, form.emit.get(self.route))
                if problem:
                    problems.append(f"T.{row.name}, form {form.name}: {problem}")
        return problems

    def _gap(self, row: Op, entry: Emit | None) -> str:
        if isinstance(entry, Template):
            known = fields_of(row)
            unknown = [name for _, name, _, _ in string.Formatter().parse(entry.text) if name]
            unknown = [name for name in unknown if name not in known]
            return f"the template asks for {', '.join(unknown)}" if unknown else ""
        if isinstance(entry, RuleName):
            table = self.values if row.kind == "value" else self.statements
            return "" if entry.name in table else f"no rule {entry.name!r}"
        if isinstance(entry, Unsupported):
            return "" if entry.why else "unsupported without a reason"
        return "no entry"


def fields_of(row: Op) -> set[str]:
    """What a template of a row may ask for (see `ops.row.Template`)."""
    names = {param.name for param in row.params}
    tiles = [p.name for p in row.params if p.kind in ("region", "operand")]
    return {*names, "n", "type", "scratch", *(f"{w}_{t}" for w in ("n", "type") for t in tiles)}
