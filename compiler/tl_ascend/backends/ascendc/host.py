"""The signature of the device function, and the host function that launches it.

Both take the kernel's parameters in their order, then each symbolic dimension as int64 in order of
its first appearance in the tensors' shapes (`spec` of upstream's runtime: it passes them so).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tl_ascend.backends.ascendc.emit_expr import Expressions
from tl_ascend.backends.ascendc.names import spelled
from tl_ascend.backends.ascendc.rules import Refusal
from tl_ascend.backends.ascendc.types import c_type
from tl_ascend.backends.manifest import Argument, Launch
from tl_ascend.ir import nodes
from tl_ascend.ir.expr import Call, Load, Var
from tl_ascend.ir.nodes import Buffer, Kernel
from tl_ascend.target.dtypes import INT64

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import Emission

FUNCTION = "call"


@dataclass(frozen=True, slots=True)
class Abi:
    """`tensors`: the tensors with the names of their handles."""

    symbol: str
    arguments: tuple[Argument, ...]
    tensors: tuple[tuple[Buffer, str], ...]

    @property
    def kernel(self) -> str:
        """The device function."""
        return f"{self.symbol}_kernel"


def dimensions(kernel: Kernel) -> list[Var]:
    """The symbolic dimensions that stand alone in a tensor's shape, in order of appearance."""
    found: dict[int, Var] = {}
    for tensor in kernel.tensors:
        for extent in tensor.shape:
            if isinstance(extent, Var):
                found.setdefault(extent.uid, extent)
    return list(found.values())


def signature(emission: Emission) -> Abi:
    """Name everything that the caller passes."""
    names, kernel = emission.names, emission.kernel
    arguments: list[Argument] = []
    tensors: list[tuple[Buffer, str]] = []
    for param in kernel.params:
        if isinstance(param.value, Buffer):
            emission.buffers[param.value.uid] = names.fresh(param.name)
            handle = names.fresh(f"{param.name}_handle")
            tensors.append((param.value, handle))
            arguments.append(Argument(handle, "tensor", emission.type(param.value)))
        else:
            name = names.bind(param.value, param.value.dtype)
            arguments.append(Argument(name, "scalar", c_type(param.value.dtype)))
    for var in dimensions(kernel):
        arguments.append(Argument(names.bind(var, INT64), "dimension", "int64_t"))
    return Abi(spelled(kernel.name), tuple(arguments), tuple(tensors))


def head(abi: Abi) -> str:
    """The head of the device function."""
    params = [_parameter(a, "GM_ADDR ") for a in abi.arguments]
    params.append("uint64_t fftsAddr")
    return f'extern "C" __global__ __aicore__ void {abi.kernel}({", ".join(params)})'


def _parameter(argument: Argument, pointer: str) -> str:
    if argument.kind == "tensor":
        return f"{pointer}{argument.name}"
    return f"{argument.c_type} {argument.name}"


def launch(emission: Emission, abi: Abi, frame: nodes.Launch) -> Launch:
    """How many blocks, as host text. Errors: Refusal."""

    def load(load: Load) -> str:
        what = f"the number of blocks depends on an element of {load.buffer.name}"
        raise Refusal("dynamic-shape", frame.span, f"{what}, which only the device can read")

    def call(call: Call) -> None:
        return None

    values = Expressions(emission.names, load, call, host=True, at=frame.span)
    # In parentheses: `>` and `>>` must not end the launch.
    number = frame.blocks
    blocks = number if isinstance(number, int) else f"({values.index(number)})"
    cores = 1 if frame.threads == 1 else 2
    return Launch(FUNCTION, abi.kernel, abi.arguments, blocks, cores)


def tail(abi: Abi, launch: Launch) -> Iterator[str]:
    """The host function. Host compilers cannot read a launch: the CPU twin has its own."""
    params = [_parameter(a, "uint8_t* ") for a in abi.arguments]
    params.append("aclrtStream stream")
    passed = ", ".join([*(a.name for a in abi.arguments), "fftsAddr"])
    yield f'extern "C" void {FUNCTION}({", ".join(params)}) {{'
    yield "  uint32_t fftsLen{0};"
    yield "  uint64_t fftsAddr{0};"
    yield "  rtGetC2cCtrlAddr(&fftsAddr, &fftsLen);"
    yield "#ifdef TL_ASCEND_CPU_TWIN"
    yield f"  AscendC::twin::launch({abi.kernel}, {launch.blocks}, stream, {passed});"
    yield "#else"
    yield f"  {abi.kernel}<<<{launch.blocks}, nullptr, stream>>>({passed});"
    yield "#endif"
    yield "}"
