"""T.copy: one operation, a device call for each data path."""

from __future__ import annotations

from types import MappingProxyType

from tl_ascend.ops.row import Form, Op, Param, Role, RuleName, Unsupported
from tl_ascend.target.hardware import Core, Memory, Pipe

_M, _P = Memory, Pipe
_EMIT = MappingProxyType({"ascendc": RuleName("copy")})
_VIRTUAL = MappingProxyType(
    {"ascendc": Unsupported("A2 and A3 have no such data path, and no workspace in GM replaced it")}
)


def _path(
    name: str, pipe: Pipe, core: Core, source: Memory, target: Memory, virtual: bool = False
) -> Form:
    padded = ((_P.MTE2, _P.V, 0), (_P.MTE3, _P.V, 0), (_P.V, _P.MTE2, 0))
    events, fill = (padded, _P.V) if name == "copy_gm_to_ub" else ((), None)
    emit = _VIRTUAL if virtual else _EMIT
    return Form(name, pipe, core, emit, (source, target), virtual, events, fill)


ROWS = (
    Op(
        "copy",
        "tile",
        (
            Param("src", "region", Role.READ),
            Param("dst", "region", Role.WRITE),
            Param("enable_relu", "flag", default=False),
            Param("transpose", "flag", default=False),
            Param("pad_value", "scalar", default=None),
        ),
        "Move a tile between two memories. Where one side gives no extents they follow from the "
        "other. At the edge of a tensor in GM only what exists is moved; the rest of the tile is "
        "filled with `pad_value` (0 if not given). At most two extents may exceed 1.",
        "tile-ai/tilelang-ascend 95acbd7f, tilelang/language/copy.py; CANN DataCopy, DataCopyPad, "
        "LoadData, Fixpipe",
        "copy",
        (
            _path("copy_gm_to_l1", _P.MTE2, Core.CUBE, _M.GM, _M.L1),
            _path("copy_l1_to_l0a", _P.MTE1, Core.CUBE, _M.L1, _M.L0A),
            _path("copy_l1_to_l0b", _P.MTE1, Core.CUBE, _M.L1, _M.L0B),
            _path("copy_l0c_to_gm", _P.FIX, Core.CUBE, _M.L0C, _M.GM),
            _path("copy_gm_to_ub", _P.MTE2, Core.VECTOR, _M.GM, _M.UB),
            _path("copy_ub_to_gm", _P.MTE3, Core.VECTOR, _M.UB, _M.GM),
            _path("copy_ub_to_ub", _P.V, Core.VECTOR, _M.UB, _M.UB),
            _path("copy_ub_to_l1", _P.MTE3, Core.VECTOR, _M.UB, _M.L1, True),
            _path("copy_l0c_to_ub", _P.FIX, Core.CUBE, _M.L0C, _M.UB, True),
        ),
        choose="memories",
        checks=("copy_extents", "copy_path"),
    ),
)
