"""`tl-ascend explain`: the page of a diagnostic."""

from __future__ import annotations

import argparse
from typing import Any

from tl_ascend.cli import run
from tl_ascend.diagnostics.catalogue import BY_CODE, BY_NAME, RULES
from tl_ascend.diagnostics.help import page


def add_parser(commands: Any) -> None:
    """The command line of `tl-ascend explain`."""
    out = commands.add_parser("explain", help="explain a diagnostic")
    out.add_argument(
        "rule", nargs="?", metavar="CODE|NAME", help="TL503 or ub-overflow; none: list all"
    )
    out.set_defaults(run=explain)


def explain(arguments: argparse.Namespace) -> int:
    """Print a page, or the catalogue."""
    if arguments.rule is None:
        for rule in RULES:
            print(f"{rule.code}  {rule.name:26} {rule.severity.label:8} {rule.summary}")
        return run.OK
    found = BY_CODE.get(arguments.rule.upper()) or BY_NAME.get(arguments.rule)
    if found is None:
        return run.fail(f"no diagnostic {arguments.rule!r}; `tl-ascend explain` lists all")
    print(page(found.code))
    return run.OK
