"""`x.name`: members of modules, objects, buffers and Python values."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from tl_ascend.frontend.machine import Machine
from tl_ascend.frontend.models.autograd import apply_function
from tl_ascend.frontend.values import (
    BoundMethod,
    Builtin,
    ClassValue,
    DTypeRef,
    Env,
    Function,
    Instance,
    JitFactory,
    Namespace,
    Unknown,
)
from tl_ascend.ir.nodes import Buffer, Region
from tl_ascend.source.units import span_of


def attribute(m: Machine, node: ast.Attribute, owner: Any) -> Any:
    """The value of `owner.name`."""
    return member(m, node, owner, node.attr)


def member(m: Machine, node: ast.AST, owner: Any, name: str) -> Any:
    """The value of an attribute by its name."""
    if isinstance(owner, Unknown):
        return owner
    if isinstance(owner, Namespace):
        return _of_namespace(m, node, owner, name)
    if isinstance(owner, Instance):
        return _of_instance(m, node, owner, name)
    if isinstance(owner, ClassValue):
        try:
            return owner.find(name)
        except KeyError:
            if name == "apply":
                return Builtin(name, lambda m2, at, args, kw: apply_function(m2, at, owner, args))
            return Unknown(f"{owner.name}.{name} is not known", span_of(node))
    if isinstance(owner, Buffer):
        return _of_buffer(owner, name, node)
    if isinstance(owner, Region) and name == "dtype":
        return DTypeRef(owner.buffer.dtype.name)
    if isinstance(owner, JitFactory):
        return _of_factory(owner, name, node)
    model = m.program.attribute_models.get(type(owner))
    if model is not None:
        return model(m, node, owner, name)
    return _of_python(m, node, owner, name)


def _of_namespace(m: Machine, node: ast.AST, owner: Namespace, name: str) -> Any:
    if name in owner.attributes:
        value = owner.attributes[name]
        env = owner.attributes.get("__env__")
        if isinstance(env, Env) and env.globals is not None:
            m.program.note_read(env.globals, name, value)
        return value
    if owner.lookup is not None:
        return owner.lookup(m, node, name)
    if owner.fallback is not None:
        return owner.fallback(name)
    return Unknown(f"{owner.name}.{name} is not evaluated")


def _of_instance(m: Machine, node: ast.AST, owner: Instance, name: str) -> Any:
    if name in owner.attributes:
        return owner.attributes[name]
    try:
        value = owner.cls.find(name)
    except KeyError:
        return Unknown(f"attribute {name} is not known", span_of(node))
    if isinstance(value, JitFactory) and not value.static:
        return replace(value, owner=owner)
    if isinstance(value, Function):
        if "staticmethod" in value.decorated:
            return value
        bound = BoundMethod(owner.cls if "classmethod" in value.decorated else owner, value)
        if "property" in value.decorated:
            from tl_ascend.frontend.calls import invoke

            return invoke(m, node, bound, [], {})
        return bound
    return value


def _of_buffer(owner: Buffer, name: str, node: ast.AST) -> Any:
    if name == "shape":
        return owner.shape
    if name == "dtype":
        return DTypeRef(owner.dtype.name)
    if name == "name":
        return owner.name
    return Unknown(f"{owner.name}.{name} is not evaluated", span_of(node))


def _of_factory(owner: JitFactory, name: str, node: ast.AST) -> Any:
    if name == "__jit_impl__":
        return Namespace("jit", dict(owner.settings))
    if name == "__name__":
        return owner.function.name
    return Unknown(f"{owner.function.name}.{name} is not evaluated", span_of(node))


def _of_python(m: Machine, node: ast.AST, owner: Any, name: str) -> Any:
    methods = m.program.methods.get(type(owner), {})
    if name in methods:
        method = methods[name]
        return Builtin(name, lambda m2, at, args, kwargs: method(m2, at, owner, args, kwargs))
    if name == "__name__" and isinstance(owner, Function):
        return owner.name
    return Unknown(f"attribute {name} is not evaluated", span_of(node))
