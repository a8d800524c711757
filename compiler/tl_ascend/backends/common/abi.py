"""What the caller of a program passes, and how many blocks it launches: the same on every route.

The device function and the host function take the kernel's parameters in their order, then each
symbolic dimension as int64 in order of its first appearance in the tensors' shapes (`spec` of
upstream's runtime: it passes them so), then what the host draws at random.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from tl_ascend.backends.common.emission import Emission
from tl_ascend.backends.common.expressions import Expressions
from tl_ascend.backends.common.names import spelled
from tl_ascend.backends.common.rules import Refusal
from tl_ascend.backends.common.types import c_type
from tl_ascend.backends.manifest import Argument, Launch
from tl_ascend.ir import nodes
from tl_ascend.ir.drawn import drawn
from tl_ascend.ir.expr import Call, Load, Var
from tl_ascend.ir.nodes import Buffer, Kernel
from tl_ascend.target.dtypes import INT64

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
    for var in drawn(kernel):
        arguments.append(Argument(names.bind(var, var.dtype), "drawn", c_type(var.dtype)))
    return Abi(spelled(kernel.name), tuple(arguments), tuple(tensors))


def parameter(argument: Argument, pointer: str, suffix: str = "") -> str:
    """One parameter of a function; `pointer` is how it takes tensors."""
    if argument.kind == "tensor":
        return f"{pointer}{argument.name}{suffix}"
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


def host_function(abi: Abi, pointer: str, stream: str, start: Iterable[str]) -> Iterator[str]:
    """The function that starts a program. `start`: the lines that launch it, with what is known as
    `fftsAddr`."""
    params = [*(parameter(a, pointer) for a in abi.arguments), stream]
    yield f'extern "C" void {FUNCTION}({", ".join(params)}) {{'
    yield "  uint32_t fftsLen{0};"
    yield "  uint64_t fftsAddr{0};"
    yield "  rtGetC2cCtrlAddr(&fftsAddr, &fftsLen);"
    yield from start
    yield "}"


def passed_on(abi: Abi) -> str:
    """The arguments of the device function, where the host function calls it."""
    return ", ".join([*(a.name for a in abi.arguments), "fftsAddr"])
