"""Flags and barriers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.ascendc.rules import rule
from tl_ascend.backends.common.rules import Call, Refusal

if TYPE_CHECKING:
    from tl_ascend.backends.ascendc.emit import AscendC as Emission

# The events of the Ascend C API (page SetFlag/WaitFlag), source pipe first.
EVENTS = frozenset(
    """
    MTE2_MTE1 MTE1_MTE2 MTE1_M M_MTE1 MTE2_V V_MTE2 MTE3_V V_MTE3 M_V V_M V_V MTE3_MTE1 MTE1_MTE3
    MTE1_V MTE2_M M_MTE2 V_MTE1 M_FIX FIX_M MTE3_MTE2 MTE2_MTE3 S_V V_S S_MTE2 MTE2_S S_MTE3 MTE3_S
    MTE2_FIX FIX_MTE2 FIX_S M_S FIX_MTE3 MTE1_FIX FIX_MTE1 FIX_FIX
    """.split()
)
PIPES = frozenset({"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL"})


def _pipe(call: Call, name: str) -> str:
    pipe = call.word(name).upper()
    if pipe in PIPES:
        return pipe
    raise Refusal(
        "not-lowered",
        call.span(name),
        f"there is no pipe {call.word(name)!r}: they are {', '.join(sorted(PIPES))}",
    )


def _flag(emission: Emission, call: Call, function: str) -> None:
    event = f"{_pipe(call, 'src')}_{_pipe(call, 'dst')}"
    if event not in EVENTS:
        raise Refusal("not-lowered", call.op.span, f"the hardware has no event {event}")
    number = emission.values.index(call.arg("eventId"))
    emission.call(f"AscendC::{function}<AscendC::HardEvent::{event}>", number)


@rule("set_flag")
def set_flag(emission: Emission, call: Call) -> None:
    _flag(emission, call, "SetFlag")


@rule("wait_flag")
def wait_flag(emission: Emission, call: Call) -> None:
    _flag(emission, call, "WaitFlag")


@rule("pipe_barrier")
def pipe_barrier(emission: Emission, call: Call) -> None:
    emission.call(f"AscendC::PipeBarrier<PIPE_{_pipe(call, 'pipe')}>")


@rule("barrier_all")
def barrier_all(emission: Emission, call: Call) -> None:
    emission.call("AscendC::PipeBarrier<PIPE_ALL>")


@rule("set_cross_flag")
def set_cross_flag(emission: Emission, call: Call) -> None:
    mode = call.arg("mode")
    if not isinstance(mode, int) or mode not in (0, 1, 2):
        text = "the mode of a cross-core flag is 0, 1 or 2, and known when the kernel is compiled"
        raise Refusal("not-lowered", call.span("mode"), text)
    function = f"AscendC::CrossCoreSetFlag<0x{mode}, PIPE_{_pipe(call, 'pipe')}>"
    emission.call(function, emission.values.index(call.arg("flag")))


@rule("wait_cross_flag")
def wait_cross_flag(emission: Emission, call: Call) -> None:
    emission.call("AscendC::CrossCoreWaitFlag", emission.values.index(call.arg("flag")))


@rule("sync_all")
def sync_all(emission: Emission, call: Call) -> None:
    emission.call("AscendC::SyncAll<false>")
