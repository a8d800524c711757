"""The command line of `tl-check`."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TextIO

import tl_ascend
from tl_ascend.cli.formats import FORMATS
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.driver.rules import BadChoice, Rules, selector, severity_named
from tl_ascend.target.hardware import PLATFORMS

STDIN = "-"
_LEVELS = [severity.label for severity in reversed(Severity)]


def parser() -> argparse.ArgumentParser:
    """The command line of tl-check."""
    out = argparse.ArgumentParser(
        "tl-check",
        description="Check TileLang kernels for Ascend NPUs.",
        epilog="Exit status: 0 nothing found, 1 something found, 2 the tool could not do its work. "
        "CODE is a code (TL503), a prefix (TL5) or a name (ub-overflow).",
    )
    out.add_argument(
        "paths", nargs="+", metavar="PATH", help="Python files or folders; - for stdin"
    )
    out.add_argument("--version", action="version", version=f"tl-ascend {tl_ascend.__version__}")
    _kernels(out.add_argument_group("what kernels are checked for"))
    _choice(out.add_argument_group("what is told"))
    _output(out.add_argument_group("how it is told"))
    _fixes(out.add_argument_group("fixes"))
    _runs(out.add_argument_group("how files are gone through"))
    return out


def parse(argv: list[str] | None) -> argparse.Namespace:
    """The arguments, with those that do not go together refused. Exits with status 2."""
    command = parser()
    found = command.parse_args(argv)
    if STDIN in found.paths and (len(found.paths) > 1 or found.watch):
        command.error("- (standard input) stands alone, and cannot be watched")
    if found.stdin_filename and found.paths != [STDIN]:
        command.error("--stdin-filename goes with - as the only path")
    if found.write_baseline and not found.baseline:
        command.error("--write-baseline goes with --baseline FILE")
    if found.watch and found.diff:
        command.error("--watch and --diff do not go together")
    return found


def _kernels(out: argparse._ArgumentGroup) -> None:
    names = ("auto", *PLATFORMS)
    platform = "A2, A3 or A5 (default: what kernel, project or TL_PLATFORM name, else A3)"
    out.add_argument("--platform", choices=names, default="auto", help=platform)
    upstream = "also demand what upstream's compiler demands (snapshot), or only ours (none)"
    out.add_argument("--upstream", choices=("snapshot", "none"), default="", help=upstream)


def _choice(out: argparse._ArgumentGroup) -> None:
    out.add_argument("--level", choices=_LEVELS, default="info", help="quietest severity told")
    fails = "severity from which the exit status is 1 (default: error)"
    out.add_argument("--fail-level", choices=_LEVELS, default="error", help=fails)
    out.add_argument("--exit-zero", action="store_true", help="status 0 whatever is found")
    for name, what in (
        ("--select", "tell only these"),
        ("--ignore", "tell all but these; the more exact one wins"),
    ):
        out.add_argument(
            name, type=_selectors, action="extend", default=[], metavar="CODE,...", help=what
        )
    out.add_argument(
        "--severity",
        type=_severity,
        action="append",
        default=[],
        metavar="CODE=LEVEL",
        help=f"how loud some are: {', '.join(_LEVELS)}",
    )
    out.add_argument("--baseline", metavar="FILE", help="tell only what this file does not list")
    out.add_argument("--write-baseline", action="store_true", help="list what is found in it")


def _output(out: argparse._ArgumentGroup) -> None:
    out.add_argument(
        "--output-format",
        "--format",
        dest="format",
        choices=FORMATS,
        default="full",
        metavar="FORMAT",
        help=f"on standard output: {', '.join(FORMATS)}",
    )
    out.add_argument(
        "-o",
        "--output",
        type=_target,
        action="append",
        default=[],
        metavar="FORMAT:FILE",
        help="write a file, too; may be given several times",
    )
    out.add_argument(
        "--statistics",
        dest="format",
        action="store_const",
        const="statistics",
        help="count the findings instead of showing them",
    )
    out.add_argument("--color", choices=("auto", "always", "never"), default="auto")


def _fixes(out: argparse._ArgumentGroup) -> None:
    out.add_argument("--fix", action="store_true", help="repair files where that is certain")
    unsafe = "also do repairs of which the author must judge"
    out.add_argument("--unsafe-fixes", action="store_true", help=unsafe)
    diff = "show what --fix would change, and change nothing; status 1 where there is something"
    out.add_argument("--diff", action="store_true", help=diff)


def _runs(out: argparse._ArgumentGroup) -> None:
    out.add_argument(
        "--stdin-filename", metavar="FILE", help="the file that standard input stands for"
    )
    out.add_argument("--watch", action="store_true", help="check again whenever a file changes")
    jobs = "processes (default: cores)"
    out.add_argument("--jobs", type=_count, default=0, metavar="N", help=jobs)
    out.add_argument("--no-cache", action="store_true", help="check every file anew")


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a count")
    return int(text)


def _selectors(text: str) -> list[str]:
    try:
        return [selector(word) for word in text.split(",")]
    except BadChoice as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _severity(text: str) -> tuple[str, Severity]:
    word, _, level = text.partition("=")
    try:
        return selector(word), severity_named(level)
    except BadChoice as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _target(text: str) -> tuple[str, str]:
    name, _, file = text.partition(":")
    if name not in FORMATS or not file:
        known = ", ".join(FORMATS)
        raise argparse.ArgumentTypeError(f"{text!r} is not FORMAT:FILE with one of {known}")
    return name, file


def rules_of(arguments: argparse.Namespace) -> Rules:
    """What the command line chooses to tell."""
    chosen = tuple(arguments.select), tuple(arguments.ignore), tuple(arguments.severity)
    return Rules(*chosen)


def colored(choice: str, stream: TextIO) -> bool:
    """Whether text for a stream has colours: on a terminal, unless NO_COLOR or FORCE_COLOR say."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def is_terminal() -> bool:
    """Whether somebody sees what is said beside the output."""
    return sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
