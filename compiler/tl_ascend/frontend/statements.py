"""Statements that run as Python: module level, factories, helpers."""

from __future__ import annotations

import ast
from collections.abc import Callable
from functools import partial
from typing import Any

from tl_ascend.frontend.expressions import binary, join, operator_of, truth_of, variable
from tl_ascend.frontend.host_loops import only_last_matters
from tl_ascend.frontend.limits import items_of
from tl_ascend.frontend.machine import (
    HostCodeCut,
    LoopExit,
    Machine,
    Mistake,
    Raised,
    Returned,
    bound_names,
    statement,
)
from tl_ascend.frontend.models.classes import finish_class
from tl_ascend.frontend.models.torch import HostTensor
from tl_ascend.frontend.values import (
    Builtin,
    ClassValue,
    Env,
    Function,
    Instance,
    LoopSpec,
    Namespace,
    TileCall,
    Unknown,
    first_unknown,
)
from tl_ascend.ir.nodes import Buffer, Store
from tl_ascend.source.units import span_of

HOST_LOOP_STEPS = 1000
MAX_SEQUENCE = 100_000
MAX_SHOWN = 200


@statement(ast.Expr)
def _expr(m: Machine, node: ast.Expr) -> None:
    if isinstance(node.value, ast.Constant):
        return
    if isinstance(node.value, (ast.Yield, ast.YieldFrom, ast.Await)):
        return
    value = m.eval(node.value)
    if isinstance(value, TileCall) and m.builder is not None:
        m.say(
            "dropped-call",
            value.span,
            f"T.{value.row.name} is built here but emits nothing",
            (
                "this function is plain Python: only statements of a T.prim_func or T.macro emit",
                "make the function a T.macro, or return the call and let the kernel state it",
            ),
        )


@statement(ast.Assign)
def _assign(m: Machine, node: ast.Assign) -> None:
    if m.builder is not None and isinstance(node.targets[0], ast.Name):
        m.builder.pending_name = node.targets[0].id
    value = m.eval(node.value)
    if m.builder is not None:
        m.builder.pending_name = ""
    for target in node.targets:
        assign(m, target, value)


@statement(ast.AnnAssign)
def _annassign(m: Machine, node: ast.AnnAssign) -> None:
    if node.value is not None:
        assign(m, node.target, m.eval(node.value))


@statement(ast.AugAssign)
def _augassign(m: Machine, node: ast.AugAssign) -> None:
    load = as_load(node.target)
    op = operator_of(node.op)
    old, more = m.eval(load), m.eval(node.value)
    new = old if _in_place(op, old, more) else binary(m, node, op, old, more)
    if isinstance(old, HostTensor):  # the tensor itself has changed, for all that share it
        old.forget()
    assign(m, node.target, new)


def _in_place(op: str, old: Any, more: Any) -> bool:
    """`x += y` of a container changes the object itself, which other names may share."""
    if isinstance(old, list) and op == "+" and isinstance(more, (list, tuple, range)):
        if len(old) + len(more) > MAX_SEQUENCE:
            return False
        old.extend(more)
    elif isinstance(old, list) and op == "*" and isinstance(more, int):
        if len(old) * max(more, 0) > MAX_SEQUENCE:
            return False
        old *= more
    elif isinstance(old, dict) and op == "|" and isinstance(more, dict):
        old.update(more)
    elif isinstance(old, set) and op == "|" and isinstance(more, set):
        old |= more
    else:
        return False
    return True


def as_load(target: ast.expr) -> ast.expr:
    """The target of an augmented assignment, read."""
    kind = type(target)
    fields = {name: getattr(target, name) for name in target._fields}
    fields["ctx"] = ast.Load()
    copy = ast.copy_location(kind(**fields), target)
    copy.tl_home, copy.tl_node = target.tl_home, target.tl_node  # type: ignore[attr-defined]
    return copy


def assign(m: Machine, target: ast.expr, value: Any) -> None:
    """Bind a value to any assignment target."""
    if isinstance(target, ast.Name):
        _assign_name(m, target, value)
    elif isinstance(target, (ast.Tuple, ast.List)):
        _unpack(m, target, value)
    elif isinstance(target, ast.Starred):
        assign(m, target.value, value)
    elif isinstance(target, ast.Attribute):
        owner = m.eval(target.value)
        if isinstance(owner, Instance):
            _assign_attribute(owner, target.attr, value)
        elif isinstance(owner, (Namespace, ClassValue)):
            owner.attributes[target.attr] = value
    elif isinstance(target, ast.Subscript):
        _assign_item(m, target, value)


