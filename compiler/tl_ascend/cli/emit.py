"""`tl-ascend emit`: device source, line map and report of kernels, into a folder."""

from __future__ import annotations

import argparse
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tl_ascend.cli import run
from tl_ascend.driver.strict_json import dumps
from tl_ascend.target.hardware import PLATFORMS

if TYPE_CHECKING:
    from tl_ascend.backends.manifest import Emitted
    from tl_ascend.cli.select import Selected
    from tl_ascend.diagnostics.report import Finding
    from tl_ascend.driver.check import FileReport
    from tl_ascend.source.span import Span


def add_parser(commands: Any) -> None:
    """The command line of `tl-ascend emit`."""
    out = commands.add_parser("emit", help="write the device source of kernels")
    out.add_argument("target", metavar="FILE[:FACTORY]")
    out.add_argument("-o", "--output", default=".", metavar="DIR", help="default: this folder")
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
    out.add_argument(
        "--line-markers",
        action="store_true",
        help="#line before each line that comes from the kernel file",
    )
    out.add_argument("--platform", choices=("auto", *PLATFORMS), default="auto")
    out.set_defaults(run=emit)


def emit(arguments: argparse.Namespace) -> int:
    """Write the kernels meant. Exit status: 0 all of them, 1 some could not be emitted, 2 usage."""
    from tl_ascend.backends import registry
    from tl_ascend.cli.select import BadSelection, load, select

    try:
        if arguments.route:
            registry.meant(arguments.route)
    except registry.BadBackend as error:
        return run.fail(str(error))
    # Upstream's own limits do not bind our programs: only what the hardware refuses blocks.
    report, factory = load(arguments.target, arguments.platform, "none")
    broken = _whole_file(report)
    try:
        chosen = select(report, factory, arguments.instance)
    except BadSelection as error:
        if broken and not report.kernels:
            return run.FOUND
        return run.fail(f"{arguments.target}: {error}")
    folder = Path(arguments.output)
    folder.mkdir(parents=True, exist_ok=True)
    if not arguments.instance:
        _say_left_out(report, chosen)
    return _all(chosen, folder, arguments)


def _whole_file(report: FileReport) -> bool:
    """Print what is wrong with the file as a whole; True where something is an error."""
    from tl_ascend.diagnostics.catalogue import Severity
    from tl_ascend.ide.diagnostics import diagnostics

    found = [d for d in diagnostics(report) if not d.kernel and d.severity >= Severity.ERROR]
    for item in found:
        start = item.range.start
        place = f"{item.range.path}:{start.row}:{start.column + 1}"
        _print(place, item.code, item.name, item.message, item.notes)
    return bool(found)


def _print(place: str, code: str, name: str, message: str, notes: tuple[str, ...]) -> None:
    print(f"{place}: error[{code}] {name}: {message}", file=sys.stderr)
    for note in notes:
        print(f"  = note: {note}", file=sys.stderr)


def _say_left_out(report: FileReport, chosen: list[Selected]) -> None:
    """Say which kernels share a name with one that is emitted."""
    from tl_ascend.cli.select import numbered

    first = {item.name: item.kernel.span for item in chosen}
    told: set[Any] = set(first.values())
    for item in numbered(report):
        span = item.kernel.span
        if item.name not in first or span in told:
            continue
        told.add(span)
        place = report.range_of(span)
        row = place.start.row if place is not None else "?"
        text = f"{item.name} also stands for a kernel in line {row}: --instance {item.number}"
        print(f"note: {text}", file=sys.stderr)


def _all(chosen: list[Selected], folder: Path, arguments: argparse.Namespace) -> int:
    from tl_ascend.backends import registry
    from tl_ascend.driver.emit import emit_kernel

    route, number = arguments.route, bool(arguments.instance)

    status, taken = run.OK, set[str]()
    for item in chosen:
        backend = registry.backend(route or item.kernel.kernel.options.route)
        outcome = emit_kernel(item.kernel, backend)
        if outcome.emitted is None:
            status = run.FOUND
            for finding in outcome.blockers:
                blocked(item, finding)
            continue
        stem = _stem(item, number, taken)
        program = outcome.emitted
        if arguments.line_markers:
            program = _marked(item, program, str(folder / f"{stem}{backend.suffix}"))
        _write(folder, stem, backend.suffix, item, program)
    return status


def _marked(item: Selected, program: Emitted, own: str) -> Emitted:
    from tl_ascend.backends.common.markers import marked

    def place_of(span: Span) -> tuple[str, int] | None:
        found = item.report.range_of(span)
        return None if found is None else (found.path, found.start.row)

    return marked(program, place_of, own)


def blocked(item: Selected, finding: Finding) -> None:
    """Say why a kernel cannot be emitted, at its place."""
    found = item.report.range_of(finding.span) or item.report.range_of(item.kernel.span)
    place = item.name
    if found is not None:
        place = f"{found.path}:{found.start.row}:{found.start.column + 1}"
    notes = finding.notes
    if item.kernel.instance:
        notes = (*notes, f"instance {item.number} of {item.name}: {item.kernel.instance}")
    _print(place, finding.rule.code, finding.name, finding.message, notes)


def _stem(item: Selected, number: bool, taken: set[str]) -> str:
    """The file name without suffix. Some file systems do not tell cases apart, so names that differ
    in nothing else get the next number."""
    base = re.sub(r"\W", "_", item.name)
    stem, count = (f"{base}.{item.number}" if number else base), item.number
    while stem.casefold() in taken:
        count += 1
        stem = f"{base}.{count}"
    taken.add(stem.casefold())
    return stem


def _write(folder: Path, stem: str, suffix: str, item: Selected, emitted: Emitted) -> None:
    texts = {
        suffix: emitted.text,
        ".map.json": _json(_lines(item, emitted)),
        ".report.json": _json(emitted.report),
    }
    for ending, text in texts.items():
        path = folder / f"{stem}{ending}"
        path.write_text(text, encoding="utf-8", newline="\n")
    print(folder / f"{stem}{suffix}")


def _json(value: Any) -> str:
    return dumps(value, indent=1) + "\n"


def _lines(item: Selected, emitted: Emitted) -> dict[str, list[int | str]]:
    """Emitted row to row and column, all from 1; behind them the path, where a line comes from a macro
    of another file."""
    own = item.report.file.source.path
    out: dict[str, list[int | str]] = {}
    for row, span in emitted.source_map.lines:
        place = item.report.range_of(span)
        if place is not None:
            out[str(row)] = [place.start.row, place.start.column + 1]
            out[str(row)] += [place.path] if place.path != own else []
    return out
