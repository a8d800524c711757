"""Stages that do not ask for the route are run once for both routes, and that changes nothing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from tl_ascend.checks import run
from tl_ascend.checks.once import told_once
from tl_ascend.diagnostics.report import Report
from tl_ascend.driver.check import Checker, KernelReport, on_route
from tl_ascend.driver.files import Files
from tl_ascend.ir.nodes import Kernel
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.pipeline import STAGES, lower

ROOT = Path(__file__).resolve().parents[2]
PATHS = [*ROOT.glob("examples/*.py"), *ROOT.glob("tests/emit/kernels/*.py")]
# Of kernels with text that cannot be parsed nothing is told.
BROKEN = ("syntax_errors", "syntax_damage")
CHECKED = [*PATHS, *(p for p in ROOT.glob("tests/check/*.py") if p.stem not in BROKEN)]
ROUTES = ("ascendc", "pto")


def reports(path: Path) -> list[KernelReport]:
    found = Checker(Files()).check(str(path)).kernels
    return [report for report in found if report.lowered is not None]


def on(kernel: Kernel, target: str) -> Kernel:
    return replace(kernel, options=replace(kernel.options, target=target))


def stages(kernel: Kernel, known: tuple[Kernel, ...] = ()) -> tuple[Kernel, ...]:
    found: list[Kernel] = []
    observe = lambda _, made: found.append(made)  # noqa: E731
    lower(kernel, LowerOptions(upstream="none"), Report(), observe=observe, known=known)
    return tuple(found)


@pytest.mark.parametrize("path", sorted(PATHS), ids=lambda path: path.stem)
def test_what_is_known_of_one_route_serves_the_other(path: Path) -> None:
    for report in reports(path):
        alone = {route: stages(on(report.kernel, route)) for route in ROUTES}
        for first, second in (ROUTES, ROUTES[::-1]):
            shared = stages(on(report.kernel, second), alone[first])
            assert shared == alone[second]
            # The report has `snapshot` for upstream's compiler: findings apart, that is the same.
            lowered = on_route(report, second).lowered
            assert lowered is not None and on(lowered, second) == alone[second][-1]


def test_only_stages_that_ask_for_the_route_part_them() -> None:
    parting = set()
    for report in (report for path in PATHS for report in reports(path)):
        first, second = (stages(on(report.kernel, route)) for route in ROUTES)
        for stage, one, other in zip(STAGES, first, second, strict=True):
            if on(one, "auto") != on(other, "auto"):
                parting.add(stage)
                break
    assert parting and parting <= {stage for stage in STAGES if stage.by_route}


def test_what_another_kernel_became_is_not_taken() -> None:
    """A report whose kernel was replaced has stages that are not its own."""
    (report, *_) = reports(ROOT / "examples" / "vector_add.py")
    assert report.lowered is not None
    kernel, lowered = (replace(one, name="other") for one in (report.kernel, report.lowered))
    made = on_route(replace(report, kernel=kernel, lowered=lowered), "pto").lowered
    assert made is not None and made.name == "other"


class Unasked(str):
    """The target of a kernel whose route nobody may ask for."""

    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        raise AssertionError(f"the target is compared with {other}")


GENERAL, NAMED, OF_KERNEL = run.GENERAL_CHECKS, run.OPERATION_CHECKS, run.KERNEL_CHECKS


def without(rules: frozenset[object], monkeypatch: pytest.MonkeyPatch) -> None:
    for name, every in (("GENERAL_CHECKS", GENERAL), ("KERNEL_CHECKS", OF_KERNEL)):
        monkeypatch.setattr(run, name, tuple(rule for rule in every if rule not in rules))
    named = {name: rule for name, rule in NAMED.items() if rule not in rules}
    monkeypatch.setattr(run, "OPERATION_CHECKS", named)


@pytest.mark.parametrize("path", sorted(CHECKED), ids=lambda path: path.stem)
def test_rules_that_are_not_named_do_not_ask_for_the_route(
    path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for report in reports(path):
        assert report.lowered is not None
        without(run.asking_for_route(report.lowered), monkeypatch)
        before, after = (on(one, Unasked("auto")) for one in (report.kernel, report.lowered))
        for upstream in ("none", "snapshot"):
            run.check(before, after, report.platform, Report(), upstream)


@pytest.mark.parametrize("path", sorted(CHECKED), ids=lambda path: path.stem)
def test_findings_of_the_other_route_are_those_of_a_whole_check(path: Path) -> None:
    for report in reports(path):
        for route in ROUTES:
            there = on_route(report, route, "snapshot")
            if there.lowered is None or there is report:
                continue
            # What lowering said of memories explains what checks find at other places.
            whole = Report([f for f in there.findings if f.name == "scope-conflict"])
            run.check(there.kernel, there.lowered, report.platform, whole, "snapshot")
            by_name = {finding.name for finding in told_once(whole.findings, there.kernel)}
            assert by_name <= {finding.name for finding in there.findings}, route
