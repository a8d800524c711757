"""Flags and barriers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.backends.common.flags import cross_mode, pipe, pipes
from tl_ascend.backends.common.rules import Call
from tl_ascend.backends.pto.rules import rule
from tl_ascend.ir.meetings import BOTH, joining
from tl_ascend.target.hardware import Core

if TYPE_CHECKING:
    from tl_ascend.backends.pto.emit import Pto


def _flag(emission: Pto, call: Call, function: str) -> None:
    source, target = pipes(call)
    number = emission.values.index(call.arg("eventId"))
    emission.call(f"tl::ascend_pto::{function}<PIPE_{source}, PIPE_{target}>", number)


@rule("set_flag")
def set_flag(emission: Pto, call: Call) -> None:
    _flag(emission, call, "set_flag_pipeline")


@rule("wait_flag")
def wait_flag(emission: Pto, call: Call) -> None:
    _flag(emission, call, "wait_flag_pipeline")


@rule("pipe_barrier")
def pipe_barrier(emission: Pto, call: Call) -> None:
    emission.call("pipe_barrier", f"PIPE_{pipe(call, 'pipe')}")


@rule("barrier_all")
def barrier_all(emission: Pto, call: Call) -> None:
    emission.call("pipe_barrier", "PIPE_ALL")


@rule("set_cross_flag")
def set_cross_flag(emission: Pto, call: Call) -> None:
    function = f"tl::ascend_pto::set_cross_flag<PIPE_{pipe(call, 'pipe')}>"
    emission.call(function, emission.values.index(call.arg("flag")), str(cross_mode(call)))


@rule("wait_cross_flag")
def wait_cross_flag(emission: Pto, call: Call) -> None:
    emission.call("tl::ascend_pto::wait_cross_flag", emission.values.index(call.arg("flag")))


@rule("sync_all")
def sync_all(emission: Pto, call: Call) -> None:
    """Among the halves that come to such a call. Upstream has each meet alone where the call stands in
    its scope, so that neither waits for the other."""
    joined = joining(emission.kernel)
    alone = "" if joined == BOTH else "_aiv" if Core.VECTOR in joined else "_aic"
    emission.call(f"tl::ascend_pto::sync_all{alone}")


def own_flag(emission: Pto, source: str, target: str) -> None:
    """A flag that a call needs and the kernel does not hold: event 0, which the row of the call keeps
    free (`ops.row.Form.events`)."""
    for function in ("set_flag", "wait_flag"):
        emission.call(function, f"PIPE_{source}", f"PIPE_{target}", "EVENT_ID0")
