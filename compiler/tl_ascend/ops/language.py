"""Names of `T` that are no tile operations: frames, allocations, loops, annotations.

How the front end evaluates them is a function of the same name there; signature, kind and
documentation are here.
"""

from __future__ import annotations

from typing import Any

from tl_ascend.ops.row import REQUIRED, Op, Param
from tl_ascend.ops.tiles import UPSTREAM


def _row(name: str, kind: str, doc: str, *params: Param, vararg: str = "") -> Op:
    return Op(name, kind, params, doc, UPSTREAM, "language", vararg=vararg)


def _list(name: str, default: Any = REQUIRED) -> Param:
    return Param(name, "list", default=default)


def _text(name: str, default: Any = REQUIRED, keyword: bool = False) -> Param:
    return Param(name, "text", default=default, keyword=keyword)


def _flag(name: str) -> Param:
    return Param(name, "flag", default=False, keyword=True)


def _alloc(name: str, where: str, *more: Param) -> Op:
    return _row(name, "alloc", where, _list("shape"), _text("dtype"), *more)


_STOP = Param("stop", "scalar", default=None)
_START = Param("start", "scalar")
_ANNOTATIONS = Param("annotations", "any", default=None, keyword=True)


def _tensor(scope: str | None, number: int | None) -> tuple[Param, ...]:
    """Parameters of a tensor in an annotation."""
    return (
        _list("shape"),
        _text("dtype", "float32"),
        *(Param(name, "any", default=None) for name in ("data", "strides", "elem_offset")),
        _text("scope", scope),
        *(Param(name, "any", default=number) for name in ("align", "offset_factor")),
        _text("buffer_type", ""),
        Param("axis_separators", "any", default=None),
    )


_VAR_INIT = Param("init", "scalar", default=None, keyword=True)

FRAMES = (
    _row(
        "Kernel",
        "frame",
        "Launch frame. `with T.Kernel(blocks, is_npu=True) as (cid, vid)`: block index and vector core "
        "(0, 1). With `threads=1` or `2`: `as cid`, vector cores split by the compiler.",
        Param("threads", "any", default=None, keyword=True),
        _flag("is_cpu"),
        Param("prelude", "any", default=None, keyword=True),
        _flag("is_npu"),
        _flag("pipeline"),
        vararg="blocks",
    ),
    _row(
        "Scope",
        "frame",
        'Code of the cube core ("C") or the vector cores ("V").',
        _text("name"),
    ),
    _row(
        "If",
        "frame",
        "`with T.If(condition):` around `with T.Then():` and `with T.Else():`: a branch that the "
        "device takes.",
        Param("condition", "scalar"),
    ),
    _row("Then", "frame", "What a T.If does where its condition holds."),
    _row("Else", "frame", "What a T.If does where its condition does not hold."),
)

FUNCTIONS = (
    _row(
        "prim_func",
        "host",
        "Marks a kernel.",
        Param("func", "any", default=None),
        Param("private", "flag", default=False),
        Param("check_well_formed", "flag", default=False),
    ),
    _row(
        "macro",
        "host",
        "A function that is inlined into the kernel that calls it.",
        Param("hygienic", "flag", default=True, keyword=True),
        vararg="args",
    ),
    _row("meta_var", "value", "A value of the parser that leaves no trace.", Param("value", "any")),
    _row("Tensor", "type", "A tensor in GM, parameter of a kernel.", *_tensor(None, None)),
    _row("Buffer", "type", "Older name of T.Tensor.", *_tensor("global", 0)),
    *(
        _row(name, "type", "A buffer as a parameter of a macro.", *_tensor(None, None))
        for name in ("SharedBuffer", "FragmentBuffer", "LocalBuffer")
    ),
    _row(
        "ptr",
        "type",
        "A pointer as a parameter of a kernel.",
        _text("dtype", None),
        _text("storage_scope", "global"),
        _flag("is_size_var"),
    ),
    _row(
        "make_tensor",
        "value",
        "A tensor at a pointer.",
        Param("ptr", "any"),
        _list("shape"),
        _text("dtype", "float32"),
    ),
    _row(
        "symbolic",
        "value",
        "A dimension that is known at run time only.",
        _text("name"),
        _text("dtype", "int32"),
    ),
)

