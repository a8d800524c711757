"""Smaller instances of kernels whose own are too large to be run: the same arguments with a cap on
their numbers, as if the author had stated them."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path

from tests.proofs import common

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.driver.check import (
    Checker,
    CheckOptions,
    KernelReport,
    options_for,
)
from tl_ascend.driver.files import Files

CAPS = (256, 512, 128, 64, 32)  # enough for several steps of a loop, if possible
DIVISORS = (2, 4, 8, 16, 32)
LEAST_DIVIDED = 16
LARGE = 1_500_000  # bytes of tensors
SECONDS = 60.0  # for all instances of a file


def instances(path: str) -> list[KernelReport]:
    """One instance of each kernel of a file: its smallest where that is small, else a capped one where
    there is one without errors."""
    options = replace(options_for(path, upstream="none"), seconds=SECONDS)  # as `emit` does
    own = common.smallest(path, options)
    large = [r for r in own if common.size_of(r.kernel) > LARGE and r.factory]
    stated: dict[str, tuple[str, ...]] = {}
    for report in large:
        stated[f"{Path(path).name}:{report.factory}"] = _smaller_texts(report.instance)
    made = _checked(path, options, stated) if any(stated.values()) else []
    return [_smaller(report, made) if report in large else report for report in own]


def _checked(
    path: str, options: CheckOptions, stated: dict[str, tuple[str, ...]]
) -> list[KernelReport]:
    root = Path(path).resolve().parent
    project = replace(options.project, root=root, stated=stated)
    reports = Checker(Files()).check(path, replace(options, project=project)).kernels
    return [report for report in reports if report.origin == "stated"]


def _smaller(report: KernelReport, made: list[KernelReport]) -> KernelReport:
    """The first that is small; else the smallest. Errors are those that the kernel has anyway."""
    found = [report]
    for other in made:
        if other.span != report.span or other.status != "checked":
            continue
        own = report.kernel.options
        if replace(other.kernel.options, spans=own.spans) != own:
            continue  # another call compiles it so
        if _errors(other) <= _errors(report):
            if common.size_of(other.kernel) <= LARGE:
                return other
            found.append(other)
    return min(found, key=lambda other: common.size_of(other.kernel))


def _errors(report: KernelReport) -> set[str]:
    return {found.name for found in report.findings if found.level >= Severity.ERROR}


def _smaller_texts(instance: str) -> tuple[str, ...]:
    """Arguments with a cap on the numbers; then with the large ones divided, which keeps them apart."""
    rules = [partial(min, cap) for cap in CAPS]
    rules += [partial(_divided, by) for by in DIVISORS]
    return tuple(dict.fromkeys(filter(None, (changed(instance, rule) for rule in rules))))


def _divided(by: int, number: int) -> int:
    return number // by if number >= LEAST_DIVIDED and number % by == 0 else number


def changed(instance: str, rule: Callable[[int], int]) -> str:
    """The arguments of an instance with other numbers; empty where they cannot be read."""
    try:
        call = ast.parse(f"f({instance})", mode="eval").body
        assert isinstance(call, ast.Call)
        values = [(word.arg, ast.literal_eval(word.value)) for word in call.keywords]
    except (SyntaxError, ValueError):
        return ""
    if call.args:
        return ""
    return ", ".join(f"{name}={_changed(value, rule)!r}" for name, value in values)


def _changed(value: object, rule: Callable[[int], int]) -> object:
    if isinstance(value, (tuple, list)):
        return type(value)(_changed(part, rule) for part in value)
    return rule(value) if type(value) is int else value
