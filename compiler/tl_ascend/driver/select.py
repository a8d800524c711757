"""Which kernels of a file are meant: by the name of their factory and the number of the instance."""

from __future__ import annotations

from dataclasses import dataclass

from tl_ascend.driver.check import FileReport, KernelReport


class BadSelection(Exception):
    """The command line names no kernel; the text says which there are."""


@dataclass(frozen=True, slots=True)
class Selected:
    """A kernel with its factory's (or its own) name and its number among their instances."""

    report: FileReport
    kernel: KernelReport
    name: str
    number: int


def select(report: FileReport, factory: str, instance: str) -> list[Selected]:
    """The kernels meant. `instance`: empty (the first of each), a number, or `all`.

    Errors: BadSelection.
    """
    every = numbered(report)
    if not every:
        problems = report.file.problems
        row = f": line {problems[0].start.row}: {problems[0].message}" if problems else ""
        raise BadSelection(f"no kernel was found in this file{row}")
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
        raise BadSelection(f"an instance is a number from 0 on, or `all`, not {instance!r}")
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
