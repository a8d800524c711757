"""Output from the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tl_ascend.backends.ascendc.rules import rule
from tl_ascend.backends.common.quoted import quoted
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types
from tl_ascend.ir.nodes import Buffer, Region
from tl_ascend.target.dtypes import FLOAT16, FLOAT32

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission


@rule("printf")
def printf(emission: Emission, call: Call) -> None:
    """The device's printf knows no pointers; tensors print their address as a number."""
    text = call.word("format_str").replace("%p", "0x%x")
    extra = call.op.args[len(call.row.params) :]
    values = [v for arg in extra for v in (arg if isinstance(arg, tuple) else (arg,))]
    shown = [_shown(emission, call, value) for value in values]
    emission.call("AscendC::PRINTF", quoted(text), *shown)


def _shown(emission: Emission, call: Call, value: Any) -> str:
    if isinstance(value, Region):
        if value.form == "start":
            element = emission.pointer(value)
            return f"{element}.GetValue(0)"
        value = value.buffer
    if isinstance(value, Buffer):
        return f"{emission.tensor(value)}.GetPhyAddr()"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, (list, dict, type(None))):
        raise Refusal("not-lowered", call.op.span, f"T.printf cannot show {value!r}")
    found = emission.values.value(value)
    if found.type.kind == "float" and found.type != FLOAT32:
        # A variable argument must be a type that C knows.
        return emission.values.typed(value, FLOAT32)
    return found.text


@rule("dump_tensor")
def dump_tensor(emission: Emission, call: Call) -> None:
    """Its template has a header of its own."""
    check_types(emission, call)
    emission.includes.add("tl_templates/ascend/printf.h")
    shape = call.arg("shape_info") or ()
    sizes = [emission.values.index(size) for size in shape]
    emission.call(
        "tl::ascend::DumpTensor",
        emission.pointer(call.region("tensor")),
        emission.values.index(call.arg("desc")),
        emission.values.index(call.arg("dump_size")),
        str(len(sizes)),
        f"(uint32_t[]){{{', '.join(sizes)}}}" if sizes else "nullptr",
    )


@rule("set_deq_scale")
def set_deq_scale(emission: Emission, call: Call) -> None:
    """The register holds a half."""
    emission.call("AscendC::SetDeqScale", emission.values.typed(call.arg("scale"), FLOAT16))
