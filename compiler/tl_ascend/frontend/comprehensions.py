"""Comprehensions and generator expressions."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from tl_ascend.frontend.changes import Unclear
from tl_ascend.frontend.expressions import truth_of
from tl_ascend.frontend.limits import MAX_ITEMS, TooLong
from tl_ascend.frontend.machine import Machine, Mistake, Raised, expression, python_error
from tl_ascend.frontend.streams import generated, plain
from tl_ascend.frontend.values import Env, Unknown, first_unknown
from tl_ascend.source.units import span_of

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


@expression(ast.GeneratorExp)
def _generator(m: Machine, node: ast.GeneratorExp) -> Any:
    first = _iterable(m, node.generators[0])
    with m.scope(_scope(m)):
        return generated(m, "generator", lambda: _walk(m, node, first, lambda: m.eval(node.elt)))


@expression(ast.ListComp)
def _list(m: Machine, node: ast.ListComp) -> Any:
    return _all(m, node, lambda: m.eval(node.elt))


@expression(ast.SetComp)
def _set(m: Machine, node: ast.SetComp) -> Any:
    return set_of(node, _all(m, node, lambda: m.eval(node.elt)))


def set_of(node: ast.AST, items: list[Any]) -> Any:
    """A set of these elements. Errors: Mistake, where one is not hashable."""
    unknown = first_unknown(items)
    if unknown is not None:
        return unknown
    try:
        return set(items)
    except TypeError as error:
        if all(map(plain, items)):
            raise python_error(node, error) from None
        return Unknown("a set of these values", span_of(node))


@expression(ast.DictComp)
def _dict(m: Machine, node: ast.DictComp) -> Any:
    out: dict[Any, Any] = {}
    for key, value in _all(m, node, lambda: (m.eval(node.key), m.eval(node.value))):
        put(node.key, out, key, value)
    return out


def put(node: ast.AST, out: dict[Any, Any], key: Any, value: Any) -> None:
    """An element of a new dictionary. Errors: Unclear; Mistake, where the key is not hashable."""
    unknown = first_unknown(key)
    if unknown is not None:
        raise Unclear(unknown)
    try:
        out[key] = value
    except TypeError as error:
        if plain(key):
            raise python_error(node, error) from None
        raise Unclear(Unknown("a key that is not hashable", span_of(node))) from None


def _all(m: Machine, node: Comprehension, element: Callable[[], Any]) -> list[Any]:
    from tl_ascend.frontend.assignments import assign

    try:
        return _elements(m, node, element)
    except Unclear as error:  # how often the rest runs is not known
        with m.scope(_scope(m)), m.undecided(), suppress(Mistake, Raised):
            for part in node.generators:
                assign(m, part.target, error.unknown)
            element()
        raise


def _elements(m: Machine, node: Comprehension, element: Callable[[], Any]) -> list[Any]:
    first = _iterable(m, node.generators[0])
    out: list[Any] = []
    with m.scope(_scope(m)):
        for item in _walk(m, node, first, element):
            out.append(item)
            if len(out) > MAX_ITEMS:
                raise TooLong(f"a sequence of over {MAX_ITEMS:,} elements is not evaluated")
    return out


def _scope(m: Machine) -> Env:
    env = Env(m.env)
    env.kind = "comprehension"
    return env


def _iterable(m: Machine, part: ast.comprehension) -> Iterable[Any]:
    from tl_ascend.frontend.statements import iterate

    found: Iterable[Any] = iterate(m, part.iter)
    return found


def _walk(
    m: Machine,
    node: Comprehension,
    items: Iterable[Any],
    element: Callable[[], Any],
    level: int = 0,
) -> Iterator[Any]:
    from tl_ascend.frontend.assignments import assign

    part = node.generators[level]
    last = level + 1 == len(node.generators)
    for item in items:
        m.tick()
        assign(m, part.target, item)
        if not _passes(m, part):
            continue
        if last:
            yield element()
        else:
            yield from _walk(m, node, _iterable(m, node.generators[level + 1]), element, level + 1)


def _passes(m: Machine, part: ast.comprehension) -> bool:
    for test in part.ifs:
        truth = truth_of(m.eval(test))
        if not isinstance(truth, bool):
            cause = Unknown("a comprehension filters by a symbolic value", span_of(test))
            raise Unclear(truth if isinstance(truth, Unknown) else cause)
        if not truth:
            return False
    return True
