"""Rules of output from the device."""

from __future__ import annotations

from tl_ascend.checks.context import Call, CheckContext

LARGEST = 2**32 - 1


def dump_number(call: Call, context: CheckContext) -> None:
    """The mark of an output is a constant that 32 bits hold."""
    mark = call.arg("desc")
    if isinstance(mark, int) and not isinstance(mark, bool) and not 0 <= mark <= LARGEST:
        context.report.add(
            "kernel-form", call.span("desc"), f"desc is {mark}; it is a number from 0 to {LARGEST}"
        )
