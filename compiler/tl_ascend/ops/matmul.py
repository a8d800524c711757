"""Matrix operations of the cube core."""

from __future__ import annotations

from types import MappingProxyType

from tl_ascend.ops import dtypes
from tl_ascend.ops.row import Form, Op, Param, Role, RuleName
from tl_ascend.ops.tiles import UPSTREAM, emits
from tl_ascend.target.hardware import Core, Memory, Pipe

_P = Pipe
_GEMM_EVENTS = (
    (_P.MTE2, _P.MTE1, 0),
    (_P.FIX, _P.M, 0),
    (_P.M, _P.MTE1, 0),
    (_P.M, _P.MTE1, 1),
    (_P.MTE1, _P.M, 0),
    (_P.MTE1, _P.M, 1),
    (_P.MTE1, _P.MTE2, 0),
    (_P.M, _P.FIX, 0),
)
# Upstream's template for PTO waits at once for every flag that it sets, always with event 1.
_PTO_GEMM = MappingProxyType(
    {
        "pto": (
            (_P.MTE2, _P.MTE1, 1),
            (_P.FIX, _P.M, 1),
            (_P.M, _P.MTE1, 1),
            (_P.MTE1, _P.M, 1),
            (_P.MTE1, _P.MTE2, 1),
            (_P.M, _P.FIX, 1),
        )
    }
)
_RESULT = Param(
    "C",
    "region",
    Role.READ_WRITE,
    memories=(Memory.L0C,),
    overwritten_if="init",
    dtypes=dtypes.ACCUMULATED,
)


def _swizzle(name: str) -> Op:
    sizes = ("m", "n", "k", "block_m", "block_n")
    return Op(
        name,
        "value",
        (
            Param("cid", "scalar"),
            *(Param(size, "int") for size in sizes),
            Param("off", "int", default=1),
            Param("dir", "int", default=0),
            Param("in_loop", "flag", default=False),
        ),
        "The block index in an order that walks the output in bands of `off` rows (`dir` 0) or columns "
        "(1), so that neighbouring blocks share tiles of A and B in L2.",
        UPSTREAM,
        "matmul",
        (Form("thread_block_swizzle", _P.S, Core.ANY, emits(RuleName("use_swizzle"))),),
    )


ROWS = (
    Op(
        "gemm_v0",
        "tile",
        (
            Param("A", "region", Role.READ, memories=(Memory.L1,), pipe=_P.MTE1),
            Param("B", "region", Role.READ, memories=(Memory.L1,), pipe=_P.MTE1),
            _RESULT,
            Param("transpose_A", "flag", default=False),
            Param("transpose_B", "flag", default=False),
            Param("init", "flag", default=False),
        ),
        "C = A @ B (`init`) or C += A @ B. A and B lie in L1, C in L0C. K is walked in steps of 128; "
        "each step moves its slices of A and B to L0A and L0B itself, from address 0, in two slots "
        "where K > 128. M and N are not tiled.",
        "tile-ai/tilelang-ascend 95acbd7f, src/tl_templates/ascend/common.h; CANN Mmad",
        "matmul",
        (
            Form(
                "gemm_v0",
                _P.M,
                Core.CUBE,
                emits(RuleName("gemm_v0")),
                events=_GEMM_EVENTS,
                route_events=_PTO_GEMM,
                dtypes=dtypes.FED,
                waits=True,  # its loads into L0 wait for M, and M for these
            ),
        ),
        checks=("gemm_operands", "gemm_slots", "gemm_tail"),
    ),
    Op(
        "mma",
        "tile",
        (
            Param("A", "region", Role.READ, memories=(Memory.L0A,)),
            Param("B", "region", Role.READ, memories=(Memory.L0B,)),
            _RESULT,
            Param("init", "flag", default=False),
        ),
        "One matrix multiplication on L0: C = A @ B (`init`) or C += A @ B. A lies in L0A, B in L0B, "
        "C in L0C.",
        "tile-ai/tilelang-ascend 95acbd7f, tilelang/language/customize.py; CANN Mmad",
        "matmul",
        (Form("mma", _P.M, Core.CUBE, emits(RuleName("mma")), dtypes=dtypes.FED),),
        checks=("gemm_operands",),
    ),
    _swizzle("use_swizzle"),
    _swizzle("npu_use_swizzle"),
)
