"""Smaller instances of kernels whose own are too large to be run: the same arguments with a cap on
their numbers, as if the author had stated them."""

from __future__ import annotations

import ast
from dataclasses import replace
from pathlib import Path

from tests.proofs import common

from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.driver.check import Checker, CheckOptions, KernelReport, options_for
from tl_ascend.driver.files import Files

CAPS = (256, 512, 128)  # enough for several steps of a loop, if possible
LARGE = 1_500_000  # bytes of tensors


def instances(path: str) -> list[KernelReport]:
    """One instance of each kernel of a file: its smallest where that is small, else a capped one where
    there is one without errors."""
    options = options_for(path, upstream="none")  # as `emit` does
    own = common.smallest(path, options)
    large = [r for r in own if common.size_of(r.kernel) > LARGE and r.factory]
    stated: dict[str, tuple[str, ...]] = {}
    for report in large:
        texts = tuple(dict.fromkeys(filter(None, (capped(report.instance, cap) for cap in CAPS))))
        stated[f"{Path(path).name}:{report.factory}"] = texts
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
    for other in made:
        wrong = any(finding.level >= Severity.ERROR for finding in other.findings)
        if other.span == report.span and other.status == "checked" and not wrong:
            if common.size_of(other.kernel) < common.size_of(report.kernel):
                return other
    return report


def capped(instance: str, cap: int) -> str:
    """The arguments of an instance with no number above the cap; empty where they cannot be read."""
    try:
        call = ast.parse(f"f({instance})", mode="eval").body
        assert isinstance(call, ast.Call)
        values = [(word.arg, ast.literal_eval(word.value)) for word in call.keywords]
    except (SyntaxError, ValueError):
        return ""
    if call.args:
        return ""
    return ", ".join(f"{name}={_capped(value, cap)!r}" for name, value in values)


def _capped(value: object, cap: int) -> object:
    if isinstance(value, (tuple, list)):
        return type(value)(_capped(part, cap) for part in value)
    return min(value, cap) if type(value) is int else value
