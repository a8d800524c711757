"""Every kernel as TVMScript, and from there back: `python -m tests.corpus CHECKOUT --tir`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from tl_ascend.driver.check import Checker, FileReport, options_for
from tl_ascend.driver.files import Files
from tl_ascend.driver.stack import on_deep_stack
from tl_ascend.ir.nodes import Kernel, walk_stmts
from tl_ascend.ir.tir import difference, from_text, positions, to_tir


def exported(report: FileReport) -> Iterator[tuple[str, str]]:
    """Name of each kernel of a file, as evaluated and as lowered, and what is wrong with its script."""
    for at, kernel in enumerate(report.kernels):
        for state, form in (("evaluated", kernel.kernel), ("lowered", kernel.lowered)):
            if kernel.status == "checked" and form is not None:
                yield f"{kernel.name}.{at} {state}", trouble(report, form)


def trouble(report: FileReport, kernel: Kernel) -> str:
    """What is wrong with the script of a kernel; empty where it is whole."""
    try:
        function = to_tir(kernel, report.range_of)
        again = from_text(str(function.script()))
    except ValueError as error:
        return str(error)
    differs = difference(function, again)
    if differs:
        return differs
    kept = set(positions(again))
    lost = [
        s
        for s in walk_stmts(kernel.body)
        if (place := report.range_of(s.span)) is not None
        and f"{place.path}:{place.start.row}:{place.start.column + 1}" not in kept
    ]
    return f"{len(lost)} positions are lost" if lost else ""


def show_tir(paths: Iterable[str]) -> int:
    """Print what fails and how many do not. Exit status 1 where something fails."""
    done: list[str] = []
    on_deep_stack(lambda: done.extend(text for path in paths for text in _file(path)))
    failed = [text for text in done if text]
    print(f"{len(done)} scripts, {len(done) - len(failed)} parse back to the same function")
    return 1 if failed else 0


def _file(path: str) -> Iterator[str]:
    for name, text in exported(Checker(Files()).check(path, options_for(path))):
        if text:
            print(f"{path} {name}: {text.splitlines()[0]}")
        yield text
