"""Output from the device."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tl_ascend.backends.common.printing import printed
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.backends.common.types import check_types
from tl_ascend.backends.pto.rules import rule
from tl_ascend.ir.constants import number_of
from tl_ascend.ir.nodes import Buffer, Region
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto


@rule("printf")
def printf(emission: Pto, call: Call) -> None:
    emission.call("cce::printf", *printed(emission, call, partial(_of_tile, emission)))


def _of_tile(emission: Pto, value: Region | Buffer) -> str:
    if isinstance(value, Region):
        if value.form == "start":
            return emission.element_text(value.buffer, value.starts)
        value = value.buffer
    if emission.kernel.memory(value) is Memory.GM:
        return f"reinterpret_cast<uint64_t>({emission.handle(value)})"
    return str(emission.kernel.place(value).address)


@rule("set_deq_scale")
def set_deq_scale(emission: Pto, call: Call) -> None:
    """The conversion that takes the factor sets it itself. Errors: Refusal."""
    if number_of(call.arg("scale")) != 1:
        text = "the conversion of PTO sets the factor to 1 itself (TCVT): no other has an effect"
        raise Refusal("not-lowered", call.span("scale"), text)
    emission.call("set_deqscale", "static_cast<half>(1.0f)")


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
