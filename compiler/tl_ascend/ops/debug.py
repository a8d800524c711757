"""Output from the device."""

from __future__ import annotations

from tl_ascend.ops import dtypes
from tl_ascend.ops.row import Form, Op, Param, Role, RuleName
from tl_ascend.ops.tiles import UPSTREAM, emits, number, word
from tl_ascend.target.hardware import Core, Pipe

ROWS = (
    Op(
        "printf",
        "tile",
        (word("format_str"),),
        "Print from the device, as C's printf; a buffer as its address under %p.",
        f"{UPSTREAM}/ascend.py; CANN PRINTF",
        "debug",
        (Form("PRINTF", Pipe.S, Core.ANY, emits(RuleName("printf"))),),
        vararg="args",
    ),
    Op(
        "dump_tensor",
        "tile",
        (
            Param("tensor", "region", Role.READ, whole=True),
            number("desc"),
            number("dump_size"),
            Param("shape_info", "list", default=()),
        ),
        "Send the first `dump_size` elements of a tensor in GM, the UB, L1 or L0C to the host. desc: "
        "a number from 0 to 2**32 - 1 that marks the output; shape_info: how to print it.",
        f"{UPSTREAM}/ascend.py; CANN DumpTensor",
        "debug",
        (
            Form(
                "DumpTensor",
                Pipe.S,
                Core.ANY,
                emits(RuleName("dump_tensor")),
                dtypes=dtypes.STORED,
            ),
        ),
        checks=("dump_number",),
    ),
    Op(
        "set_deq_scale",
        "tile",
        (Param("scale", "scalar"),),
        "Set the factor by which T.tile.cast from int32 to float16 multiplies. On route pto it is 1, "
        "which its conversion sets itself.",
        f"{UPSTREAM}/ascend.py; CANN SetDeqScale",
        "debug",
        (
            Form(
                "SetDeqScale",
                Pipe.S,
                Core.VECTOR,
                emits(RuleName("set_deq_scale")),
            ),
        ),
    ),
)
