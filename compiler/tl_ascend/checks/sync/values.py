"""Values during one execution of a kernel: of one block, with sizes and branches as the run says.

What only the device knows is unknown; what depends on it is unknown, too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tl_ascend.ir.drawn import ROLE
from tl_ascend.ir.expr import (
    Binary,
    Cast,
    Compare,
    Const,
    Expr,
    Load,
    Logic,
    Select,
    Var,
    free_vars,
    loads,
    walk,
)
from tl_ascend.ir.fold import COMPARE, PYTHON
from tl_ascend.ir.nodes import Kernel, Let, Store
from tl_ascend.ir.storage import root


class Unknown(Exception):
    """A value that only the device knows."""


@dataclass(frozen=True, slots=True)
class Policy:
    """What a run takes for what the text leaves open. `size`: of each symbolic dimension; `step`: the
    n-th unknown value is n steps (offsets that were added up grow); `every`: of these only each so many
    are not zero; `turns`: of a loop with a condition."""

    size: int
    step: int
    every: int
    turns: int


# What is loose in the first two is looked at in the others, too.
POLICIES = (
    Policy(1024, 130, 1, 2),
    Policy(96, 64, 2, 1),
    Policy(512, 1, 1, 2),
    Policy(64, 0, 1, 0),
)
Guesses = dict[Any, int]


@dataclass(slots=True)
class Values:
    """`env`: variables that are known; `cells`: scalars (`T.alloc_var`) that are; `names`: what the
    unknown ones stand for. `guesses`: of unknown values, the same for all cores; `open`: True once a
    way was chosen by one; `sized`: True once a symbolic dimension was asked for; `assumed`: the last
    way, or number of a flag, depends on either; `first`: this is the first block; `given`: something
    that only the device knows is known."""

    policy: Policy
    env: dict[Expr, Any]
    guesses: Guesses = field(default_factory=dict)
    names: dict[Any, Any] = field(default_factory=dict)
    cells: dict[int, Any] = field(default_factory=dict)
    guessing: bool = False
    open: bool = False
    sized: bool = False
    assumed: bool = False
    first: bool = True
    given: bool = False

    def give(self, what: Expr, value: Any) -> None:
        """Know from now on what only the device knows."""
        self.env[what], self.given = value, True

    def number(self, value: Any) -> Any:
        """Errors: Unknown."""
        if value.__class__ is int or not isinstance(value, Expr):
            return value
        rule = _known.get(value)
        return (rule or rule_of(value))(self)

    def flag(self, value: Any) -> int:
        """The number of a flag. Errors: Unknown."""
        before, self.sized = self.sized, False
        found = self.number(value)
        self.assumed = self.sized
        self.sized = self.sized or before
        if not isinstance(found, int):
            raise Unknown
        return int(found)

    def bind(self, stmt: Let) -> None:
        """A name for a value from here on."""
        try:
            self.env[stmt.var] = sure_of(stmt.value)(self)
        except Unknown:
            self.env.pop(stmt.var, None)
            self.names[stmt.var] = self.guessed(stmt.value)

    def store(self, stmt: Store) -> None:
        """Remember what a scalar holds."""
        uid = root(stmt.buffer).uid
        try:
            self.cells[uid] = sure_of(stmt.value)(self)
        except Unknown:
            self.cells.pop(uid, None)
            if not stmt.indices:
                self.names[uid] = self.guessed(stmt.value)

    def hold(self, cells: dict[int, Any]) -> None:
        """Scalars have other values from here on; None: unknown ones."""
        for uid, value in cells.items():
            if value is None:
                self.cells.pop(uid, None)
            else:
                self.cells[uid] = value

    def way(self, value: Any) -> tuple[Any, bool]:
        """A value that decides which way the code takes, and whether it is certain."""
        if value.__class__ is int or not isinstance(value, Expr):
            self.assumed = False
            return value, True
        before, self.sized = self.sized, False
        rule = _sure.get(value) or sure_of(value)
        try:
            found = rule(self), True
        except Unknown:
            self.open = True
            found = self.guessed(value), False
        self.assumed = self.sized or not found[1]
        self.sized = self.sized or before
        return found

    def guessed(self, value: Any) -> Any:
        """What is taken for a value that only the device knows."""
        self.guessing = True
        try:
            return self.number(value)
        except (Unknown, ArithmeticError, TypeError, ValueError):
            return self.guess(value)
        finally:
            self.guessing = False

    def guess(self, key: Any) -> int:
        """A value for what only the device knows: equal for equal things. Errors: Unknown, where
        nothing may be guessed."""
        if not self.guessing:
            raise Unknown
        if key not in self.guesses:
            order = len(self.guesses) + 1
            self.guesses[key] = 0 if order % self.policy.every else self.policy.step * order
        return self.guesses[key]


def first_values(
    kernel: Kernel, policy: Policy, guesses: Guesses, vector: int = 0, block: int = 0
) -> Values:
    """Those that a vector core of a block begins with."""
    assert kernel.launch is not None
    env: dict[Expr, Any] = {kernel.launch.block: block, kernel.launch.subblock: vector}
    return Values(policy, env, guesses, first=not block)


# Expressions as functions of the values: loops ask for the same ones again and again.
Rule = Callable[[Values], Any]
MAX_KNOWN = 20_000
_known: dict[Expr, Rule] = {}
_sure: dict[Expr, Rule] = {}


def rule_of(value: Any) -> Rule:
    """A value as a function of the values of a run. It raises Unknown."""
    if not isinstance(value, Expr):
        return lambda values: value
    rule = _known.get(value)
    if rule is None:
        if len(_known) >= MAX_KNOWN:
            _known.clear()
        make = _MAKERS.get(type(value))
        rule = _unknown(value) if make is None else make(value)
        rule = _known[value] = _of_first_block(value, rule)
    return rule


def _of_first_block(value: Expr, rule: Rule) -> Rule:
    """What the block alone decides is the same in all executions of the first one."""
    names = free_vars(value)
    if not names or loads(value) or any(var.role != "block" for var in names):
        return rule
    try:
        found = rule(Values(POLICIES[0], dict.fromkeys(names, 0)))
    except Unknown:
        return rule
    return lambda values: found if values.first else rule(values)


def sure_of(value: Any) -> Rule:
    """As `rule_of`, where none may be guessed."""
    if not isinstance(value, Expr):
        return rule_of(value)
    rule = _sure.get(value)
    if rule is None:
        if len(_sure) >= MAX_KNOWN:
            _sure.clear()
        rule = _sure[value] = _never(value) if _from_memory(value) else rule_of(value)
    return rule


def _never(value: Expr) -> Rule:
    def found(values: Values) -> Any:
        if values.given:
            return rule_of(value)(values)
        raise Unknown

    return found


def _from_memory(value: Expr) -> bool:
    """True where an element of a buffer decides, which nobody knows unless it is given: quicker to
    find than to raise."""
    nodes = walk(value)
    return not any(isinstance(node, (Logic, Select)) for node in nodes) and any(
        isinstance(node, Load) and node.buffer.rank for node in nodes
    )


def _unknown(node: Any) -> Rule:
    return lambda values: values.guess(node)


def is_size(var: Any) -> bool:
    """True for a symbolic dimension."""
    return var.role in ("shape", ROLE)


def _var(var: Any) -> Rule:
    sized = is_size(var)

    def rule(values: Values) -> Any:
        found = values.env.get(var)
        if found is not None:
            return found
        if not sized:
            return (
                values.names[var] if var in values.names and values.guessing else values.guess(var)
            )
        values.sized = True
        return values.policy.size

    return rule


def _binary(node: Any) -> Rule:
    op, first, second = node.fields
    if _by_number(node):
        return _chain(node)
    a, apply = rule_of(first), PYTHON[op]
    b = rule_of(second) if isinstance(second, Expr) else None

    def rule(values: Values) -> Any:
        try:
            return apply(a(values), second if b is None else b(values))
        except (ArithmeticError, TypeError, ValueError, MemoryError):
            raise Unknown from None

    return rule


def _by_number(node: Any) -> bool:
    """True for an operation with a number that never fails."""
    if not isinstance(node, Binary) or type(node.b) is not int or node.dtype.kind == "float":
        return False
    return node.op in ("+", "-", "*") or (node.op in ("//", "%") and node.b > 0)


def _chain(node: Any) -> Rule:
    """Operations with numbers, one after the other on one value."""
    steps = []
    while _by_number(node):
        steps.append((PYTHON[node.op], node.b))
        node = node.a
    steps.reverse()
    var, first = node, rule_of(node)

    def rule(values: Values) -> Any:
        found = values.env.get(var)
        if found is None:
            found = first(values)
        for apply, number in steps:
            found = apply(found, number)
        return found

    return rule


def _compare(node: Any) -> Rule:
    op, first, second = node.fields
    a, b, apply = rule_of(first), rule_of(second), COMPARE[op]
    if not isinstance(second, Expr):
        return lambda values: apply(a(values), second)
    return lambda values: apply(a(values), b(values))


def _logic(node: Any) -> Rule:
    op, operands = node.fields
    rules = tuple(map(rule_of, operands))
    if op == "not":
        return lambda values: not rules[0](values)
    stop = op == "or"

    def rule(values: Values) -> bool:
        unknown = False
        for operand in rules:
            try:
                if bool(operand(values)) is stop:
                    return stop
            except Unknown:
                unknown = True
        if unknown:
            raise Unknown
        return not stop

    return rule


def _select(node: Any) -> Rule:
    condition, then, other = map(rule_of, node.fields)
    return lambda values: then(values) if condition(values) else other(values)


def _cast(node: Any) -> Rule:
    kind, value = node.fields
    inner = rule_of(value)
    return (lambda values: int(inner(values))) if kind.kind in ("int", "uint") else inner


def _load(node: Any) -> Rule:
    uid = root(node.buffer).uid
    indices = tuple(map(rule_of, node.indices))

    def element(values: Values) -> Any:
        if values.given and node in values.env:
            return values.env[node]
        if not values.guessing:
            raise Unknown
        return values.guess((uid, *(index(values) for index in indices)))

    def cell(values: Values) -> Any:
        if uid in values.cells:
            return values.cells[uid]
        return values.names[uid] if uid in values.names and values.guessing else values.guess(uid)

    return element if node.buffer.rank else cell


_MAKERS: dict[type, Callable[[Any], Rule]] = {
    Var: _var,
    Const: lambda node: lambda values: node.value,
    Binary: _binary,
    Compare: _compare,
    Logic: _logic,
    Select: _select,
    Cast: _cast,
    Load: _load,
}
