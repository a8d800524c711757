"""What flags and barriers may name on the hardware, whatever a route calls them."""

from __future__ import annotations

from tl_ascend.backends.common.rules import Call, Refusal

# The events of the hardware (CANN, page SetFlag/WaitFlag), source pipe first.
EVENTS = frozenset(
    """
    MTE2_MTE1 MTE1_MTE2 MTE1_M M_MTE1 MTE2_V V_MTE2 MTE3_V V_MTE3 M_V V_M V_V MTE3_MTE1 MTE1_MTE3
    MTE1_V MTE2_M M_MTE2 V_MTE1 M_FIX FIX_M MTE3_MTE2 MTE2_MTE3 S_V V_S S_MTE2 MTE2_S S_MTE3 MTE3_S
    MTE2_FIX FIX_MTE2 FIX_S M_S FIX_MTE3 MTE1_FIX FIX_MTE1 FIX_FIX
    """.split()
)
PIPES = frozenset({"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "ALL"})


def pipe(call: Call, name: str) -> str:
    """The pipe that an argument names. Errors: Refusal."""
    found = call.word(name).upper()
    if found in PIPES:
        return found
    raise Refusal(
        "not-lowered",
        call.span(name),
        f"there is no pipe {call.word(name)!r}: they are {', '.join(sorted(PIPES))}",
    )


def pipes(call: Call) -> tuple[str, str]:
    """Source and destination of a flag, which must be an event of the hardware. Errors: Refusal."""
    source, target = pipe(call, "src"), pipe(call, "dst")
    if f"{source}_{target}" not in EVENTS:
        text = f"the hardware has no event {source}_{target}"
        raise Refusal("not-lowered", call.op.span, text)
    return source, target


def cross_mode(call: Call) -> int:
    """The mode of a cross-core flag. Errors: Refusal."""
    mode = call.arg("mode")
    if isinstance(mode, int) and mode in (0, 1, 2):
        return int(mode)
    text = "the mode of a cross-core flag is 0, 1 or 2, and known when the kernel is compiled"
    raise Refusal("not-lowered", call.span("mode"), text)
