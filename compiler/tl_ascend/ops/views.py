"""Other names for the bytes of a buffer: its shape or its element type read differently."""

from __future__ import annotations

from tl_ascend.ops.row import Op, Param
from tl_ascend.ops.tiles import UPSTREAM, word


def _view(name: str, params: tuple[Param, ...], doc: str, source: str) -> Op:
    return Op(name, "view", params, doc, f"{UPSTREAM}/{source}", "views")


_SRC = Param("src", "any")

ROWS = (
    _view(
        "reshape",
        (_SRC, Param("shape", "list")),
        "The elements of a buffer in another shape; nothing moves.",
        "customize.py",
    ),
    _view(
        "view",
        (_SRC, Param("shape", "list", default=None), Param("dtype", "text", default=None)),
        "The bytes of a buffer in another shape or as another element type; nothing moves.",
        "customize.py",
    ),
    _view(
        "reinterpretcast",
        (Param("dst", "any"), _SRC, word("casttype")),
        "From here on dst names the bytes of src, read as the C type casttype (`float`, `int32_t`). "
        "What dst was allocated with is not used.",
        "ascend.py; CANN ReinterpretCast",
    ),
)
