"""`tl-ascend`: look inside, emit, explain."""

from __future__ import annotations

import argparse
import sys

import tl_ascend
from tl_ascend.cli import build, doctor, emit, explain, ir, launch, run, trace


def main(argv: list[str] | None = None) -> int:
    """Entry point. Exit status: 0 done, 1 some kernel could not be done, 2 the tool failed."""
    out = argparse.ArgumentParser("tl-ascend", description="TileLang kernels for Ascend NPUs.")
    out.add_argument("--version", action="version", version=f"tl-ascend {tl_ascend.__version__}")
    commands = out.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for command in (emit, ir, trace, explain, build, launch, doctor):
        command.add_parser(commands)
    arguments = out.parse_args(argv)
    return run.guarded(lambda: int(arguments.run(arguments)))


if __name__ == "__main__":
    sys.exit(main())
