"""`try`, `raise` and `assert`."""

from __future__ import annotations

import ast
from typing import Any

from tl_ascend.frontend.calls import construct
from tl_ascend.frontend.expressions import truth_of
from tl_ascend.frontend.limits import TooLong
from tl_ascend.frontend.machine import (
    LEAVING,
    LoopExit,
    Machine,
    Raised,
    Returned,
    python_error,
    statement,
)
from tl_ascend.frontend.models.inspection import is_instance
from tl_ascend.frontend.values import ClassValue, Instance, Unknown, first_unknown
from tl_ascend.source.units import span_of

MAX_SHOWN = 200


@statement(ast.Try)
def _try(m: Machine, node: ast.Try) -> None:
    try:
        _handled(m, node)
    except (Raised, Returned, LoopExit):
        m.run(node.finalbody)  # which may itself leave, and then replaces what was on its way
        raise
    m.run(node.finalbody)


def _handled(m: Machine, node: ast.Try) -> None:
    try:
        if node.handlers:
            with m.tolerating(), m.catching():
                m.run(node.body)
        else:
            m.run(node.body)
    except Raised as error:
        if not _handle(m, node, error):
            raise
        return
    m.run(node.orelse)


def _handle(m: Machine, node: ast.Try, error: Raised) -> bool:
    for handler in node.handlers:
        caught = _catches(m, handler, error.exception)
        if caught is False:
            continue
        m.handling.append(error)
        try:
            if handler.name:
                m.env.names[handler.name] = error.exception
            if isinstance(caught, Unknown):  # it is taken to be handled
                with m.undecided():
                    m.run(handler.body)
            else:
                m.run(handler.body)
        finally:
            m.handling.pop()
            if handler.name:
                m.env.names.pop(handler.name, None)
        return True
    return False


def _catches(m: Machine, handler: ast.ExceptHandler, exception: Any) -> bool | Unknown:
    if handler.type is None:
        return True
    kinds = m.perhaps(handler.type)
    if kinds is BaseException:
        return True
    if kinds is Exception:
        return not isinstance(exception, LEAVING)
    return is_instance(exception, kinds)


@statement(ast.Raise)
def _raise(m: Machine, node: ast.Raise) -> None:
    if node.exc is None:
        if m.handling:
            raise m.handling[-1]
        raise python_error(node, RuntimeError("No active exception to reraise"))
    value = m.eval(node.exc)
    if isinstance(value, type):
        value = value()
    elif isinstance(value, ClassValue) and value.exception is not None:
        value = construct(m, node, value, [], {})
    if node.cause is not None:
        m.eval(node.cause)
    raise Raised(span_of(node), _text(node.exc, value), value)


def _text(node: ast.expr, value: Any) -> str:
    try:
        if isinstance(value, BaseException) and first_unknown(value) is None:
            said = str(value) if len(value.args) == 1 else ", ".join(map(repr, value.args))
            name = type(value).__name__
            return f"{name}: {said[:MAX_SHOWN]}" if said else name
        if isinstance(value, Instance):
            said = str(value)
            return f"{value.cls.name}: {said[:MAX_SHOWN]}" if said else value.cls.name
    except TooLong:
        pass
    called = node.func if isinstance(node, ast.Call) else node
    return shown(called).strip("`")


def shown(node: ast.expr) -> str:
    """An expression as the author wrote it, for a message."""
    try:
        return f"`{ast.unparse(node)[:MAX_SHOWN]}`"
    except (ValueError, RecursionError):  # a number too long to be printed, nesting without an end
        return "this expression"


@statement(ast.Assert)
def _assert(m: Machine, node: ast.Assert) -> None:
    truth = truth_of(m.eval(node.test))
    if truth is False:
        message = m.eval(node.msg) if node.msg is not None else None
        said = f": {message}" if isinstance(message, str) else ""
        exception = AssertionError() if node.msg is None else AssertionError(message)
        text = f"AssertionError: {shown(node.test)} is false{said}"
        raise Raised(span_of(node), text, exception)
