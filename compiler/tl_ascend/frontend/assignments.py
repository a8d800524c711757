"""What targets take: names, attributes, elements, and several of them at once."""

from __future__ import annotations

import ast
import itertools
from typing import Any

from tl_ascend.frontend.attributes import member
from tl_ascend.frontend.changes import Stream, forget, is_many
from tl_ascend.frontend.expressions import binary, operator_of
from tl_ascend.frontend.machine import UNDECIDED, Machine, python_error, statement
from tl_ascend.frontend.models.torch import HostTensor
from tl_ascend.frontend.streams import ERRORS, ITERABLE, NATIVE, drained, iterable, plain
from tl_ascend.frontend.subscripts import subscript_of
from tl_ascend.frontend.values import (
    ClassValue,
    Function,
    Instance,
    Namespace,
    Unknown,
    first_unknown,
)
from tl_ascend.ir.nodes import Buffer, Store
from tl_ascend.source.units import span_of

MAX_SEQUENCE = 100_000


@statement(ast.AugAssign)
def _augassign(m: Machine, node: ast.AugAssign) -> None:
    """The target is evaluated once, read, and then written."""
    target, op = node.target, operator_of(node.op)
    if isinstance(target, ast.Attribute):
        owner = m.eval(target.value)
        old = member(m, target, owner, target.attr)
        set_attribute(m, owner, target.attr, _changed(m, node, op, old))
    elif isinstance(target, ast.Subscript):
        owner, index = m.eval(target.value), m.eval(target.slice)
        old = subscript_of(m, target, owner, index)
        store_item(m, target, owner, index, _changed(m, node, op, old))
    else:
        assign(m, target, _changed(m, node, op, m.eval(as_load(target))))


def _changed(m: Machine, node: ast.AugAssign, op: str, old: Any) -> Any:
    more = m.eval(node.value)
    m.changing(old)
    new = old if _in_place(m, node, op, old, more) else binary(m, node, op, old, more)
    if isinstance(old, HostTensor):  # the tensor itself has changed, for all that share it
        old.forget()
    return new


def _in_place(m: Machine, node: ast.AST, op: str, old: Any, more: Any) -> bool:
    """`x += y` of a container changes the object itself, which other names may share."""
    if isinstance(old, (list, dict, set)) and (isinstance(more, Unknown) or is_many(old)):
        forget(old, first_unknown(more) or UNDECIDED)
    elif isinstance(old, list) and op == "+":
        items = drained(m, node, more)
        if len(old) + len(items) > MAX_SEQUENCE:
            return False
        old.extend(items)
    elif isinstance(old, list) and op == "*" and isinstance(more, int):
        if len(old) * max(more, 0) > MAX_SEQUENCE:
            return False
        old *= more
    elif isinstance(old, dict) and op == "|" and isinstance(more, dict):
        old.update(more)
    elif isinstance(old, set) and isinstance(more, (set, frozenset)) and op in _SETS:
        unknown = first_unknown(old, more)
        if unknown is not None:
            forget(old, unknown)
        else:
            _SETS[op](old, more)
    else:
        return False
    return True


_SETS = {
    "|": set.update,
    "&": set.intersection_update,
    "-": set.difference_update,
    "^": set.symmetric_difference_update,
}


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
        set_attribute(m, m.eval(target.value), target.attr, value)
    elif isinstance(target, ast.Subscript):
        store_item(m, target, m.eval(target.value), m.eval(target.slice), value)


def _assign_name(m: Machine, target: ast.Name, value: Any) -> None:
    found = m.env.lookup(target.id) if m.builder is not None else None
    if found and isinstance(found[0], Buffer) and found[0].scope == "var" and m.builder is not None:
        if not isinstance(value, Buffer):
            m.builder.emit(Store(found[0], (), value, span_of(target)))
            return
    other = m.env.owner().redirect.get(target.id)
    if other is not None:
        m.changing(other, target.id)
    (other or m.env).names[target.id] = value


def set_attribute(m: Machine, owner: Any, name: str, value: Any) -> None:
    """`owner.name = value`. A property with a setter may change anything of its object."""
    m.changing(owner, name)
    if isinstance(owner, (Namespace, ClassValue)):
        owner.attributes[name] = value
    if not isinstance(owner, Instance):
        return
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
    for part, item in zip(target.elts, unpacked(m, target, value), strict=True):
        assign(m, part, item)


def unpacked(m: Machine, target: ast.Tuple | ast.List, value: Any) -> list[Any]:
    """The value of each name of a tuple target. Errors: Mistake, where the numbers differ."""
    count = len(target.elts)
    starred = [i for i, t in enumerate(target.elts) if isinstance(t, ast.Starred)]
    values = _spread(m, target, value, None if starred else count)
    if values is None:
        reason = value if isinstance(value, Unknown) else Unknown("the value is not unpacked")
        return [reason] * count
    if starred and len(values) >= count - 1:
        at = starred[0]
        tail = len(values) - (count - at - 1)
        values = [*values[:at], values[at:tail], *values[tail:]]
    if len(values) != count:
        text = f"cannot unpack {len(values)} values into {count} names"
        raise python_error(target, ValueError(text))
    return values


def _spread(m: Machine, target: ast.AST, value: Any, count: int | None) -> list[Any] | None:
    """The values that an unpacking takes, None where they are not known."""
    if isinstance(value, Stream) and count is not None:
        return list(itertools.islice(value, count + 1))
    lazy = isinstance(value, Stream) or (isinstance(value, ClassValue) and value.kind == "enum")
    if is_many(value) or not (lazy or isinstance(value, ITERABLE)):
        if type(value) in NATIVE and not is_many(value):
            iterable(m, target, value)  # which says that it is none
        return None
    return drained(m, target, value)


def store_item(m: Machine, target: ast.Subscript, owner: Any, index: Any, value: Any) -> None:
    """`owner[index] = value`."""
    if isinstance(owner, HostTensor):
        owner.store(index, value)
        return
    if type(owner) not in NATIVE:
        return
    m.changing(owner)
    if isinstance(index, slice) and isinstance(value, (Stream, ClassValue)):
        value = drained(m, target, value)
    why = first_unknown(index) or (first_unknown(value) if isinstance(index, slice) else None)
    if is_many(owner):
        return
    if why is not None or not plain(index):
        forget(owner, why or Unknown("an element was set whose index is not known"))
        return
    try:
        owner[index] = value
    except IndexError as error:
        text = f"index {index!r} is out of range"
        raise python_error(target, error, text) from None
    except ERRORS as error:
        raise python_error(target, error) from None


def delete_item(m: Machine, target: ast.Subscript) -> None:
    """`del owner[index]`."""
    owner, index = m.eval(target.value), m.eval(target.slice)
    if type(owner) not in NATIVE or is_many(owner):
        return
    m.changing(owner)
    unknown = first_unknown(index)
    if unknown is not None or not plain(index):
        forget(owner, unknown or Unknown("an element was deleted", span_of(target)))
        return
    try:
        del owner[index]
    except ERRORS as error:
        raise python_error(target, error) from None
