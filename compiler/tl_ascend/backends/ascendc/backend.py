"""The manifest of route `ascendc`. Importing the rules registers them."""

from __future__ import annotations

from pathlib import Path

from tl_ascend.backends.ascendc import (  # noqa: F401
    emit_bitwise,
    emit_copy,
    emit_debug,
    emit_experimental,
    emit_gather,
    emit_matmul,
    emit_reduce,
    emit_sort,
    emit_sync,
    emit_vector,
)
from tl_ascend.backends.ascendc.emit import emit
from tl_ascend.backends.manifest import Backend

_INCLUDE = Path(__file__).parent / "include"

BACKEND = Backend(
    name="ascendc",
    title="Ascend C (CANN), A2 and A3",
    architectures=frozenset({"2201"}),
    suffix=".cpp",
    include={"device": _INCLUDE, "host": _INCLUDE / "cpu_twin"},
    emit=emit,
)
