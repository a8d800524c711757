"""What a T.tile.broadcast repeats, and along which axis."""

from __future__ import annotations

from tl_ascend.backends.common.rules import Call
from tl_ascend.backends.common.views import constant
from tl_ascend.ir.nodes import Region


def repeated_shapes(call: Call, target: Region, source: Region) -> tuple[list[int], list[int], int]:
    """Both shapes in one rank of at most 2, and the axis that is repeated (upstream's rules)."""
    wide = [constant(e, target, "its size") for e in target.extents[-2:]]
    narrow = [constant(e, source, "its size") for e in source.extents[-2:]]
    axis = call.arg("axis")
    if len(narrow) == 1 and len(wide) == 2:
        if axis is None:
            axis = 0 if wide[1] == narrow[0] else 1
        narrow = [1, narrow[0]] if axis == 0 else [narrow[0], 1]
    if axis is None:
        column = len(wide) == 2 and narrow[1] == 1 and wide[1] != 1
        row = len(wide) == 2 and narrow[0] == 1 and wide[0] != 1
        axis = 1 if column and not row else 0
    return wide, narrow, int(axis)
