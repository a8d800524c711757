"""What stands before the first statement: tensors in GM, the memories of the core, its indices, and
the tiles at their addresses."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.ascendc.host import Abi
from tl_ascend.backends.ascendc.rules import Refusal
from tl_ascend.backends.ascendc.types import c_type
from tl_ascend.ir.expr import Load, walk
from tl_ascend.ir.nodes import (
    Alloc,
    Buffer,
    Kernel,
    Store,
    exprs_of,
    regions_of,
    walk_stmts,
)
from tl_ascend.ir.storage import buffers, elements, root
from tl_ascend.ir.text import show_shape
from tl_ascend.target.dtypes import INT64
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import Emission

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
    _variables(emission)


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
    kernel = emission.kernel
    used = _used(kernel)
    for buffer in buffers(kernel):
        place = kernel.placements[buffer.uid]
        if place.memory not in STORES or buffer.uid not in used:
            continue
        count = elements(place.shape)
        if count is None or place.address is None:
            raise Refusal(
                "dynamic-shape",
                buffer.span,
                f"{buffer.name} [{show_shape(place.shape)}] has no fixed size, so it gets no "
                f"address in {place.memory.value}",
            )
        name = emission.buffers[buffer.uid] = emission.names.fresh(buffer.name)
        store, kind = STORES[place.memory][0], emission.type(buffer)
        text = f"auto {name} = {store}.GetWithOffset<{kind}>({count}, {place.address});"
        emission.out.line(text, buffer.span)


def _used(kernel: Kernel) -> set[int]:
    """The buffers that a statement names. Planning gives the others no address, rightly."""
    found: set[int] = set()
    for stmt in walk_stmts(kernel.body):
        found.update(root(region.buffer).uid for region in regions_of(stmt))
        if isinstance(stmt, Store):
            found.add(root(stmt.buffer).uid)
        for value in exprs_of(stmt):
            loads = (node for node in walk(value) if isinstance(node, Load))
            found.update(root(load.buffer).uid for load in loads)
    return found


def _variables(emission: Emission) -> None:
    for stmt in walk_stmts(emission.kernel.body):
        if isinstance(stmt, Alloc) and stmt.buffer.scope == "var":
            kind = stmt.buffer.dtype
            if stmt.buffer.uid in emission.buffers:
                continue
            name = emission.buffers[stmt.buffer.uid] = emission.names.fresh(stmt.buffer.name)
            zero = emission.values.typed(0, kind)
            emission.out.line(f"{c_type(kind)} {name} = {zero};", stmt.span)
