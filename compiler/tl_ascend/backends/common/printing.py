"""What the device's printf is given: it knows no pointers and no small floats."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tl_ascend.backends.common.quoted import quoted
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.ir.nodes import Buffer, Region
from tl_ascend.target.dtypes import FLOAT32

if TYPE_CHECKING:
    from tl_ascend.backends.common.emission import Emission


def printed(emission: Emission, call: Call, of_tile: Callable[[Region | Buffer], str]) -> list[str]:
    """The format and the values of T.printf. `of_tile`: of an element (form `start`) or of the address
    of a tensor, which is printed as a number. Errors: Refusal."""
    extra = call.op.args[len(call.row.params) :]
    values = [v for arg in extra for v in (arg if isinstance(arg, tuple) else (arg,))]
    text = call.word("format_str").replace("%p", "0x%x")
    return [quoted(text), *(_shown(emission, call, of_tile, value) for value in values)]


def _shown(
    emission: Emission, call: Call, of_tile: Callable[[Region | Buffer], str], value: Any
) -> str:
    if isinstance(value, (Region, Buffer)):
        return of_tile(value)
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, (list, dict, type(None))):
        raise Refusal("not-lowered", call.op.span, f"T.printf cannot show {value!r}")
    found = emission.values.value(value)
    if found.type.kind == "float" and found.type != FLOAT32:
        # A variable argument must be a type that C knows.
        return emission.values.typed(value, FLOAT32)
    return found.text
