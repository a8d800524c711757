"""The manifest of route `pto`. Importing the rules registers them."""

from __future__ import annotations

from pathlib import Path

from tl_ascend.backends.manifest import Backend
from tl_ascend.backends.pto import (  # noqa: F401
    emit_copy,
    emit_debug,
    emit_elements,
    emit_experimental,
    emit_gather,
    emit_math,
    emit_matmul,
    emit_reduce,
    emit_remote,
    emit_repeats,
    emit_sort,
    emit_sync,
    emit_vector,
)
from tl_ascend.backends.pto.emit import emit

BACKEND = Backend(
    name="pto",
    title="PTO tile instructions (pto-isa), A2 and A3",
    architectures=frozenset({"2201"}),
    suffix=".cpp",
    include={"device": Path(__file__).parent / "include"},
    emit=emit,
)
