"""Flags and barriers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.ascendc.rules import rule
from tl_ascend.backends.common.flags import cross_mode, pipe, pipes
from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.ir.meetings import joining
from tl_ascend.target.hardware import Core

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission


def _flag(emission: Emission, call: Call, function: str) -> None:
    source, target = pipes(call)
    number = emission.values.index(call.arg("eventId"))
    emission.call(f"AscendC::{function}<AscendC::HardEvent::{source}_{target}>", number)


@rule("set_flag")
def set_flag(emission: Emission, call: Call) -> None:
    _flag(emission, call, "SetFlag")


@rule("wait_flag")
def wait_flag(emission: Emission, call: Call) -> None:
    _flag(emission, call, "WaitFlag")


@rule("pipe_barrier")
def pipe_barrier(emission: Emission, call: Call) -> None:
    emission.call(f"AscendC::PipeBarrier<PIPE_{pipe(call, 'pipe')}>")


@rule("barrier_all")
def barrier_all(emission: Emission, call: Call) -> None:
    emission.call("AscendC::PipeBarrier<PIPE_ALL>")


@rule("set_cross_flag")
def set_cross_flag(emission: Emission, call: Call) -> None:
    function = f"AscendC::CrossCoreSetFlag<0x{cross_mode(call)}, PIPE_{pipe(call, 'pipe')}>"
    emission.call(function, emission.values.index(call.arg("flag")))


@rule("wait_cross_flag")
def wait_cross_flag(emission: Emission, call: Call) -> None:
    emission.call("AscendC::CrossCoreWaitFlag", emission.values.index(call.arg("flag")))


@rule("sync_all")
def sync_all(emission: Emission, call: Call) -> None:
    """Among the halves that come to such a call. Errors: Refusal."""
    joined = joining(emission.kernel)
    if Core.VECTOR not in joined:
        raise Refusal(
            "not-lowered",
            call.op.span,
            "T.sync_all of cube cores alone: Ascend C lets vector cores meet, or all cores",
            "Call it in the code of the vector cores, too.",
        )
    emission.call(f"AscendC::SyncAll<{'false' if Core.CUBE in joined else 'true'}>")
