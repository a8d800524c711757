"""`torch.autograd.Function` of the user: `apply` runs forward, and backward with unknown gradients."""

from __future__ import annotations

import ast
from typing import Any

from tl_ascend.frontend.machine import Machine
from tl_ascend.frontend.values import Builtin, ClassValue, Function, Namespace, Unknown
from tl_ascend.source.units import span_of


def apply_function(m: Machine, node: ast.AST, cls: ClassValue, args: list[Any]) -> Any:
    """The output of forward. Kernels that only backward builds are found, too."""
    from tl_ascend.frontend.calls import call_function

    context = _context()
    forward = _method(cls, "forward")
    if forward is None:
        return Unknown(f"{cls.name}.apply is not evaluated", span_of(node))
    result = call_function(m, node, forward, [context, *args], {})
    backward = _method(cls, "backward")
    if backward is not None and m.builder is None:
        outputs = list(result) if isinstance(result, (list, tuple)) else [result]
        call_function(m, node, backward, [context, *outputs], {})
    return result


def _method(cls: ClassValue, name: str) -> Function | None:
    try:
        value = cls.find(name)
    except KeyError:
        return None
    return value if isinstance(value, Function) else None


def _context() -> Namespace:
    context = Namespace("ctx", {"saved_tensors": ()})

    def save(m: Machine, node: ast.AST, args: list[Any], kwargs: dict[str, Any]) -> None:
        context.attributes["saved_tensors"] = tuple(args)

    context.attributes["save_for_backward"] = Builtin("save_for_backward", save)
    context.attributes["needs_input_grad"] = Unknown("which gradients are needed")
    return context
