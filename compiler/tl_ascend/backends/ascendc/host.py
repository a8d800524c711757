"""The head of the device function, and the host function that launches it."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.backends.common.abi import Abi, host_function, parameter, passed_on
from tl_ascend.backends.manifest import Launch

# What the headers of this route and its programs give a meaning.
TAKEN = """
float8_e4m3_t float8_e5m2_t uint uchar ushort pipe ascend_l1 ascend_l0a ascend_l0b ascend_l0c
ascend_ub layout AscendC Catlass
"""


def head(abi: Abi) -> str:
    """The head of the device function."""
    params = [parameter(a, "GM_ADDR ") for a in abi.arguments]
    params.append("uint64_t fftsAddr")
    return f'extern "C" __global__ __aicore__ void {abi.kernel}({", ".join(params)})'


def tail(abi: Abi, launch: Launch) -> Iterator[str]:
    """The host function. Host compilers cannot read a launch: the CPU twin has its own."""
    passed = passed_on(abi)
    start = (
        "#ifdef TL_ASCEND_CPU_TWIN",
        f"  AscendC::twin::launch({abi.kernel}, {launch.blocks}, stream, {passed});",
        "#else",
        f"  {abi.kernel}<<<{launch.blocks}, nullptr, stream>>>({passed});",
        "#endif",
    )
    return host_function(abi, "uint8_t* ", "aclrtStream stream", start)
