"""`tl-ascend build`: compile kernels for the NPU with Bisheng."""

from __future__ import annotations

import argparse
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tl_ascend.cli import run
from tl_ascend.cli.progress import Voice
from tl_ascend.driver.strict_json import dumps
from tl_ascend.source.words import counted
from tl_ascend.target.hardware import PLATFORMS

if TYPE_CHECKING:
    from tl_ascend.backends.manifest import Backend
    from tl_ascend.cli.select import Selected
    from tl_ascend.driver.build import Placed, Result
    from tl_ascend.driver.site import Site
    from tl_ascend.toolchain.bisheng import Job


@dataclass(frozen=True, slots=True)
class Prepared:
    """What a command line means: kernels, what to compile each with, and where."""

    chosen: list[Selected]
    jobs: list[tuple[Backend, Job]]
    site: Site
    voice: Voice


def add_parser(commands: Any) -> None:
    """The command line of `tl-ascend build`."""
    out = commands.add_parser("build", help="compile kernels for the NPU with Bisheng")
    add_arguments(out)
    out.add_argument("--dry-run", action="store_true", help="only say what would be done")
    out.add_argument("--clear-cache", action="store_true", help="remove everything built before")
    out.set_defaults(run=show)


def add_arguments(out: argparse.ArgumentParser) -> None:
    """What `build` and `run` share."""
    out.add_argument("target", metavar="FILE[:FACTORY]", nargs="?", default="")
    out.add_argument(
        "--target",
        dest="route",
        default="",
        metavar="ROUTE",
        help="ascendc or pto; default: the target of each kernel's jit",
    )
    out.add_argument(
        "--instance", default="", metavar="N|all", help="default: the first of each factory"
    )
    out.add_argument("--platform", choices=("auto", *PLATFORMS), default="auto")
    out.add_argument(
        "--keep", metavar="DIR", default="", help="write source and library there, too"
    )
    out.add_argument("-j", "--jobs", type=int, default=os.cpu_count() or 1, metavar="N")
    out.add_argument(
        "--headers",
        metavar="DIR",
        action="append",
        default=[],
        help="instead of our own headers; `upstream`: those of the installed tilelang",
    )
    out.add_argument("--camodel", action="store_true", help="for CANN's simulator, not a device")
    out.add_argument("--python", default="", metavar="PATH", help="the interpreter with torch_npu")
    out.add_argument(
        "--remote",
        default="",
        metavar="USER@HOST",
        help="build and run there, over ssh; `none`: here, whatever the project says",
    )
    out.add_argument("--format", choices=("text", "json"), default="text")


def show(arguments: argparse.Namespace) -> int:
    """Exit status: 0 all built, 1 a kernel or its compilation failed, 2 nothing could be tried."""
    data: dict[str, Any] = {"version": 1}
    if arguments.clear_cache:
        cleared = _clear(arguments.dry_run)
        if isinstance(cleared, int):
            return cleared
        data["cleared"] = cleared
        if arguments.format != "json":
            word = "would remove" if arguments.dry_run else "removed"
            print(f"{word} {counted(cleared['bytes'], 'byte')} from {cleared['folder']}")
        elif not arguments.target:
            print(dumps(data, indent=1))
        if not arguments.target:
            return run.OK
    prepared = prepare(arguments)
    if isinstance(prepared, int):
        if "cleared" in data and arguments.format == "json":
            print(dumps(data, indent=1))
        return prepared
    if arguments.dry_run:
        return _dry(prepared, arguments.format, data)
    results = all_of(prepared, arguments)
    if arguments.format == "json":
        print(dumps(data | _as_data(prepared.chosen, results), indent=1))
    else:
        for item, result in zip(prepared.chosen, results, strict=True):
            tell(item, result)
    good = all(r.built is not None and r.built.library is not None for r in results)
    return run.OK if good else run.FOUND


def _clear(dry: bool) -> dict[str, Any] | int:
    """Remove what was built before, or only look at it; returns how much and from where, or the exit
    status."""
    from tl_ascend.toolchain.build import reason
    from tl_ascend.toolchain.store import Store

    store = Store()
    try:
        freed, left = (store.size(), 0) if dry else store.clear()
    except OSError as error:
        return run.fail(reason(error))
    if left:
        text = f"{counted(left, 'entry')} cannot be removed, {counted(freed, 'byte')} of others are gone"
        return run.fail(f"{store.folder}: {text}")
    return {"folder": str(store.folder), "bytes": freed}


def prepare(arguments: argparse.Namespace) -> Prepared | int:
    """The kernels and the compiler, or the exit status of a command that cannot go on."""
    from tl_ascend.backends import registry
    from tl_ascend.cli.select import BadSelection, load, select
    from tl_ascend.driver import site
    from tl_ascend.driver.build import job_for, job_options
    from tl_ascend.toolchain.place import Unreachable

    if not arguments.target:
        return run.fail("which file? FILE[:FACTORY]")
    report, factory = load(arguments.target, arguments.platform, "none")
    try:
        chosen = select(report, factory, arguments.instance)
        routes = [arguments.route or item.kernel.kernel.options.route for item in chosen]
        backends = [registry.meant(route) for route in routes]
    except BadSelection as error:
        return run.fail(f"{arguments.target}: {error}")
    except registry.BadBackend as error:
        return run.fail(str(error))
    if unfit := site.unfit(report):
        return run.fail(unfit)
    if problem := _keeps(arguments):
        return run.fail(problem)
    voice = Voice(arguments.format == "json", len(chosen) > 1)
    project = report.project.remote
    host = site.host_of(project, arguments.remote)
    if host:
        voice.say(f"connecting to {host}")
    try:
        place = site.chosen(project, arguments.remote, arguments.python, dict(os.environ))
    except Unreachable as error:
        return run.fail(str(error))
    options = job_options(arguments.headers, arguments.camodel, place, routes)
    jobs: list[tuple[Backend, Job]] = []
    for item, backend in zip(chosen, backends, strict=True):
        job = job_for(backend, item.kernel.platform, place.cann, options)
        if isinstance(job, str):
            return run.fail(job)
        jobs.append((backend, job))
    return Prepared(chosen, jobs, place, voice)


