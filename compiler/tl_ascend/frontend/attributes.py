"""`x.name`: members of modules, objects, buffers and Python values."""

from __future__ import annotations

import ast
from dataclasses import replace
from typing import Any

from tl_ascend.frontend.machine import Machine, python_error
from tl_ascend.frontend.models.autograd import apply_function
from tl_ascend.frontend.models.classes import fields_of
from tl_ascend.frontend.streams import NATIVE
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
    SuperRef,
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
        return owner.standing(span_of(node))
    if isinstance(owner, Namespace):
        return _of_namespace(m, node, owner, name)
    if isinstance(owner, Instance):
        return _of_instance(m, node, owner, name)
    if isinstance(owner, ClassValue):
        return _of_class(m, node, owner, name)
    if isinstance(owner, SuperRef):
        return _of_super(m, node, owner, name)
    if isinstance(owner, (BaseException, type)):
        return _of_exception(node, owner, name)
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
    return bound_member(m, node, owner, owner.cls, name)


def bound_member(m: Machine, node: ast.AST, owner: Any, cls: ClassValue, name: str) -> Any:
    """A member of the class of an object: methods are bound, properties computed."""
    try:
        value = cls.find(name)
    except KeyError:
        return _missing(node, owner, cls, name)
    return bound(m, node, owner, cls, value)


def bound(m: Machine, node: ast.AST, owner: Any, cls: ClassValue, value: Any) -> Any:
    """What a member of a class is on an object."""
    if isinstance(value, JitFactory) and not value.static:
        return replace(value, owner=owner)
    if isinstance(value, Function):
        if "staticmethod" in value.decorated:
            return value
        method = BoundMethod(cls if "classmethod" in value.decorated else owner, value)
        if "property" in value.decorated:
            from tl_ascend.frontend.calls import invoke

            return invoke(m, node, method, [], {})
        return method
    return value


def _missing(node: ast.AST, owner: Any, cls: ClassValue, name: str) -> Any:
    if name == "__class__":
        return cls
    if cls.exception is not None and name == "args":
        return Unknown("the arguments of this exception", span_of(node))
    loose = getattr(owner, "loose", False) or name.startswith("__")
    if loose or cls.decorated or cls.defines("__getattr__", "__getattribute__"):
        return Unknown(f"attribute {name} is not known", span_of(node))
    raise python_error(node, AttributeError(f"{cls.name!r} object has no attribute {name!r}"))


def _of_class(m: Machine, node: ast.AST, owner: ClassValue, name: str) -> Any:
    try:
        value = owner.find(name)
    except KeyError:
        return _missing_in_class(node, owner, name)
    if isinstance(value, Function) and "classmethod" in value.decorated:
        return BoundMethod(owner, value)
    return value


def _missing_in_class(node: ast.AST, owner: ClassValue, name: str) -> Any:
    if name == "__name__":
        return owner.name
    if name == "__doc__":
        return _docstring(node, owner)
    if name == "_fields" and owner.kind == "tuple":
        return tuple(fields_of(owner))
    if name == "apply":
        return Builtin(name, lambda m2, at, args, kw: apply_function(m2, at, owner, args))
    if owner.kind == "enum" and not owner.decorated and not owner.defines() and name[0] != "_":
        raise python_error(node, AttributeError(f"{owner.name} has no member {name!r}"))
    return Unknown(f"{owner.name}.{name} is not known", span_of(node))


def _docstring(node: ast.AST, owner: ClassValue) -> Any:
    found = ast.get_docstring(owner.node, False) if isinstance(owner.node, ast.ClassDef) else None
    return found or Unknown("a docstring that Python makes", span_of(node))


def _of_super(m: Machine, node: ast.AST, owner: SuperRef, name: str) -> Any:
    cls = owner.owner if isinstance(owner.owner, ClassValue) else getattr(owner.owner, "cls", None)
    if not isinstance(cls, ClassValue) or len(cls.bases) > 1 or len(owner.cls.bases) > 1:
        return Unknown("super() with several bases is not evaluated", span_of(node))
    try:
        return bound(m, node, owner.owner, cls, owner.find(name))
    except KeyError:
        pass
    if name != "__init__" or owner.cls.defines("__init_subclass__"):
        return Unknown(f"super().{name} is not known", span_of(node))

    def init(m: Machine, at: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> None:
        if isinstance(owner.owner, Instance) and cls.exception is not None:
            owner.owner.attributes["args"] = tuple(args)

    return Builtin(name, init)


def _of_exception(node: ast.AST, owner: BaseException | type, name: str) -> Any:
    if isinstance(owner, type):
        return owner.__name__ if name == "__name__" else Unknown(f"{name} of an exception")
    if name == "args":
        return owner.args
    return Unknown(f"attribute {name} of an exception is not evaluated", span_of(node))


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
    kind = type(owner)
    methods = m.program.methods.get(kind, {})
    if name in methods:
        method = methods[name]
        return Builtin(name, lambda m2, at, args, kwargs: method(m2, at, owner, args, kwargs))
    if isinstance(owner, Function) and isinstance(owner.node, ast.FunctionDef):
        if name in ("__name__", "__qualname__"):
            return owner.name
        if name == "__doc__":
            return ast.get_docstring(owner.node, clean=False)
    if kind in (int, float) and name == "value":  # of a constant that T folded
        return owner
    if kind in NATIVE - {int, float} and not hasattr(owner, name):
        kind_name = kind.__name__
        raise python_error(node, AttributeError(f"{kind_name!r} object has no attribute {name!r}"))
    if kind in (int, float, bool, complex) and name in ("real", "imag"):
        return getattr(owner, name)
    return Unknown(f"attribute {name} is not evaluated", span_of(node))
