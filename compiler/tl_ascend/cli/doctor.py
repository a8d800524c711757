"""`tl-ascend doctor`: what is there to build and run kernels, and what to do next."""

from __future__ import annotations

import argparse
import os
import sys
from typing import TYPE_CHECKING, Any

from tl_ascend.cli import run
from tl_ascend.driver.strict_json import dumps
from tl_ascend.target.hardware import PLATFORMS

if TYPE_CHECKING:
    from tl_ascend.toolchain.doctor import Machine, Row

_STYLES = {"ok": "green", "missing": "yellow", "wrong": "red", "skipped": "dim", "none": "dim"}


def add_parser(commands: Any) -> None:
    """The command line of `tl-ascend doctor`."""
    out = commands.add_parser("doctor", help="what is there to build and run kernels on an NPU")
    out.add_argument(
        "--python", default="", metavar="PATH", help="the interpreter that has torch_npu"
    )
    out.add_argument("--platform", choices=("auto", *PLATFORMS), default="auto")
    out.add_argument(
        "--remote",
        nargs="?",
        const="",
        metavar="USER@HOST",
        help="look there, over ssh; without a name: at the host of the project in this folder",
    )
    out.add_argument("--format", choices=("text", "json"), default="text")
    out.set_defaults(run=show)


def show(arguments: argparse.Namespace) -> int:
    """Exit status: 0 where kernels can be built and run, 1 where not, 2 usage."""
    from tl_ascend.driver import site
    from tl_ascend.driver.settings import project_settings
    from tl_ascend.toolchain import doctor
    from tl_ascend.toolchain.place import Unreachable

    settings = project_settings(os.path.join(os.getcwd(), "pyproject.toml"))
    project = settings.remote
    if settings.problem and not arguments.remote:
        if arguments.remote is not None:
            return run.fail(settings.problem)
        print(f"warning: {settings.problem}", file=sys.stderr)
    host = site.NONE if arguments.remote is None else arguments.remote or project.get("host", "")
    if not host:
        return run.fail("the project in this folder names no host: --remote USER@HOST")
    platform = "" if arguments.platform == "auto" else arguments.platform
    try:
        place = site.chosen(project, host, arguments.python, dict(os.environ))
        with place.place() as work:
            machine = doctor.look(
                work, place.cann, place.environment, place.python, platform, place.name
            )
    except Unreachable as error:
        return _unreachable(doctor.unreachable(host, error), arguments.format)
    _show(machine, arguments.format)
    if project.get("host") and not place.name and arguments.format == "text":
        print(f"The project builds and runs on {project['host']}: tl-ascend doctor --remote")
    return run.OK if doctor.can_build(machine) and doctor.can_run(machine) else run.FOUND


def _show(machine: Machine, form: str) -> None:
    from tl_ascend.toolchain import doctor

    rows, build, launch = doctor.rows(machine), doctor.can_build(machine), doctor.can_run(machine)
    if form == "json":
        print(dumps(_as_data(machine.platform, rows, build, launch), indent=1))
    else:
        _table(rows)
        print(f"\nbuild: {_yes(build)}, run: {_yes(launch)} (platform {machine.platform})")


def _unreachable(row: Row, form: str) -> int:
    if form == "json":
        print(dumps(_as_data("", (row,), False, False), indent=1))
    else:
        _table((row,))
    return run.FOUND


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _as_data(platform: str, rows: tuple[Row, ...], build: bool, launch: bool) -> dict[str, Any]:
    return {
        "version": 1,
        "platform": platform,
        "can_build": build,
        "can_run": launch,
        "rows": [
            {"name": r.name, "state": r.state.value, "found": r.found, "step": r.step} for r in rows
        ],
    }


def _table(rows: tuple[Row, ...]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, pad_edge=False, show_header=False)
    for _ in range(3):
        table.add_column(overflow="fold")
    for row in rows:
        state = row.state.value
        text = Text(row.found)
        if row.step:
            text.append(f"\n-> {row.step}", "bold")
        table.add_row(Text(state, _STYLES[state]), row.name, text)
    Console(highlight=False).print(table)
