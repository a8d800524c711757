"""Names of `T` that are no tile operations: frames, allocations, loops, scalars, types.

How the front end evaluates them is a function of the same name there; signature, kind and
documentation are here.
"""

from __future__ import annotations

from types import MappingProxyType

from tl_ascend.ops.row import Form, Op, Param, RuleName
from tl_ascend.target.hardware import Core, Pipe

_SRC = "tile-ai/tilelang-ascend 95acbd7f, tilelang/language"


def _row(name: str, kind: str, doc: str, *params: Param, vararg: str = "", status: str = "") -> Op:
    return Op(name, kind, params, doc, _SRC, "language", vararg=vararg, status=status)


def _alloc(name: str, where: str) -> Op:
    return _row(name, "alloc", where, Param("shape", "list"), Param("dtype", "text"))


_STOP = Param("stop", "scalar", default=None)
_START = Param("start", "scalar")
_ANNOTATIONS = Param("annotations", "any", default=None)

ROWS = (
    _row(
        "Kernel",
        "frame",
        "Launch frame. `with T.Kernel(blocks, is_npu=True) as (cid, vid)`: block index and vector core "
        "(0, 1). With `threads=1` or `2`: `as cid`, vector cores split by the compiler.",
        Param("threads", "any", default=None),
        Param("is_cpu", "flag", default=False),
        Param("prelude", "any", default=None),
        Param("is_npu", "flag", default=False),
        Param("pipeline", "flag", default=False),
        vararg="blocks",
    ),
    _row(
        "Scope",
        "frame",
        'Code of the cube core ("C") or the vector cores ("V").',
        Param("name", "text"),
    ),
    _row("prim_func", "host", "Marks a kernel."),
    _row("macro", "host", "A function that is inlined into the kernel that calls it."),
    _row(
        "Tensor",
        "type",
        "A tensor in GM, parameter of a kernel.",
        Param("shape", "list"),
        Param("dtype", "text", default="float32"),
    ),
    _row(
        "Buffer",
        "type",
        "Older name of T.Tensor.",
        Param("shape", "list"),
        Param("dtype", "text", default="float32"),
    ),
    _row(
        "symbolic",
        "value",
        "A dimension that is known at run time only.",
        Param("name", "text"),
        Param("dtype", "text", default="int32"),
    ),
    _alloc("alloc_L1", "A tile in L1 (512 KiB), input of the matrix unit; layout zN."),
    _alloc("alloc_L0A", "A tile in L0A (64 KiB), left operand of T.mma."),
    _alloc("alloc_L0B", "A tile in L0B (64 KiB), right operand of T.mma."),
    _alloc("alloc_L0C", "A tile in L0C (128 KiB), accumulator of the matrix unit."),
    _alloc("alloc_ub", "A tile in the UB (192 KiB), operand of vector operations."),
    _alloc("alloc_shared", "A tile in L1 or the UB; the compiler infers which."),
    _alloc("alloc_fragment", "A tile in L0A, L0B or L0C; the compiler infers which."),
    _row(
        "alloc_var",
        "alloc",
        "A scalar variable.",
        Param("dtype", "text"),
        Param("init", "scalar", default=None),
        Param("scope", "text", default="local.var"),
    ),
    _row("serial", "loop", "A loop, one iteration after the other.", _START, _STOP, _ANNOTATIONS),
    _row("unroll", "loop", "A loop that is unrolled.", _START, _STOP, _ANNOTATIONS),
    _row("vectorized", "loop", "A loop over vector lanes.", _START, _STOP, _ANNOTATIONS),
    _row(
        "Parallel",
        "loop",
        "Element-wise loop nest that becomes vector operations.",
        Param("coalesced_width", "int", default=None),
        vararg="extents",
    ),
    _row("grid", "loop", "A nest of serial loops.", vararg="extents"),
    _row(
        "Pipelined",
        "loop",
        "A loop whose copies run `num_stages` iterations ahead.",
        _START,
        _STOP,
        Param("num_stages", "int", default=0),
        Param("order", "list", default=None),
        Param("stage", "list", default=None),
        Param("sync", "list", default=None),
        Param("group", "list", default=None),
        Param("cross_interval", "int", default=1),
    ),
    _row(
        "ceildiv",
        "value",
        "The least number of tiles of size b that cover a.",
        Param("a", "scalar"),
        Param("b", "scalar"),
    ),
    _row("floordiv", "value", "a // b.", Param("a", "scalar"), Param("b", "scalar")),
    _row("floormod", "value", "a % b.", Param("a", "scalar"), Param("b", "scalar")),
    _row(
        "if_then_else",
        "value",
        "t where the condition holds, else f.",
        Param("cond", "scalar"),
        Param("t", "scalar"),
        Param("f", "scalar"),
    ),
    _row(
        "Select",
        "value",
        "t where the condition holds, else f.",
        Param("cond", "scalar"),
        Param("t", "scalar"),
        Param("f", "scalar"),
    ),
    _row("min", "value", "The smaller of two values.", Param("a", "scalar"), Param("b", "scalar")),
    _row("max", "value", "The larger of two values.", Param("a", "scalar"), Param("b", "scalar")),
    _row("And", "value", "Both conditions.", Param("a", "scalar"), Param("b", "scalar")),
    _row("Or", "value", "Either condition.", Param("a", "scalar"), Param("b", "scalar")),
    _row("Not", "value", "Not the condition.", Param("a", "scalar")),
    _row("infinity", "value", "Positive infinity.", Param("dtype", "text")),
    _row("min_value", "value", "The smallest finite value of a type.", Param("dtype", "text")),
    _row("max_value", "value", "The largest finite value of a type.", Param("dtype", "text")),
    _row(
        "cast",
        "value",
        "A scalar converted to a type.",
        Param("value", "scalar"),
        Param("dtype", "text"),
    ),
    _row(
        "Cast",
        "value",
        "A scalar converted to a type.",
        Param("dtype", "text"),
        Param("value", "scalar"),
    ),
    _row(
        "reinterpret",
        "value",
        "The bits of a scalar read as another type.",
        Param("dtype", "text"),
        Param("value", "scalar"),
    ),
    *(
        _row(name, "value", f"{name} of a scalar.", Param("x", "scalar"))
        for name in (
            "exp",
            "log",
            "sqrt",
            "rsqrt",
            "abs",
            "sin",
            "cos",
            "tanh",
            "sigmoid",
            "floor",
            "ceil",
            "round",
        )
    ),
    *(
        _row(
            name,
            "value",
            f"A scalar of type {name}, or the type itself.",
            Param("value", "scalar", default=None),
        )
        for name in (
            "float16",
            "float32",
            "bfloat16",
            "int8",
            "int16",
            "int32",
            "int64",
            "uint8",
            "uint16",
            "uint32",
            "uint64",
        )
    ),
    _row("func_attr", "annotation", "Attributes of the kernel.", Param("attrs", "any")),
    _row("annotate_layout", "annotation", "Layouts of buffers.", Param("layout_map", "any")),
    _row(
        "annotate_address", "annotation", "Byte addresses of buffers.", Param("address_map", "any")
    ),
    Op(
        "printf",
        "tile",
        (Param("format", "text"),),
        "Print from the device.",
        _SRC + "/print.py; CANN PRINTF",
        "language",
        (Form("PRINTF", Pipe.S, Core.ANY, MappingProxyType({"ascendc": RuleName("printf")})),),
        vararg="args",
    ),
)
