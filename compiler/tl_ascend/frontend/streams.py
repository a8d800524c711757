"""Iterators: values that are walked over once, as far as somebody asks."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tl_ascend.frontend.changes import Stream, Unclear, is_many
from tl_ascend.frontend.limits import MAX_ITEMS, MAX_TEXT, TooLong, items_of
from tl_ascend.frontend.machine import Machine, python_error
from tl_ascend.frontend.values import (
    ClassValue,
    DefaultDict,
    DTypeRef,
    EnumMember,
    Instance,
    NamedTuple,
    Unknown,
)
from tl_ascend.source.units import span_of

VIEWS: Any = (type({}.keys()), type({}.values()), type({}.items()))
SEQUENCES = (list, tuple, str, range, bytes)
ITERABLE: Any = (*SEQUENCES, dict, set, frozenset, *VIEWS)
# Values of Python itself: what an operation on them raises is certain.
NATIVE = frozenset(
    (int, float, bool, str, complex, type(None), slice, *ITERABLE, NamedTuple, DefaultDict)
)

_SCALAR = (int, float, bytes, complex, type(None), range, slice)
ERRORS = (
    *(TypeError, ValueError, LookupError, ArithmeticError, AttributeError, StopIteration),
    *(RuntimeError, AssertionError),
)


def iterable(m: Machine, node: ast.AST, value: Any) -> Iterable[Any]:
    """Something to walk over. Errors: Unclear; Mistake, where Python says that it is none."""
    if isinstance(value, Stream):
        m.changing(value)
        return value
    if isinstance(value, ITERABLE):
        if is_many(value):
            raise Unclear(Unknown("what this holds is not known", span_of(node)))
        found: Iterable[Any] = value
        return found
    if isinstance(value, ClassValue) and value.kind == "enum":
        return [v for k, v in value.attributes.items() if k in value.members]
    if isinstance(value, Unknown):
        raise Unclear(value)
    if type(value) in NATIVE:
        kind = type(value).__name__
        raise python_error(node, TypeError(f"{kind!r} object is not iterable"))
    raise Unclear(Unknown("this value is not iterated", span_of(node)))


MAX_DEPTH = 60


def plain(value: Any, objects: bool = True, depth: int = 0) -> bool:
    """True for values on which Python's own functions do what they do in the program. `objects`:
    those of the user count, which Python may compare and show."""
    if depth > MAX_DEPTH:
        return False
    if isinstance(value, (list, tuple, set, frozenset)) or isinstance(value, VIEWS):
        return len(value) < MAX_ITEMS and all(plain(v, objects, depth + 1) for v in value)
    if isinstance(value, dict):
        return all(plain(v, objects, depth + 1) for pair in value.items() for v in pair)
    if isinstance(value, str):
        return len(value) < MAX_TEXT
    if isinstance(value, BaseException):
        return all(plain(v, objects, depth + 1) for v in value.args)
    return isinstance(value, _SCALAR) or (objects and isinstance(value, (Instance, EnumMember)))


def certain(value: Any) -> bool:
    """True where what Python raises on this value is what the program would see."""
    stack = [value]
    steps = 0
    while stack:
        steps += 1
        if steps > MAX_ITEMS:
            return False
        item = stack.pop()
        if isinstance(item, DTypeRef):
            return False
        if isinstance(item, (list, tuple, set, frozenset)):
            stack.extend(item)
        elif isinstance(item, dict):
            stack.extend(item.values())
    return True


def attempted(node: ast.AST, action: Callable[[], Any], values: Any) -> Any:
    """What a function of Python gives for plain values. Errors: Mistake, where it raises."""
    try:
        return action()
    except TooLong:
        raise
    except ERRORS as error:
        if certain(values):
            raise python_error(node, error) from None
        return Unknown(f"{type(error).__name__}: {error}", span_of(node))


def drained(m: Machine, node: ast.AST, value: Any) -> list[Any]:
    """All elements. Errors: as `iterable`; TooLong."""
    found = iterable(m, node, value)
    if not isinstance(found, Stream):
        return items_of(found)
    out: list[Any] = []
    for item in found:
        out.append(item)
        m.tick()
        if len(out) > MAX_ITEMS:
            raise TooLong(f"a sequence of over {MAX_ITEMS:,} elements is not evaluated")
    return out


def generated(m: Machine, name: str, walk: Callable[[], Iterator[Any]]) -> Stream:
    """A stream whose elements are evaluated when somebody asks, in the scope of now."""
    env, module = m.env, m.module

    def run() -> Iterator[Any]:
        inner = walk()
        while True:
            with m.scope(env, module):
                try:
                    item = next(inner)
                except StopIteration:
                    return
            yield item

    return Stream(run(), name)
