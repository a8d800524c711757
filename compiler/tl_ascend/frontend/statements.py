"""Statements that run as Python: module level, factories, helpers."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable
from contextlib import nullcontext, suppress
from functools import partial
from typing import Any

from tl_ascend.frontend.assignments import assign, delete_item
from tl_ascend.frontend.changes import Unclear, is_many
from tl_ascend.frontend.expressions import join, truth_of, variable
from tl_ascend.frontend.generators import give
from tl_ascend.frontend.host_loops import only_last_matters
from tl_ascend.frontend.language import dropped
from tl_ascend.frontend.machine import (
    UNDECIDED,
    HostCodeCut,
    LoopExit,
    Machine,
    Mistake,
    Raised,
    Returned,
    bound_names,
    python_error,
    statement,
)
from tl_ascend.frontend.models.classes import finish_class
from tl_ascend.frontend.streams import drained, iterable
from tl_ascend.frontend.values import (
    Builtin,
    ClassValue,
    Env,
    Function,
    Instance,
    JitFactory,
    LoopSpec,
    Unknown,
)
from tl_ascend.source.units import span_of

HOST_LOOP_STEPS = 1000


@statement(ast.Expr)
def _expr(m: Machine, node: ast.Expr) -> None:
    if isinstance(node.value, ast.Constant):
        return
    if isinstance(node.value, (ast.Yield, ast.YieldFrom)):
        give(m, node.value)
        return
    if isinstance(node.value, ast.Await):
        return
    dropped(m, m.eval(node.value))


@statement(ast.Assign)
def _assign(m: Machine, node: ast.Assign) -> None:
    with nullcontext() if m.builder is None else m.builder.naming(node):
        value = m.eval(node.value)
    for target in node.targets:
        assign(m, target, value)


@statement(ast.AnnAssign)
def _annassign(m: Machine, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(m, node.target, m.eval(node.value))


@statement(ast.FunctionDef)
def _functiondef(m: Machine, node: ast.FunctionDef) -> None:
    from tl_ascend.frontend.decorators import define

    m.env.names[node.name] = define(m, node)


@statement(ast.ClassDef)
def _classdef(m: Machine, node: ast.ClassDef) -> None:
    bases = tuple(m.eval(b) for b in node.bases)
    decorators = [m.eval(d) for d in node.decorator_list]
    env = Env(m.env)
    env.kind = "class"
    env.function = True
    with m.scope(env):
        m.run(node.body)
    cls = ClassValue(node.name, bases, env.names, node)
    cls.decorated = bool(node.keywords)
    for value in env.names.values():
        function = value.function if isinstance(value, JitFactory) else value
        if isinstance(function, Function) and function.owner is None:
            function.owner = cls
    finish_class(cls)
    for decorator in reversed(decorators):
        if isinstance(decorator, Builtin):
            decorator.call(m, node, [cls], {})
        elif isinstance(decorator, Unknown):
            cls.kind = cls.kind or "unknown"
            cls.decorated = cls.special = True
    m.env.names[node.name] = cls


@statement(ast.Return)
def _return(m: Machine, node: ast.Return) -> None:
    raise Returned(None if node.value is None else m.eval(node.value))


@statement(ast.Break)
def _break(m: Machine, node: ast.Break) -> None:
    raise LoopExit(again=False)


@statement(ast.Continue)
def _continue(m: Machine, node: ast.Continue) -> None:
    raise LoopExit(again=True)


@statement(ast.If)
def _if(m: Machine, node: ast.If) -> None:
    truth = truth_of(m.eval(node.test))
    if isinstance(truth, bool):
        m.run(node.body if truth else node.orelse)
        return
    both(m, node, truth, node.body, node.orelse)


def both(
    m: Machine, node: ast.AST, condition: Any, first: list[ast.stmt], second: list[ast.stmt]
) -> None:
    """Run both sides of an undecided branch and join what they bind."""
    before = dict(m.env.names)
    with m.undecided():
        first_left = side(m, first)
    after_first = dict(m.env.names)
    m.env.names.clear()
    m.env.names.update(before)
    with m.undecided():
        second_left = side(m, second)
    if first_left and second_left:
        raise Returned(m.frames[-1].maybe.pop() if m.frames and m.frames[-1].maybe else None)
    if second_left:
        m.env.names.clear()
        m.env.names.update(after_first)
    elif not first_left:
        _merge(m, node, condition, after_first)


def side(m: Machine, body: list[ast.stmt]) -> bool:
    """Run one side; True where it leaves the function (or raises)."""
    try:
        m.run(body)
    except Returned as returned:
        if m.frames:
            m.frames[-1].maybe.append(returned.value)
        return True
    except Raised:
        if not m.strict:  # what follows may be guarded by this
            m.doubter.doubt += 1
        return True
    except LoopExit:
        m.exits += 1
        m.doubter.doubt += 1
    return False


def _merge(m: Machine, node: ast.AST, condition: Any, other: dict[str, Any]) -> None:
    names = m.env.names
    for name in {**other, **names}:
        if name not in names:
            names[name] = other[name]
        elif name in other and other[name] is not names[name]:
            names[name] = join(m, node, condition, other[name], names[name])


@statement(ast.For)
def _for(m: Machine, node: ast.For) -> None:
    _capped(m, node, lambda: _loop(m, node))


def _capped(m: Machine, node: ast.For | ast.While, action: Callable[[], None]) -> None:
    """Run a loop. Of host code only the outermost loop is cut when it has used up its steps: what it
    assigns is unknown then, and what follows it is still evaluated."""
    if m.strict or m.in_host_loop or m.program.mentions_kernels(m.module, node):
        action()
        return
    outer = m.host_cap
    m.host_cap = HOST_LOOP_STEPS if outer is None else min(outer, HOST_LOOP_STEPS)
    m.in_host_loop = True
    try:
        action()
    except HostCodeCut:
        _forget(m, node, "assigned in a loop that is not evaluated to its end")
    finally:
        m.in_host_loop = False
        m.host_cap = outer


def _forget(m: Machine, node: ast.AST, cause: str) -> None:
    for name in bound_names(node):
        env = m.env.owner().redirect.get(name) or m.env
        env.names[name] = Unknown(cause, span_of(node))


def _loop(m: Machine, node: ast.For) -> None:
    exits = m.exits
    try:
        items = iterate(m, node.iter)
        if m.in_host_loop and only_last_matters(node, partial(_value_before, m)):
            items = drained(m, node.iter, items)[-1:]
        finished = _each(m, node, items)
    except Unclear as error:
        assign(m, node.target, error.unknown)
        _once(m, node, "assigned in a loop over an unknown value")
        return
    if m.exits > exits:
        _forget(m, node, "assigned in a loop that may end early")
        _perhaps(m, node, node.orelse)
    elif finished:
        m.run(node.orelse)


def _perhaps(m: Machine, node: ast.AST, body: list[ast.stmt]) -> None:
    """Run what may not run at all."""
    if body:
        both(m, node, UNDECIDED, body, [])


def _each(m: Machine, node: ast.For, items: Iterable[Any]) -> bool:
    """Run the body for each item; False where it breaks out. Errors: Unclear, before an item."""
    walk = iter(items)
    while True:
        try:
            item = next(walk)
        except StopIteration:
            return True
        except RuntimeError as error:
            if is_many(items):
                raise Unclear(next(iter(items))) from None
            raise python_error(node.iter, error) from None
        m.tick()
        assign(m, node.target, item)
        if not _turn(m, node):
            return False


def _turn(m: Machine, node: ast.For | ast.While) -> bool:
    """Run the body of a loop once; False where it breaks out."""
    exits = m.exits
    frame = m.doubter
    doubt = frame.doubt
    with m.listening() as changes:
        try:
            m.run(node.body)
        except LoopExit as leave:
            if not leave.again:
                return False
        except Raised:
            if m.exits == exits:
                raise
        finally:
            frame.doubt = doubt
        if m.exits > exits:  # the turn may have ended before all was done
            changes.forget(UNDECIDED)
            _forget(m, node, "assigned in a loop that may end early")
    return True


def _value_before(m: Machine, name: str) -> Any:
    found = m.env.lookup(name)
    return found[0] if found is not None else None


def _once(m: Machine, node: ast.For | ast.While, cause: str) -> None:
    """A body that runs an unknown number of times, run once for the kernels that it builds."""
    _forget(m, node, cause)
    with m.doubted(), m.listening() as changes:
        with suppress(LoopExit, Raised):
            m.run(node.body)
        changes.forget(UNDECIDED)
    _forget(m, node, cause)
    _perhaps(m, node, node.orelse)


def iterate(m: Machine, node: ast.expr) -> Iterable[Any]:
    """The items of an iterable. Errors: Unclear; Mistake, where it is none."""
    value = variable(m.eval(node))
    if isinstance(value, LoopSpec) and value.kind == "range":
        raise Unclear(Unknown("a range with a symbolic bound", span_of(node)))
    return iterable(m, node, value)


@statement(ast.While)
def _while(m: Machine, node: ast.While) -> None:
    _capped(m, node, lambda: _while_loop(m, node))


def _while_loop(m: Machine, node: ast.While) -> None:
    while True:
        m.tick()
        truth = truth_of(m.eval(node.test))
        if not isinstance(truth, bool):
            _once(m, node, "assigned in a loop with an unknown condition")
            return
        if not truth:
            m.run(node.orelse)
            return
        exits = m.exits
        if not _turn(m, node):
            return
        if m.exits > exits:  # how often it runs is not known any more
            _once(m, node, "assigned in a loop that may end early")
            return


@statement(ast.Import)
def _import(m: Machine, node: ast.Import) -> None:
    for alias in node.names:
        module = m.program.import_module(m, node, alias.name, 0)
        if alias.asname:
            m.env.names[alias.asname] = m.program.resolve_dotted(module, alias.name)
        else:
            m.env.names[alias.name.split(".")[0]] = module


@statement(ast.ImportFrom)
def _import_from(m: Machine, node: ast.ImportFrom) -> None:
    for alias in node.names:
        try:
            value = m.program.import_name(m, alias, node.module or "", node.level, alias.name)
        except Mistake as mistake:  # the other names are bound all the same
            if m.handlers:
                raise
            m.blame(mistake)
            value = Unknown(mistake.message, mistake.span, reported=True)
        m.env.names[alias.asname or alias.name] = value


@statement(ast.Delete)
def _delete(m: Machine, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            m.env.names.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            delete_item(m, target)
        elif isinstance(target, ast.Attribute):
            owner = m.eval(target.value)
            if isinstance(owner, Instance):
                owner.attributes.pop(target.attr, None)
                owner.loose = True


@statement(ast.Global)
def _global(m: Machine, node: ast.Global) -> None:
    for name in node.names:
        m.env.owner().redirect[name] = m.module.env


@statement(ast.Nonlocal)
def _nonlocal(m: Machine, node: ast.Nonlocal) -> None:
    owner = m.env.owner()
    for name in node.names:
        found = owner.parent.lookup(name) if owner.parent is not None else None
        if found is not None:
            owner.redirect[name] = found[1]


@statement(ast.Pass, ast.AsyncFunctionDef)
def _nothing(m: Machine, node: ast.stmt) -> None:
    """No effect on what kernels become."""
