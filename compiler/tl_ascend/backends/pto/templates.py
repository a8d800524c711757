"""Instructions that a row gives as text (`ops.row.Template`): tiles of one size, and scalars."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING, Any

from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types, deciding
from tl_ascend.ir.nodes import Region
from tl_ascend.ops.row import Param, Template

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto


def write(emission: Pto, call: Call, template: Template) -> None:
    """Write the call on tiles of one shape."""
    check_types(emission, call)
    regions = {
        param.name: arg
        for param, arg in zip(call.row.params, call.op.args, strict=False)
        if isinstance(arg, Region)
    }
    tiles = dict(zip(regions, emission.tiles.alike(list(regions.values())), strict=True))
    parts = []
    for text, name, _, _ in string.Formatter().parse(template.text):
        parts.append(text)
        if name:
            parts.append(tiles[name] if name in tiles else scalar(emission, call, name))
    emission.out.line("".join(parts) + ";")


def scalar(emission: Pto, call: Call, name: str) -> str:
    """A scalar argument in the element type of the tile that decides."""
    param, arg = _given(call, name)
    if isinstance(arg, str):
        return call.choice(name)
    if param.kind == "int":
        return emission.values.index(arg)
    if arg is None:
        raise Refusal("not-lowered", call.op.span, f"{name} is missing")
    return emission.values.typed(arg, deciding(call).buffer.dtype)


def _given(call: Call, name: str) -> tuple[Param, Any]:
    at = call.row.index(name)
    return call.row.params[at], call.op.args[at]
