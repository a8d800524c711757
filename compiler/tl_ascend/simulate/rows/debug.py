"""Output from the device, which the result collects."""

from __future__ import annotations

import re
from typing import Any

from tl_ascend.ir.expr import Load
from tl_ascend.ir.nodes import Buffer, Region
from tl_ascend.simulate.call import Call
from tl_ascend.simulate.expressions import cast_to
from tl_ascend.simulate.machine import Printed
from tl_ascend.simulate.registry import semantic
from tl_ascend.target.dtypes import FLOAT16

_FIELD = re.compile(r"%([-+ #0]*)(\d*)(\.\d+)?(hh|h|ll|l|z|j|t)?([diuoxXeEfFgGcspa%])")


@semantic("printf")
def printf(call: Call) -> None:
    """Text as C's printf makes it; a tensor shows as its name."""
    extra = call.op.args[len(call.row.params) :]
    given = [v for arg in extra for v in (arg if isinstance(arg, tuple) else (arg,))]
    values = iter([_shown(call, value) for value in given])

    def field(match: re.Match[str]) -> str:
        flags, width, digits, _, kind = match.groups()
        if kind == "%":
            return "%"
        value = next(values, "?")
        if isinstance(value, str) or kind in "ps":
            return f"{value}".rjust(int(width or 0))
        whole = kind in "diuoxXc"
        kind = {"u": "d", "i": "d"}.get(kind, kind)
        return f"%{flags}{width}{digits or ''}{kind}" % (int(value) if whole else float(value))

    text = _FIELD.sub(field, call.word("format_str"))
    call.machine.printed.append(Printed(str(call.core), text))


def _shown(call: Call, value: Any) -> Any:
    if isinstance(value, Region):
        if value.form != "start":
            return value.buffer.name
        value = Load(value.buffer, value.starts)
    if isinstance(value, Buffer):
        return value.name
    return value if isinstance(value, str) else call.core.evaluate(value)[0]


@semantic("dump_tensor")
def dump_tensor(call: Call) -> None:
    count, mark = call.number("dump_size"), call.number("desc")
    tile = call.box("tensor").read_run(count)
    call.machine.printed.append(Printed(str(call.core), "", mark, tile.values.copy()))


@semantic("set_deq_scale")
def set_deq_scale(call: Call) -> None:
    """The register holds a half."""
    found = call.core.decide(call.arg("scale"), "the scale")
    call.core.deq_scale = cast_to(found, FLOAT16)
