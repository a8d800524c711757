"""`tl-check`: check kernel files without an NPU."""

from __future__ import annotations

import argparse
import sys
import time

import tl_ascend
from tl_ascend.cli import collect, run
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.target.hardware import PLATFORMS

FORMATS = ("full", "concise", "json")


def main(argv: list[str] | None = None) -> int:
    """Entry point. Exit status: 0 nothing at error level, 1 something, 2 the tool failed."""
    arguments = parser().parse_args(argv)
    return run.guarded(lambda: check(arguments))


def parser() -> argparse.ArgumentParser:
    """The command line of tl-check."""
    out = argparse.ArgumentParser("tl-check", description="Check TileLang kernels for Ascend NPUs.")
    out.add_argument("paths", nargs="+", metavar="PATH", help="Python files or folders")
    out.add_argument("--format", choices=FORMATS, default="full", help="how findings are printed")
    names = ("auto", *PLATFORMS)
    out.add_argument("--platform", choices=names, default="auto", help="A2, A3 or A5 (default: A3)")
    upstream = "also demand what upstream's compiler demands (snapshot), or only ours (none)"
    out.add_argument("--upstream", choices=("snapshot", "none"), default="", help=upstream)
    levels = [s.label for s in reversed(Severity)]
    out.add_argument("--level", choices=levels, default="info", help="quietest severity printed")
    fails = "severity from which the exit status is 1"
    out.add_argument("--fail-level", choices=levels, default="error", help=fails)
    out.add_argument(
        "--jobs", type=_count, default=0, metavar="N", help="processes (default: cores)"
    )
    out.add_argument("--no-cache", action="store_true", help="check every file anew")
    out.add_argument("--color", choices=("auto", "always", "never"), default="auto")
    out.add_argument("--version", action="version", version=f"tl-ascend {tl_ascend.__version__}")
    return out


def _count(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"{text!r} is not a count")
    return int(text)


def check(arguments: argparse.Namespace) -> int:
    """Check all files and print the result."""
    from tl_ascend.cli import render
    from tl_ascend.ide.batch import Batch, check_files

    try:
        paths = collect.collect(arguments.paths)
    except collect.NoSuchPath as error:
        return run.fail(f"{error}: no such file or folder")
    started = time.monotonic()
    batch = Batch(arguments.platform, arguments.upstream, arguments.jobs, not arguments.no_cache)
    everything = list(check_files(paths, batch))
    for item in everything:
        if item.failure:
            run.fail(f"{item.path}: {item.failure}")
    results = [item for item in everything if not item.failure]
    level = Severity[arguments.level.upper()]
    writer = render.WRITERS[arguments.format]
    writer(results, level, time.monotonic() - started, arguments.color)
    if len(results) < len(everything):
        return run.FAILED
    limit = Severity[arguments.fail_level.upper()]
    loud = any(d.severity >= limit for r in results for d in r.diagnostics)
    return run.FOUND if loud else run.OK


if __name__ == "__main__":
    sys.exit(main())
