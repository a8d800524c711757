"""`tl-ascend trace`: every stage of lowering with its text, what it changed, and its time."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tl_ascend.cli import run
from tl_ascend.cli.select import BadSelection, Selected, label, load, locator, select
from tl_ascend.driver.strict_json import dumps
from tl_ascend.target.hardware import PLATFORMS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from rich.text import Text

    from tl_ascend.backends.manifest import Backend
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
        type=_limit,
        metavar="MS",
        help="name the stages that take longer, in CPU milliseconds; exit status 1 if there are any",
    )
    out.add_argument(
        "--target",
        dest="route",
        metavar="ROUTE",
        help="default: the target of each kernel's jit, or what serves the platform",
    )
    out.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    out.add_argument("--platform", choices=("auto", *PLATFORMS), default="auto")
    out.set_defaults(run=show)


def _limit(text: str) -> float:
    value = float(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"{text} is no time")
    return value


def show(arguments: argparse.Namespace) -> int:
    """Trace the kernels meant. Exit status: 1 for a slow stage, or a kernel that is not known whole or
    not emitted."""
    from tl_ascend.backends import registry
    from tl_ascend.driver.trace import emitted, trace

    if arguments.route:
        try:
            registry.meant(arguments.route)
        except registry.BadBackend as error:
            return run.fail(str(error))
    # As `emit` does it: upstream's own limits do not stand in the way of a program.
    report, factory = load(arguments.target, arguments.platform, "none")
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
        took, backend = item.report.evaluated_ms, _backend(item, arguments.route)
        steps = trace(item.kernel, "snapshot", took, locate, backend)
        traced.append((label(item, chosen), item, steps))
    _show(traced, arguments)
    slow = _tell_slow(traced, arguments.slow)
    whole = len(traced) == len(chosen) and all(emitted(steps) for _, _, steps in traced)
    return run.OK if whole and not slow else run.FOUND


def _backend(item: Selected, route: str | None) -> Backend | None:
    from tl_ascend.backends import registry

    if route:
        return registry.backend(route)
    platform = item.kernel.platform
    own = registry.backend(item.kernel.kernel.options.route)
    return next((b for b in (own, *registry.backends()) if b.serves(platform)), None)


def _show(traced: Traced, arguments: argparse.Namespace) -> None:
    if arguments.format == "text" and not arguments.output:
        from tl_ascend.cli.formats.text import console_for
        from tl_ascend.cli.options import colored

        console = console_for(sys.stdout, colored(arguments.color, sys.stdout))
        for line in _lines(traced, arguments):
            console.print(line)
        return
    text = _formatted(traced, arguments)
    if arguments.output:
        Path(arguments.output).write_text(text, encoding="utf-8")
    else:
        print(text, end="")


def _formatted(traced: Traced, arguments: argparse.Namespace) -> str:
    if arguments.format == "json":
        return dumps(_as_data(traced, arguments.slow), indent=1) + "\n"
    if arguments.format == "html":
        from tl_ascend.cli.trace_page import page

        return page([(title, steps) for title, _, steps in traced], arguments.slow)
    return "".join(f"{line.plain}\n" for line in _lines(traced, arguments))


def _lines(traced: Traced, arguments: argparse.Namespace) -> Iterator[Text]:
    from tl_ascend.cli.trace_text import lines

    for title, _, steps in traced:
        yield from lines(title, steps, arguments.full, arguments.slow)


def _as_data(traced: Traced, limit: float | None) -> dict[str, Any]:
    """A stage's `ms` is CPU time, of the front end for the whole file; `diff` are the lines of a unified
    diff without its head, null where there is none; `slow`: it took longer than `--slow` allows."""
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
                        "slow": step.slow(limit),
                        "text": step.text,
                        "diff": None if step.diff is None else list(step.diff),
                        "findings": list(step.said),
                    }
                    for step in steps
                ],
            }
            for _, item, steps in traced
        ],
    }


def _tell_slow(traced: Traced, limit: float | None) -> bool:
    """The slow stages, on the error output."""
    if limit is None:
        return False
    slow = [
        f"{title}: {step.name} took {step.ms:.2f} ms, more than {limit:g} ms"
        for title, _, steps in traced
        for step in steps
        if step.slow(limit)
    ]
    for line in slow:
        print(line, file=sys.stderr)
    return bool(slow)
