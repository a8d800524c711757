"""`tl-ascend trace`: every stage of lowering with its text, what it changed, and its time."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tl_ascend.cli import run
from tl_ascend.cli.select import BadSelection, Selected, label, load, locator, select
from tl_ascend.target.hardware import PLATFORMS

if TYPE_CHECKING:
    from tl_ascend.driver.trace import Step

Traced = list[tuple[str, Selected, "list[Step]"]]


def add_parser(commands: Any) -> None:
    """The command line of `tl-ascend trace`."""
    out = commands.add_parser("trace", help="what every stage of lowering does to a kernel")
    out.add_argument("target", metavar="FILE[:FACTORY]")
    out.add_argument(
        "--instance", default="", metavar="N|all", help="default: the first of each factory"
    )
    out.add_argument("--format", choices=("text", "html", "json"), default="text")
    out.add_argument(
        "-o", "--output", metavar="FILE", default="", help="default: the standard output"
    )
    out.add_argument("--full", action="store_true", help="text: the kernel, not only the changes")
    out.add_argument("--positions", action="store_true", help="with lines and columns")
    out.add_argument(
        "--slow",
        type=float,
        metavar="MS",
        help="name the stages that take longer, in CPU milliseconds; exit status 1 if there are any",
    )
    out.add_argument("--platform", choices=("auto", *PLATFORMS), default="auto")
    out.set_defaults(run=show)


def show(arguments: argparse.Namespace) -> int:
    """Trace the kernels meant. Exit status: 1 for a slow stage or a kernel that is not known whole."""
    from tl_ascend.driver.trace import trace

    report, factory = load(arguments.target, arguments.platform, "snapshot")
    try:
        chosen = select(report, factory, arguments.instance)
    except BadSelection as error:
        return run.fail(f"{arguments.target}: {error}")
    traced: Traced = []
    for item in chosen:
        if item.kernel.status == "skipped":
            print(f"{label(item, chosen)} is not lowered: {item.kernel.reason}", file=sys.stderr)
            continue
        locate = locator(item) if arguments.positions else None
        traced.append((label(item, chosen), item, trace(item.kernel, "snapshot", locate)))
    _write(_formatted(traced, arguments), arguments.output)
    slow = _tell_slow(traced, arguments.slow)
    return run.FOUND if slow or len(traced) < len(chosen) else run.OK


def _write(text: str, output: str) -> None:
    if output:
        Path(output).write_text(text, encoding="utf-8")
    else:
        print(text, end="")


def _formatted(traced: Traced, arguments: argparse.Namespace) -> str:
    if arguments.format == "json":
        return json.dumps(_as_data(traced), indent=1) + "\n"
    if arguments.format == "html":
        from tl_ascend.cli.trace_page import page

        return page([(title, steps) for title, _, steps in traced])
    return "".join(_as_text(title, steps, arguments.full) for title, _, steps in traced)


def _as_data(traced: Traced) -> dict[str, Any]:
    """A stage's `ms` is CPU time; `diff` are the lines of a unified diff without its head."""
    return {
        "version": 1,
        "kernels": [
            {
                "factory": item.kernel.factory,
                "name": item.kernel.name,
                "instance": item.kernel.instance,
                "target": item.kernel.target,
                "stages": [
                    {
                        "name": step.name,
                        "reason": step.reason,
                        "ms": round(step.ms, 3),
                        "text": step.text,
                        "diff": list(step.diff),
                        "findings": list(step.said),
                    }
                    for step in steps
                ],
            }
            for _, item, steps in traced
        ],
    }


def _as_text(title: str, steps: list[Step], full: bool) -> str:
    lines = [f"# {title}", ""]
    for step in steps:
        came, went = step.changed
        what = f"+{came} -{went}" if step.diff else "no change"
        lines += [f"== {step.name} ({step.ms:.1f} ms, {what})", f"   {step.reason}"]
        lines += [f"   says {text}" for text in step.said]
        whole = full or step is steps[0]
        lines += ["", *(step.text.splitlines() if whole else step.diff), ""]
    total = sum(step.ms for step in steps)
    return "\n".join([*lines, f"{total:.1f} ms in all", ""]) + "\n"


def _tell_slow(traced: Traced, limit: float | None) -> bool:
    """The slow stages, on the error output."""
    if limit is None:
        return False
    slow = [
        f"{title}: {step.name} took {step.ms:.1f} ms, more than {limit:g} ms"
        for title, _, steps in traced
        for step in steps
        if step.ms > limit
    ]
    for line in slow:
        print(line, file=sys.stderr)
    return bool(slow)
