"""Output from the device."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tl_ascend.backends.common.quoted import quoted
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types
from tl_ascend.backends.pto.rules import rule
from tl_ascend.ir.nodes import Buffer, Region
from tl_ascend.target.dtypes import FLOAT32
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto


@rule("printf")
def printf(emission: Pto, call: Call) -> None:
    """The device's printf knows no pointers; tensors print their address as a number."""
    text = call.word("format_str").replace("%p", "0x%x")
    extra = call.op.args[len(call.row.params) :]
    values = [v for arg in extra for v in (arg if isinstance(arg, tuple) else (arg,))]
    shown = [_shown(emission, call, value) for value in values]
    emission.call("cce::printf", quoted(text), *shown)


def _shown(emission: Pto, call: Call, value: Any) -> str:
    if isinstance(value, Region) and value.form == "start":
        return emission.element_text(value.buffer, value.starts)
    if isinstance(value, (Region, Buffer)):
        buffer = value.buffer if isinstance(value, Region) else value
        if emission.kernel.memory(buffer) is Memory.GM:
            return f"reinterpret_cast<uint64_t>({emission.handle(buffer)})"
        return str(emission.kernel.place(buffer).address)
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
def dump_tensor(emission: Pto, call: Call) -> None:
    """Its template has a header of its own."""
    check_types(emission, call)
    emission.includes.add("tl_templates/pto/printf.h")
    tensor, shape = call.region("tensor"), call.arg("shape_info") or ()
    sizes = [emission.values.index(size) for size in shape]
    in_gm = emission.memory(tensor) is Memory.GM
    handle = emission.handle(tensor.buffer) if in_gm else emission.buffers[tensor.buffer.uid]
    numbers = [emission.values.index(call.arg(name)) for name in ("desc", "dump_size")]
    passed = (handle, *numbers, str(len(sizes)))
    if not sizes:
        emission.call("tl::ascend_pto::DumpTensor", *passed, "nullptr")
        return
    with emission.block(""):  # no `(uint32_t[]){..}`, which C++ does not have
        name = emission.names.fresh("shape")
        emission.out.line(f"const uint32_t {name}[] = {{{', '.join(sizes)}}};")
        emission.call("tl::ascend_pto::DumpTensor", *passed, name)
