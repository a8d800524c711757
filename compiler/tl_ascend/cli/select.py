"""`FILE[:FACTORY]` and `--instance N` on the command line: which kernels a command means."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tl_ascend.driver.check import Checker, FileReport, KernelReport, options_for
from tl_ascend.driver.files import Files
from tl_ascend.source.span import Span


class BadSelection(Exception):
    """The command line names no kernel; the text says which there are."""


@dataclass(frozen=True, slots=True)
class Selected:
    """A kernel with its factory's (or its own) name and its number among their instances."""

    report: FileReport
    kernel: KernelReport
    name: str
    number: int


def split_target(target: str) -> tuple[str, str]:
    """`FILE:FACTORY`; a path that exists as it stands has no factory, whatever colons it holds."""
    if os.path.exists(target) or ":" not in target:
        return target, ""
    path, factory = target.rsplit(":", 1)
    return path, factory


def load(target: str, platform: str, upstream: str) -> tuple[FileReport, str]:
    """Check the file of a target. Errors: OSError."""
    path, factory = split_target(target)
    options = options_for(path, platform, upstream)
    return Checker(Files()).check(os.path.normpath(path), options), factory


def select(report: FileReport, factory: str, instance: str) -> list[Selected]:
    """The kernels meant. `instance`: empty (the first of each), a number, or `all`.

    Errors: BadSelection.
    """
    every = numbered(report)
    if not every:
        raise BadSelection("no kernel was found in this file")
    names = list(dict.fromkeys(s.name for s in every))
    if factory and factory not in names:
        raise BadSelection(f"no factory or kernel {factory!r}; there are: {', '.join(names)}")
    meant = [s for s in every if not factory or s.name == factory]
    if instance == "all":
        return meant
    number = _number(instance)
    chosen = [s for s in meant if s.number == number]
    if not chosen:
        most = max(s.number for s in meant)
        raise BadSelection(f"no instance {number}; instances are numbered 0 to {most}")
    return chosen


def _number(instance: str) -> int:
    if not instance:
        return 0
    if not instance.isdecimal():
        raise BadSelection(f"--instance takes a number or `all`, not {instance!r}")
    return int(instance)


def numbered(report: FileReport) -> list[Selected]:
    """All kernels, numbered per factory in the order of the file's calls."""
    count: dict[str, int] = {}
    out: list[Selected] = []
    for kernel in report.kernels:
        name = kernel.factory or kernel.name
        number = count.get(name, 0)
        count[name] = number + 1
        out.append(Selected(report, kernel, name, number))
    return out


def label(item: Selected, total: Sequence[Selected]) -> str:
    """A heading for one of several kernels."""
    place = item.report.range_of(item.kernel.span)
    where = f"{place.path}:{place.start.row}" if place is not None else item.name
    shown = f" ({item.kernel.instance})" if item.kernel.instance else ""
    return f"{where} {item.name}.{item.number}{shown}"


def locator(item: Selected) -> Callable[[Span], str]:
    """The row and column of a span, `?` where it has none in the file."""

    def locate(span: Span) -> str:
        place = item.report.range_of(span)
        return f"{place.start.row}:{place.start.column + 1}" if place is not None else "?"

    return locate
