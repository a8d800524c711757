"""T.copy and T.tile.atomic_add: one operation, a device call for each data path."""

from __future__ import annotations

from types import MappingProxyType

from tl_ascend.ops import dtypes
from tl_ascend.ops.row import Dtypes, Form, Op, Param, Role, RuleName, Unsupported
from tl_ascend.ops.tiles import TILE, UPSTREAM, emits
from tl_ascend.target.hardware import Core, Memory, Pipe

_M, _P = Memory, Pipe
_EMIT = emits(RuleName("copy"))
_ATOMIC = emits(RuleName("atomic_add"))
_VIRTUAL = emits(
    Unsupported("A2 and A3 have no such data path, and no workspace in GM replaced it")
)
_PADDED = ((_P.MTE2, _P.V, 0), (_P.MTE3, _P.V, 0), (_P.V, _P.MTE2, 0))
# Upstream's template moves first and fills then; what it does not wait for itself, the program does.
_PTO_PADDED = MappingProxyType(
    {"pto": ((_P.V, _P.MTE2, 0), (_P.MTE3, _P.MTE2, 0), (_P.MTE2, _P.V, 0), (_P.V, _P.MTE3, 0))}
)


def _cube(name: str, pipe: Pipe, source: Memory, target: Memory, taken: Dtypes) -> Form:
    return Form(name, pipe, Core.CUBE, _EMIT, (source, target), dtypes=taken)


def _vector(name: str, pipe: Pipe, source: Memory, target: Memory) -> Form:
    return Form(name, pipe, Core.VECTOR, _EMIT, (source, target), dtypes=dtypes.STORED)


_PATHS = (
    _cube("copy_gm_to_l1", _P.MTE2, _M.GM, _M.L1, dtypes.MOVED),
    _cube("copy_l1_to_l0a", _P.MTE1, _M.L1, _M.L0A, dtypes.FED),
    _cube("copy_l1_to_l0b", _P.MTE1, _M.L1, _M.L0B, dtypes.FED),
    _cube("copy_l0c_to_gm", _P.FIX, _M.L0C, _M.GM, dtypes.ACCUMULATED),
    Form(
        "copy_gm_to_ub",
        _P.MTE2,
        Core.VECTOR,
        _EMIT,
        (_M.GM, _M.UB),
        events=_PADDED,
        route_events=_PTO_PADDED,
        fill=_P.V,
        dtypes=dtypes.STORED,
    ),
    _vector("copy_ub_to_gm", _P.MTE3, _M.UB, _M.GM),
    _vector("copy_ub_to_ub", _P.V, _M.UB, _M.UB),
    Form("copy_ub_to_l1", _P.MTE3, Core.VECTOR, _VIRTUAL, (_M.UB, _M.L1), virtual=True),
    Form("copy_l0c_to_ub", _P.FIX, Core.CUBE, _VIRTUAL, (_M.L0C, _M.UB), virtual=True),
)

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
        f"{UPSTREAM}/copy.py; CANN DataCopy, DataCopyPad, LoadData, Fixpipe",
        "copy",
        _PATHS,
        choose="memories",
        checks=(
            "copy_extents",
            "copy_path",
            "copy_types",
            "converted_types",
            "copied_mode",
            "conversion_scale",
            "on_chip_alignment",
        ),
    ),
    Op(
        "tile.atomic_add",
        "tile",
        (Param("dst", "region", Role.READ_WRITE), Param("src", "region", Role.READ)),
        "Add a tile in the UB or L0C to one in GM, in one step for each element: blocks may add to "
        "the same place. Both have the same element type.",
        TILE + "SetAtomicAdd",
        "copy",
        (
            Form(
                "atomic_add_ub_to_gm",
                _P.MTE3,
                Core.VECTOR,
                _ATOMIC,
                (_M.UB, _M.GM),
                dtypes=dtypes.ADDED,
            ),
            Form(
                "atomic_add_l0c_to_gm",
                _P.FIX,
                Core.CUBE,
                _ATOMIC,
                (_M.L0C, _M.GM),
                dtypes=dtypes.ACCUMULATED,
            ),
        ),
        choose="memories",
        checks=("atomic_path", "copy_extents"),
    ),
)
