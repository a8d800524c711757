"""One kernel: evaluated by us, and its emitted program run on the simulator."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from tests.proofs import common, sizes
from tests.proofs.pto import build
from tests.proofs.pto.faults import known_fault

from tl_ascend.backends import registry
from tl_ascend.backends.manifest import Emitted
from tl_ascend.driver.check import KernelReport, on_route
from tl_ascend.driver.emit import emit_kernel

MOST_BYTES, MOST_BLOCKS, TOGETHER = 13_000_000, 256, 4
AGREED, SKIPPED, DIFFERS = "agreed", "skipped", "differs"
UPSTREAM = "upstream's header differs"  # by a known fault, and ours agrees


@dataclass(frozen=True)
class Verdict:
    """What came of one kernel. `headers`: which template headers its program was built against."""

    name: str
    kind: str
    reason: str = ""
    headers: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.name}: {self.kind}{': ' + self.reason if self.reason else ''}"


@dataclass(frozen=True)
class Prepared:
    """A trial with its program. `together`: blocks that run at a time."""

    trial: common.Trial
    program: Emitted
    blocks: int
    together: int = TOGETHER

    @property
    def tensors(self) -> list[np.ndarray]:
        return [array for array in self.trial.before if isinstance(array, np.ndarray)]

    @property
    def numbers(self) -> dict[int, str]:
        """The arguments of the program that are none, by place: scalars, then sizes and
        what the host draws."""
        found = {
            at: repr(value)
            for at, value in enumerate(self.trial.before)
            if not isinstance(value, np.ndarray)
        }
        return found | common.more_numbers(self.trial, self.program)


def prove(
    tools: build.Tools,
    folder: Path,
    name: str,
    report: KernelReport,
    least: int = -2,
    only: str = "",
) -> Verdict:
    """Evaluate, build against both headers, run, compare. `least`: of integer inputs."""
    made = prepared(name, report, least)
    if isinstance(made, str):
        return Verdict(name, SKIPPED, made)
    return _proved(tools, folder, made, only)


def prove_together(
    tools: build.Tools, folder: Path, kernels: list[tuple[str, KernelReport]], only: str = ""
) -> Iterator[Verdict]:
    """The same of several kernels whose programs are built as one: a fraction of the time. Where that
    fails, each for itself."""
    made = [prepared(name, report, 0) for name, report in kernels]
    programs = [one for one in made if isinstance(one, Prepared)]
    for one, wrong in zip(programs, ran_together(tools, folder, programs, only), strict=True):
        yield _verdict(one, wrong)
    for (name, _), other in zip(kernels, made, strict=True):
        if isinstance(other, str):
            yield Verdict(name, SKIPPED, other)


def ran_together(
    tools: build.Tools, folder: Path, programs: list[Prepared], only: str = ""
) -> list[dict[str, str]]:
    """What is wrong with each of several programs, by header; empty where nothing is."""
    wrong: list[dict[str, str]] = [{} for _ in programs]
    parts = [(one.program, one.numbers) for one in programs]
    for header, place in _headers(tools, only).items():
        try:
            built = build.build_many(tools, folder / header, parts, place)
        except build.Failed:
            return [_alone(tools, folder / str(n), p, only) for n, p in enumerate(programs)]
        for at, one in enumerate(programs):
            wrong[at][header] = _ran(one, header, built, at)
    return wrong


def _verdict(made: Prepared, wrong: dict[str, str]) -> Verdict:
    """Upstream's header may differ where the program meets what is known to be wrong in it; what agrees
    then is ours alone."""
    name = made.trial.name
    good = tuple(header for header, text in wrong.items() if not text)
    bad = {header: text for header, text in wrong.items() if text}
    if not bad:
        return Verdict(name, AGREED, "", good)
    fault = known_fault(made.program.text)
    if fault and set(bad) == {"upstream"} and "ours" in good:
        return Verdict(name, UPSTREAM, f"known fault, {fault}", good)
    return Verdict(name, DIFFERS, next(iter(bad.values())), good)


def _headers(tools: build.Tools, only: str) -> dict[str, Path]:
    both = {"upstream": tools.headers.templates, "ours": build.ours()}
    return {name: place for name, place in both.items() if only in ("", name)}


def _proved(tools: build.Tools, folder: Path, made: Prepared, only: str) -> Verdict:
    return _verdict(made, _alone(tools, folder, made, only))


def _alone(tools: build.Tools, folder: Path, made: Prepared, only: str) -> dict[str, str]:
    """What is wrong with one program, by header."""
    wrong: dict[str, str] = {}
    for header, place in _headers(tools, only).items():
        try:
            program = build.build(tools, folder / header, made.program, place, made.numbers)
        except build.Failed as failed:
            wrong[header] = f"with the header of {header} it {failed}"
        else:
            wrong[header] = _ran(made, header, program)
    return wrong


def _ran(made: Prepared, header: str, program: Path, number: int = 0) -> str:
    """What is wrong with a run of a program; empty where nothing is."""
    blocks = made.blocks
    try:
        found = build.run(program, blocks, min(blocks, made.together), made.tensors, number)
    except build.Failed as failed:
        return f"with the header of {header} it {failed}"
    text = _difference(made.trial, found)
    return f"{header}: {text}" if text else ""


def _difference(trial: common.Trial, found: list[np.ndarray]) -> str:
    """The first tensor that differs. What scratch holds afterwards is nobody's result."""
    wanted = [after for after in trial.after if after is None or isinstance(after, np.ndarray)]
    kept = [got for want, got in zip(wanted, found, strict=True) if want is not None]
    return common.differences(trial, kept)


def prepared(name: str, report: KernelReport, least: int) -> Prepared | str:
    """What a comparison needs, or why there can be none."""
    kernel = report.kernel
    if report.status != "checked" or report.lowered is None:
        return f"not known whole, {report.reason}"
    outcome = emit_kernel(report, registry.backend("pto"))
    if outcome.emitted is None:
        return f"not emitted, {outcome.blockers[0].message if outcome.blockers else 'no reason'}"
    if common.size_of(kernel) > MOST_BYTES:
        return f"{common.size_of(kernel)} bytes of tensors, more than {MOST_BYTES}"
    trial = common.evaluated(name, on_route(report, "pto"), least=least)
    if isinstance(trial, str):
        return trial
    blocks = sizes.number(kernel.launch.blocks, trial.sizes) if kernel.launch else 0
    if blocks > MOST_BLOCKS:
        return f"{blocks} blocks, more than {MOST_BLOCKS}"
    text = outcome.emitted.text
    meet = "sync_all" in text or (", 0);" in text and "set_cross_flag" in text)
    return Prepared(trial, outcome.emitted, blocks, MOST_BLOCKS if meet else TOGETHER)
