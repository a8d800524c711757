"""`tl-ascend ir`: a kernel as text after any stage, or as a TVM PrimFunc; why it is as it is."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from typing import Any

from tl_ascend.cli import run
from tl_ascend.cli.select import BadSelection, Selected, label, load, locator, select
from tl_ascend.target.hardware import PLATFORMS


def add_parser(commands: Any) -> None:
    """The command line of `tl-ascend ir`."""
    out = commands.add_parser("ir", help="show a kernel after a stage of lowering")
    out.add_argument("target", metavar="FILE[:FACTORY]", nargs="?")
    out.add_argument(
        "--after", metavar="STAGE", default="", help="a stage, or `front-end`; default: the last"
    )
    out.add_argument(
        "--instance", default="", metavar="N|all", help="default: the first of each factory"
    )
    out.add_argument(
        "--tir", action="store_true", help="as TVMScript, which tl_ascend.ir.tir.from_text parses"
    )
    out.add_argument(
        "--positions", action="store_true", help="with the line and column of each statement"
    )
    out.add_argument(
        "--why",
        metavar="ROW:COLUMN",
        default="",
        help="why what stands there became what it is; "
        "where nothing stands, the statements of that line",
    )
    out.add_argument("--stages", action="store_true", help="list the stages with their reasons")
    out.add_argument("--platform", choices=("auto", *PLATFORMS), default="auto")
    out.set_defaults(run=show_ir)


def show_ir(arguments: argparse.Namespace) -> int:
    """Print the kernels meant."""
    from tl_ascend.passes.pipeline import STAGES

    if arguments.stages:
        for stage in STAGES:
            print(f"{stage.name:20} {stage.reason}")
        return run.OK
    if arguments.target is None:
        return run.fail("which FILE?")
    names = ["front-end", *(s.name for s in STAGES)]
    if arguments.after and arguments.after not in names:
        return run.fail(f"no stage {arguments.after!r}; there are: {', '.join(names)}")
    report, factory = load(arguments.target, arguments.platform, "snapshot")
    try:
        chosen = select(report, factory, arguments.instance)
    except BadSelection as error:
        return run.fail(f"{arguments.target}: {error}")
    if arguments.why:
        return _why(chosen, arguments)
    status = run.OK
    for item in chosen:
        print(f"# {label(item, chosen)}")
        status = max(status, _show(item, arguments))
    return status


def _show(item: Selected, arguments: argparse.Namespace) -> int:
    from tl_ascend.diagnostics.report import Report
    from tl_ascend.ir.text import kernel_text
    from tl_ascend.passes.context import LowerOptions
    from tl_ascend.passes.pipeline import lower

    kernel = item.kernel.kernel
    if item.kernel.status == "skipped":
        print(f"# not lowered: {item.kernel.reason}")
    elif arguments.after != "front-end":
        options = LowerOptions(item.kernel.platform)
        kernel = lower(kernel, options, Report(), until=arguments.after or None)
    if arguments.tir:
        from tl_ascend.ir.tir import tir_text

        print(tir_text(kernel, item.report.range_of if arguments.positions else None))
    else:
        print(kernel_text(kernel, locator(item) if arguments.positions else None))
    return run.OK if item.kernel.status == "checked" else run.FOUND


def _why(chosen: Sequence[Selected], arguments: argparse.Namespace) -> int:
    """Print the reasons for what stands at a position. Exit status 1 where nothing does."""
    from tl_ascend.ide.facts import Facts
    from tl_ascend.ide.why import as_text, why_near
    from tl_ascend.source.span import Position

    row, _, column = arguments.why.partition(":")
    if not (row.isdecimal() and column.isdecimal() and int(row) and int(column)):
        return run.fail(f"--why takes ROW:COLUMN, both from 1, not {arguments.why!r}")
    told = False
    for item in chosen:
        facts = Facts(item.report, item.kernel)
        found = why_near(facts, Position(int(row), int(column) - 1))
        for explanation in found:
            start = explanation.range.start
            where = f", at {start.row}:{start.column + 1}" if len(found) > 1 else ""
            print(f"# {label(item, chosen)}{where}")
            last = item is chosen[-1] and explanation is found[-1]
            print(as_text(facts, explanation.reasons), end="" if last else "\n")
            told = True
    if not told:
        print(f"nothing that lowering decides about stands at {row}:{column}")
    return run.OK if told else run.FOUND
