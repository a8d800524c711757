"""Transfers to and from the memory of other processing elements, through shmem."""

from __future__ import annotations

from tl_ascend.ops import dtypes
from tl_ascend.ops.row import Form, Op, Param, Role, RuleName, Template
from tl_ascend.ops.tiles import UPSTREAM, emits, lacking, number, numbers
from tl_ascend.target.hardware import Core, Memory, Pipe

_PASSES = "The data passes through the first 192 bytes of the UB, whatever the kernel keeps there."
_MTE2 = ((Pipe.MTE2, Pipe.MTE3, 0), (Pipe.MTE3, Pipe.MTE2, 0))


def _side(name: str, role: Role, memory: Memory) -> Param:
    return Param(name, "region", role, memories=(memory,), whole=True)


def _row(name: str, params: tuple[Param, ...], doc: str, pipe: Pipe, typed: str) -> Op:
    values = ", ".join(f"{{{param.name}}}" for param in params)
    call = Template(f"tl::ascend::{name}<{{type_{typed}}}>({values})")
    through = () if "ub" in name else _MTE2
    form = Form(
        name,
        pipe,
        Core.VECTOR,
        emits(call, RuleName("remote")),
        events=through,
        dtypes=dtypes.STORED,
    )
    source = f"{UPSTREAM}/ascend.py; shmem, device interface"
    return Op(name, "tile", params, doc, source, "remote", (form,))


ROWS = lacking(
    "pto",
    _row(
        "shmem_put_nbi",
        (
            _side("dst", Role.WRITE, Memory.GM),
            _side("src", Role.READ, Memory.GM),
            *numbers("nelems", "newPe"),
        ),
        f"Copy nelems elements of src to dst on processing element newPe. {_PASSES}",
        Pipe.MTE3,
        "src",
    ),
    _row(
        "shmem_get_nbi",
        (
            _side("dst", Role.WRITE, Memory.GM),
            _side("src", Role.READ, Memory.GM),
            *numbers("nelems", "newPe"),
        ),
        f"Copy nelems elements of src on processing element newPe to dst. {_PASSES}",
        Pipe.MTE3,
        "src",
    ),
    _row(
        "shmem_ub_put_nbi",
        (
            _side("ub", Role.READ, Memory.UB),
            _side("dst", Role.WRITE, Memory.GM),
            *numbers("nelems", "newPe"),
            number("strelem", 0),
        ),
        "Copy nelems elements of a tile in the UB to dst, from element strelem on, on processing "
        "element newPe.",
        Pipe.MTE3,
        "dst",
    ),
    _row(
        "shmem_ub_get_nbi",
        (
            _side("dst", Role.WRITE, Memory.UB),
            _side("src", Role.READ, Memory.GM),
            *numbers("nelems", "newPe"),
        ),
        "Copy nelems elements of src on processing element newPe to a tile in the UB.",
        Pipe.MTE2,
        "src",
    ),
)