ALLOCATIONS = (
    _alloc("alloc_L1", "A tile in L1 (512 KiB), input of the matrix unit; layout zN."),
    _alloc("alloc_L0A", "A tile in L0A (64 KiB), left operand of T.mma."),
    _alloc("alloc_L0B", "A tile in L0B (64 KiB), right operand of T.mma."),
    _alloc("alloc_L0C", "A tile in L0C (128 KiB), accumulator of the matrix unit."),
    _alloc("alloc_ub", "A tile in the UB (192 KiB), operand of vector operations."),
    _alloc(
        "alloc_shared",
        "A tile in L1 or the UB; the compiler infers which.",
        _text("scope", "shared.dyn"),
    ),
    _alloc(
        "alloc_fragment",
        "A tile in L0A, L0B or L0C; the compiler infers which.",
        _text("scope", "local.fragment"),
    ),
    _row(
        "alloc_var",
        "alloc",
        "A scalar variable. `init` may also follow dtype by position.",
        _text("dtype"),
        _text("scope", "local.var", keyword=True),
        _VAR_INIT,
        vararg="args",
    ),
)


def _loop(name: str, doc: str) -> Op:
    return _row(name, "loop", doc, _START, _STOP, _ANNOTATIONS)


LOOPS = (
    _loop("serial", "A loop, one iteration after the other."),
    _loop("unroll", "A loop that is unrolled."),
    _loop("vectorized", "A loop over vector lanes."),
    _row(
        "Parallel",
        "loop",
        "Element-wise loop nest that becomes vector operations.",
        Param("coalesced_width", "int", default=None, keyword=True),
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
        *(_list(name, None) for name in ("order", "stage", "sync", "group")),
        Param("cross_interval", "int", default=1),
    ),
    _row(
        "Persistent",
        "loop",
        "`for bx, by in T.Persistent([m, n], core_num, cid)`: a block takes every wave_size-th tile of "
        "the domain, from `index` on. Tiles are counted in groups of `group_size` columns.",
        _list("domain"),
        Param("wave_size", "scalar"),
        Param("index", "scalar"),
        Param("group_size", "scalar", default=8),
    ),
    _row("loop_break", "host", "Leave the innermost loop."),
)


def _map(name: str, doc: str, parameter: str) -> Op:
    return _row(name, "annotation", doc, Param(parameter, "any"))


ANNOTATIONS = (
    _map("func_attr", "Attributes of the kernel.", "attrs"),
    _map("block_attr", "Attributes of a block; none means anything on Ascend.", "attrs"),
    _row(
        "attr",
        "annotation",
        "An attribute of what follows.",
        *(Param(name, "any") for name in ("node", "attr_key", "value")),
    ),
    _map("annotate_layout", "Layouts of buffers.", "layout_map"),
    _map("annotate_address", "Byte addresses of buffers.", "address_map"),
    _map("annotate_padding", "Padding of buffers; without effect on Ascend.", "padding_map"),
    _row(
        "import_source",
        "annotation",
        "C source to go with the kernel.",
        _text("source", None),
    ),
    _row(
        "init_flag",
        "annotation",
        'Set the flags of a map {"MTE1": {"MTE2": [0, 1]}}: source pipe, destination pipe, ids.',
        Param("fmap", "any"),
    ),
    _row(
        "clear_flag",
        "annotation",
        "Wait for the flags of a map, as T.init_flag takes it.",
        Param("fmap", "any"),
    ),
)

ROWS = (*FRAMES, *FUNCTIONS, *ALLOCATIONS, *LOOPS, *ANNOTATIONS)
