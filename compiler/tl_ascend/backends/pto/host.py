"""The head of the device function, and the host function that launches it."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.backends.common.abi import Abi, host_function, parameter, passed_on
from tl_ascend.backends.manifest import Launch

# What the headers of this route and its programs give a meaning: names of namespace pto that a
# program might use for a tile, and what the prologue names.
TAKEN = """
pto AICORE ffts_Addr Shape Stride Tile TileType GlobalTensor Layout event_t CmpMode RoundMode
MaskPattern PadValue DYNAMIC Op Event set_flag wait_flag pipe_barrier half2
"""


def head(abi: Abi) -> str:
    """The head of the device function: tensors arrive as bytes."""
    params = [parameter(a, "__gm__ uint8_t *", "_raw") for a in abi.arguments]
    params.append("uint64_t ffts_Addr")
    return f'extern "C" __global__ AICORE void {abi.kernel}({", ".join(params)})'


def tail(abi: Abi, launch: Launch) -> Iterator[str]:
    """The host function. Compilers of the device part alone stop before it."""
    start = f"  {abi.kernel}<<<{launch.blocks}, nullptr, stream>>>({passed_on(abi)});"
    return host_function(abi, "uint8_t *", "void *stream", (start,))