def _assign_name(m: Machine, target: ast.Name, value: Any) -> None:
    found = m.env.lookup(target.id) if m.builder is not None else None
    if found and isinstance(found[0], Buffer) and found[0].scope == "var" and m.builder is not None:
        if not isinstance(value, Buffer):
            m.builder.emit(Store(found[0], (), value, span_of(target)))
            return
    owner = m.env.owner()
    (owner.redirect.get(target.id) or m.env).names[target.id] = value


def _assign_attribute(owner: Instance, name: str, value: Any) -> None:
    """A property with a setter may change anything of its object."""
    try:
        known = owner.cls.find(name)
    except KeyError:
        known = None
    if isinstance(known, Unknown) or (
        isinstance(known, Function) and "property" in known.decorated
    ):
        for other in [*owner.attributes, name]:
            owner.attributes[other] = Unknown(f"the setter of {name} may have changed it")
        return
    owner.attributes[name] = value


def _unpack(m: Machine, target: ast.Tuple | ast.List, value: Any) -> None:
    for part, item in zip(target.elts, unpacked(target, value), strict=True):
        assign(m, part, item)


def unpacked(target: ast.Tuple | ast.List, value: Any) -> list[Any]:
    """The value of each name of a tuple target. Errors: Mistake, where the numbers differ."""
    count = len(target.elts)
    values = spread(value, count)
    starred = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
    if starred and not isinstance(value, Unknown) and len(values) >= count - 1:
        at = starred[0]
        tail = len(values) - (count - at - 1)
        values = [*values[:at], values[at:tail], *values[tail:]]
    if len(values) != count:
        text = f"cannot unpack {len(values)} values into {count} names"
        raise Mistake("python-error", target, text)
    return values


def spread(value: Any, count: int) -> list[Any]:
    """The values that an unpacking takes; unknown ones where the value is unknown."""
    if isinstance(value, (list, tuple, str, range, dict)):
        return items_of(value)
    reason = value if isinstance(value, Unknown) else Unknown("the value is not unpacked")
    return [reason] * count


def _assign_item(m: Machine, target: ast.Subscript, value: Any) -> None:
    owner, index = m.eval(target.value), m.eval(target.slice)
    try:
        if isinstance(owner, (dict, list)) and not first_unknown(index):
            owner[index] = value
        elif isinstance(owner, HostTensor):
            owner.store(index, value)
    except (IndexError, TypeError):
        raise Mistake(
            "python-error", target, f"IndexError: index {index!r} is out of range"
        ) from None


@statement(ast.FunctionDef)
def _functiondef(m: Machine, node: ast.FunctionDef) -> None:
    from tl_ascend.frontend.decorators import define

    m.env.names[node.name] = define(m, node)


@statement(ast.ClassDef)
def _classdef(m: Machine, node: ast.ClassDef) -> None:
    bases = tuple(m.eval(b) for b in node.bases)
    decorators = [m.eval(d) for d in node.decorator_list]
    env = Env(m.env)
    with m.scope(env):
        m.run(node.body)
    cls = ClassValue(node.name, bases, env.names, node)
    finish_class(cls)
    for decorator in reversed(decorators):
        if isinstance(decorator, Builtin):
            decorator.call(m, node, [cls], {})
        elif isinstance(decorator, Unknown):
            cls.kind = cls.kind or "unknown"
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
        first_left = _side(m, first)
        after_first = dict(m.env.names)
        m.env.names.clear()
        m.env.names.update(before)
        second_left = _side(m, second)
    if first_left and second_left:
        raise Returned(m.frames[-1].maybe.pop() if m.frames and m.frames[-1].maybe else None)
    if second_left:
        m.env.names.clear()
        m.env.names.update(after_first)
    elif not first_left:
        _merge(m, node, condition, after_first)


def _side(m: Machine, body: list[ast.stmt]) -> bool:
    """Run one side; True where it leaves the function (or raises)."""
    try:
        m.run(body)
    except Returned as returned:
        if m.frames:
            m.frames[-1].maybe.append(returned.value)
        return True
    except Raised:
        return True
    except LoopExit:
        return False
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
        m.env.names[name] = Unknown(cause, span_of(node))


def _loop(m: Machine, node: ast.For) -> None:
    items = iterate(m, node.iter)
    if isinstance(items, Unknown):
        assign(m, node.target, items)
        _forget(m, node, "assigned in a loop over an unknown value")
        _once(m, node.body)
        return
    if m.in_host_loop and len(items) > 1 and only_last_matters(node, partial(_value_before, m)):
        items = list(items[-1:])
    for item in items:
        m.tick()
        assign(m, node.target, item)
        try:
            m.run(node.body)
        except LoopExit as leave:
            if not leave.again:
                return
    m.run(node.orelse)


def _value_before(m: Machine, name: str) -> Any:
    found = m.env.lookup(name)
    return found[0] if found is not None else None


def _once(m: Machine, body: list[ast.stmt]) -> None:
    """A body that runs an unknown number of times, run once for the kernels that it builds."""
    try:
        m.run(body)
    except LoopExit:
        return


