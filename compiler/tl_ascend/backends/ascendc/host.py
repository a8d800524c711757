"""The head of the device function, and the host function that launches it."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.backends.common.abi import FUNCTION, Abi, parameter
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
    params = [parameter(a, "uint8_t* ") for a in abi.arguments]
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
