"""What stands before the first statement: tensors in GM, the memories of the core, its indices, and
the tiles at their addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.common.abi import Abi
from tl_ascend.backends.common.declare import declare_variables, placed_tiles
from tl_ascend.ir.nodes import Buffer
from tl_ascend.target.dtypes import INT64
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission

# Name in the program and logical position of each memory, in upstream's order.
STORES = {
    Memory.L0A: ("ascend_l0a", "A2"),
    Memory.L0B: ("ascend_l0b", "B2"),
    Memory.L1: ("ascend_l1", "A1"),
    Memory.L0C: ("ascend_l0c", "CO1"),
    Memory.UB: ("ascend_ub", "VECCALC"),
}


def declare(emission: Emission, abi: Abi) -> None:
    """Write the prologue. Errors: Refusal."""
    out, launch = emission.out, emission.kernel.launch
    assert launch is not None
    ratio = "1_1" if launch.threads == 1 else "1_2"
    out.line(f"KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_{ratio});", launch.span)
    out.line("AscendC::TPipe pipe;")
    out.line()
    for tensor, handle in abi.tensors:
        _tensor(emission, tensor, handle)
    if abi.tensors:
        out.line()
    _stores(emission)
    _indices(emission)
    _tiles(emission)
    declare_variables(emission)


def _tensor(emission: Emission, tensor: Buffer, handle: str) -> None:
    name, kind = emission.buffers[tensor.uid], emission.type(tensor)
    emission.out.line(f"AscendC::GlobalTensor<{kind}> {name};", tensor.span)
    emission.out.line(f"{name}.SetGlobalBuffer((__gm__ {kind}*){handle});", tensor.span)


def _stores(emission: Emission) -> None:
    for memory, (name, position) in STORES.items():
        size = emission.platform.memories[memory].plannable
        emission.out.line(f"AscendC::TBuf<AscendC::TPosition::{position}> {name};")
        emission.out.line(f"pipe.InitBuffer({name}, {size});")
    emission.out.line("pipe.Destroy();")


def _indices(emission: Emission) -> None:
    out, launch = emission.out, emission.kernel.launch
    assert launch is not None
    block = emission.names.bind(launch.block, INT64)
    out.line(f"auto {block} = AscendC::GetBlockIdx();", launch.span)
    if launch.threads != 1:
        # Vector cores are counted one by one, two to a block.
        with out.block("if ASCEND_IS_AIV"):
            out.line(f"{block} = {block} / 2;", launch.span)
    sub = emission.names.bind(launch.subblock, INT64)
    out.line(f"auto {sub} = AscendC::GetSubBlockIdx();", launch.span)


def _tiles(emission: Emission) -> None:
    for buffer, count, address in placed_tiles(emission.kernel):
        name = emission.buffers[buffer.uid] = emission.names.fresh(buffer.name)
        store, kind = STORES[emission.kernel.memory(buffer)][0], emission.type(buffer)
        text = f"auto {name} = {store}.GetWithOffset<{kind}>({count}, {address});"
        emission.out.line(text, buffer.span)