def _name(item: Selected) -> str:
    return "".join(c if c.isalnum() else "_" for c in f"{item.name}.{item.number}")


def _keeps(arguments: argparse.Namespace) -> str:
    """Make the folder of `--keep`; returns why nothing can be kept there."""
    if not arguments.keep:
        return ""
    folder = Path(arguments.keep)
    try:
        if not getattr(arguments, "dry_run", False):
            folder.mkdir(parents=True, exist_ok=True)
    except FileExistsError:
        pass
    except (OSError, ValueError) as error:
        return f"--keep {arguments.keep!r}: {getattr(error, 'strerror', '') or error}"
    if os.path.lexists(folder) and not folder.is_dir():
        return f"--keep {arguments.keep!r}: is no folder"
    if folder.is_dir() and not os.access(folder, os.W_OK | os.X_OK):
        return f"--keep {arguments.keep!r}: nothing can be written there"
    return ""


def _dry(prepared: Prepared, form: str, data: dict[str, Any]) -> int:
    from tl_ascend.toolchain import bisheng

    kernels = []
    for item, (_, job) in zip(prepared.chosen, prepared.jobs, strict=True):
        name = _name(item)
        command = bisheng.command(job, Path(f"{name}.cpp"), Path(f"{name}.so"))
        kernels.append(_named(item) | {"command": list(command)})
        if form != "json":
            print(bisheng.shown(command))
    if form == "json":
        print(dumps(data | {"kernels": kernels}, indent=1))
    return run.OK


def all_of(prepared: Prepared, arguments: argparse.Namespace) -> list[Result]:
    """Build them, several at a time."""
    from tl_ascend.driver.build import Wanted, build_kernel
    from tl_ascend.toolchain.store import Store

    keep = Path(arguments.keep) if arguments.keep else None
    store, voice, site = Store(), prepared.voice, prepared.site
    where = f" on {site.name}" if site.name else ""

    def one(item: Selected, backend: Backend, job: Job) -> Result:
        name = _name(item)
        shown = f"{item.name}.{item.number}"
        step = voice.step(shown)
        with voice.output(shown) as heard:
            wanted = Wanted(
                backend,
                job,
                name,
                item.report.file.source.path,
                keep,
                step=lambda text: step(text + where),
                heard=heard,
            )
            return build_kernel(item.kernel, wanted, store, site.place)

    with ThreadPoolExecutor(max(1, arguments.jobs)) as pool:
        waiting = [
            pool.submit(one, item, *job)
            for item, job in zip(prepared.chosen, prepared.jobs, strict=True)
        ]
        return [future.result() for future in waiting]


def tell(item: Selected, result: Result) -> None:
    """What came of a build, on the output or the error output. What the compiler printed was told as it
    came."""
    from tl_ascend.cli.emit import blocked

    built = result.built
    if built is None:
        for finding in result.blockers:
            blocked(item, finding)
        return
    for placed in result.placed:
        if placed.span is not None:
            print(_line(item, placed), file=sys.stderr)
    if built.library is None:
        print(f"{item.name}.{item.number}: {built.why}", file=sys.stderr)
        return
    print(f"{built.library}  ({'hit' if built.hit else 'miss'}: {built.note})")


def _line(item: Selected, placed: Placed) -> str:
    said = placed.message
    where = item.report.range_of(placed.span) if placed.span is not None else None
    text = f"{said.file}:{said.row}:{said.column}: {said.level}: {said.text}"
    if where is None:
        return text
    place = f"{where.path}:{where.start.row}:{where.start.column + 1}"
    return f"{place}: {said.level}: {said.text}\n  = note: bisheng: {text}"


def _as_data(chosen: list[Selected], results: list[Result]) -> dict[str, Any]:
    """`row` and `column` count from 1 in the kernel's file; `original` is the compiler's own text."""
    return {"kernels": [_kernel(i, r) for i, r in zip(chosen, results, strict=True)]}


def _named(item: Selected) -> dict[str, Any]:
    return {"name": item.name, "number": item.number, "instance": item.kernel.instance}


def _kernel(item: Selected, result: Result) -> dict[str, Any]:
    built = result.built
    return _named(item) | {
        "library": str(built.library) if built is not None and built.library is not None else None,
        "hit": built.hit if built is not None else False,
        "note": built.note if built is not None else "",
        "why": built.why if built is not None else "",
        "blockers": [f"{f.rule.code} {f.name}: {f.message}" for f in result.blockers],
        "messages": [_message(item, placed) for placed in result.placed],
        "output": built.output if built is not None else "",
    }


def _message(item: Selected, placed: Placed) -> dict[str, Any]:
    said = placed.message
    where = item.report.range_of(placed.span) if placed.span is not None else None
    return {
        "path": where.path if where is not None else said.file,
        "row": where.start.row if where is not None else said.row,
        "column": where.start.column + 1 if where is not None else said.column,
        "level": said.level,
        "text": said.text,
        "original": f"{said.file}:{said.row}:{said.column}",
    }
