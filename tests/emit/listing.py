"""The smallest back end there can be: a program is the list of a kernel's device calls."""

from __future__ import annotations

from tl_ascend.backends.manifest import Argument, Backend, Emitted, Launch, SourceMap
from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.nodes import Buffer, Kernel, TileOp, walk_stmts
from tl_ascend.target.hardware import Platform

REFUSED = frozenset({"printf"})


def emit(kernel: Kernel, platform: Platform, report: Report) -> Emitted | None:
    """One line a call. What it has no words for it reports, and then there is no program."""
    calls = [s for s in walk_stmts(kernel.body) if isinstance(s, TileOp)]
    for call in calls:
        if call.op in REFUSED:
            report.add("not-lowered", call.span, f"route listing has no T.{call.op}")
    if report.findings or kernel.launch is None:
        return None
    names = tuple(call.form or call.op for call in calls)
    arguments = tuple(
        Argument(p.name, "tensor" if isinstance(p.value, Buffer) else "scalar", "void *")
        for p in kernel.params
    )
    return Emitted(
        text="\n".join([f"; {kernel.name} on {platform.name}", *names, ""]),
        source_map=SourceMap(tuple((row, c.span) for row, c in enumerate(calls, 2))),
        symbol=kernel.name,
        launch=Launch(kernel.name, kernel.name, arguments, str(kernel.launch.blocks), 2),
        memory={},
        sync={},
        operations=names,
    )


BACKEND = Backend(
    name="listing",
    title="A list of calls",
    architectures=frozenset({"2201"}),
    suffix=".lst",
    include={},
    emit=emit,
)
