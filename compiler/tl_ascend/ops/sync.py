"""Flags and barriers."""

from __future__ import annotations

from tl_ascend.ops.row import Form, Op, Param, RuleName
from tl_ascend.ops.tiles import UPSTREAM, emits
from tl_ascend.target.hardware import Core, Pipe


def _sync(name: str, params: tuple[Param, ...], doc: str, source: str, *checks: str) -> Op:
    form = Form(name, Pipe.S, Core.ANY, emits(RuleName(name)))
    origin = f"{UPSTREAM}/ascend.py; CANN {source}"
    return Op(name, "sync", params, doc, origin, "sync", (form,), checks=checks)


_SRC, _DST = Param("src", "text"), Param("dst", "text")
_EVENT = Param("eventId", "scalar")

ROWS = (
    _sync(
        "set_flag",
        (_SRC, _DST, _EVENT),
        "Pipe `src` sets event `eventId` (0..7) for pipe `dst` when its calls so far are done.",
        "SetFlag",
        "event_id",
    ),
    _sync(
        "wait_flag",
        (_SRC, _DST, _EVENT),
        "Pipe `dst` waits until pipe `src` has set event `eventId`, and clears it.",
        "WaitFlag",
        "event_id",
    ),
    _sync(
        "pipe_barrier",
        (Param("pipe", "text"),),
        "Calls of this pipe after the barrier start when those before it are done.",
        "PipeBarrier",
    ),
    _sync("barrier_all", (), "All pipes of this core wait for each other.", "PipeBarrier"),
    _sync(
        "set_cross_flag",
        (Param("pipe", "text"), Param("flag", "scalar"), Param("mode", "int", default=2)),
        "Tell the other half of the core (mode 2) that this pipe has come this far. flag: 0..10 and "
        "15 are free, each a counter.",
        "CrossCoreSetFlag",
        "cross_flag_id",
        "cross_flag_pipe",
    ),
    _sync(
        "wait_cross_flag",
        (Param("flag", "scalar"), Param("pipe", "text", default="")),
        "Wait until the other half of the core has set `flag`, and count it down.",
        "CrossCoreWaitFlag",
        "cross_flag_id",
    ),
    _sync("sync_all", (), "All cores of the launch wait for each other.", "SyncAll"),
)