def iterate(m: Machine, node: ast.expr) -> Any:
    """The items of an iterable, or Unknown."""
    value = variable(m.eval(node))
    if isinstance(value, (list, tuple, range, str, dict, set)):
        return list(value) if isinstance(value, (dict, set)) else value
    if isinstance(value, Unknown):
        return value
    if isinstance(value, LoopSpec) and value.kind == "range":
        return Unknown("a range with a symbolic bound", span_of(node))
    return Unknown("this value is not iterated", span_of(node))


@statement(ast.While)
def _while(m: Machine, node: ast.While) -> None:
    _capped(m, node, lambda: _while_loop(m, node))


def _while_loop(m: Machine, node: ast.While) -> None:
    while True:
        m.tick()
        truth = truth_of(m.eval(node.test))
        if not isinstance(truth, bool):
            _forget(m, node, "assigned in a loop with an unknown condition")
            _once(m, node.body)
            return
        if not truth:
            m.run(node.orelse)
            return
        try:
            m.run(node.body)
        except LoopExit as leave:
            if not leave.again:
                return


@statement(ast.With)
def _with(m: Machine, node: ast.With) -> None:
    failing = 0
    for item in node.items:
        value = m.eval(item.context_expr)
        if isinstance(value, Namespace) and value.name == "pytest.raises":
            failing += 1
        if item.optional_vars is not None:
            assign(m, item.optional_vars, Unknown("a context manager's value", span_of(node)))
    m.expecting_failure += failing
    try:
        m.run(node.body)
    except Raised:
        if not failing:
            raise
    finally:
        m.expecting_failure -= failing


@statement(ast.Try)
def _try(m: Machine, node: ast.Try) -> None:
    m.tolerant += 1
    try:
        with m.catching(bool(node.handlers)):
            m.run(node.body)
    except Raised as error:
        handler = next((h for h in node.handlers if _handles(h, error.message)), None)
        if handler is None:
            raise
        m.tolerant -= 1
        try:
            m.run(handler.body)
        finally:
            m.tolerant += 1
    finally:
        m.tolerant -= 1
    m.run(node.finalbody)


_GENERAL = ("Exception", "BaseException", "LookupError", "ArithmeticError")


def _handles(handler: ast.ExceptHandler, message: str) -> bool:
    """By the name of the exception; what is not known is taken to be handled."""
    if handler.type is None:
        return True
    names = ast.unparse(handler.type)
    raised = message.split(":", 1)[0]
    builtin = raised.isidentifier() and raised.endswith("Error")
    return not builtin or raised in names or any(g in names for g in _GENERAL)


@statement(ast.Raise)
def _raise(m: Machine, node: ast.Raise) -> None:
    text = "an exception is raised"
    if node.exc is not None:
        text = _exception_text(m, node.exc)
    raise Raised(span_of(node), text)


def shown(node: ast.expr) -> str:
    """An expression as the author wrote it, for a message."""
    try:
        return f"`{ast.unparse(node)[:MAX_SHOWN]}`"
    except (ValueError, RecursionError):  # a number too long to be printed, nesting without an end
        return "this expression"


def _exception_text(m: Machine, node: ast.expr) -> str:
    if isinstance(node, ast.Call):
        args = [m.eval(a) for a in node.args]
        said = ", ".join(
            a if isinstance(a, str) else repr(a) for a in args if not isinstance(a, Unknown)
        )
        name = shown(node.func).strip("`")
        return f"{name}: {said}" if said else name
    return shown(node).strip("`")


@statement(ast.Assert)
def _assert(m: Machine, node: ast.Assert) -> None:
    truth = truth_of(m.eval(node.test))
    if truth is False and m.strict:
        message = m.eval(node.msg) if node.msg is not None else None
        said = f": {message}" if isinstance(message, str) else ""
        raise Raised(span_of(node), f"AssertionError: {shown(node.test)} is false{said}")


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
        value = m.program.import_name(m, node, node.module or "", node.level, alias.name)
        m.env.names[alias.asname or alias.name] = value


@statement(ast.Delete)
def _delete(m: Machine, node: ast.Delete) -> None:
    for target in node.targets:
        if isinstance(target, ast.Name):
            m.env.names.pop(target.id, None)
        elif isinstance(target, ast.Subscript):
            _delete_item(m, target)


def _delete_item(m: Machine, target: ast.Subscript) -> None:
    owner, index = m.eval(target.value), m.eval(target.slice)
    try:
        if isinstance(owner, (dict, list)) and first_unknown(index) is None:
            del owner[index]
            return
    except (KeyError, IndexError, TypeError):
        pass
    if isinstance(target.value, ast.Name):
        m.env.names[target.value.id] = Unknown("an element was deleted", span_of(target))


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
