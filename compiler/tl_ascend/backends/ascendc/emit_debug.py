"""Output from the device."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from tl_ascend.backends.ascendc.rules import rule
from tl_ascend.backends.common.printing import printed
from tl_ascend.backends.common.rules import Call
from tl_ascend.backends.common.types import check_types
from tl_ascend.ir.nodes import Buffer, Region
from tl_ascend.target.dtypes import FLOAT16

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission


@rule("printf")
def printf(emission: Emission, call: Call) -> None:
    emission.call("AscendC::PRINTF", *printed(emission, call, partial(_of_tile, emission)))


def _of_tile(emission: Emission, value: Region | Buffer) -> str:
    if isinstance(value, Buffer):
        return f"{emission.tensor(value)}.GetPhyAddr()"
    if value.form == "start":
        return f"{emission.pointer(value)}.GetValue(0)"
    return _of_tile(emission, value.buffer)


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
