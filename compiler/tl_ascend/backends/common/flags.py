"""What flags and barriers may name on the hardware, whatever a route calls them."""

from __future__ import annotations

from tl_ascend.backends.common.rules import Call, Refusal
from tl_ascend.target.events import EVENTS

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
