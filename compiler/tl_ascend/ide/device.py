"""Building and running one kernel for an editor: from what the user asks for to messages at its lines
and a short report."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from tl_ascend.backends import registry
from tl_ascend.driver import site, trial
from tl_ascend.driver.build import Placed, Result, Wanted, build_kernel, job_for, job_options
from tl_ascend.driver.select import Selected
from tl_ascend.source.span import Position, Range
from tl_ascend.toolchain.bisheng import Job, shown
from tl_ascend.toolchain.child import ends
from tl_ascend.toolchain.place import Unreachable
from tl_ascend.toolchain.store import Store

MAX_LOG = 1 << 16
LAUNCH_SECONDS = 120.0
SIMULATION_SECONDS = 3600.0


@dataclass(frozen=True, slots=True)
class Wish:
    """As on the command line. `route`: empty for the one that the kernel's jit says; `sizes`: of
    symbolic dimensions and scalars; `device`: None for the least busy one."""

    route: str = ""
    headers: tuple[str, ...] = ()
    python: str = ""
    remote: str = ""
    simulator: bool = False
    sizes: Mapping[str, float] = field(default_factory=dict)
    device: int | None = None


@dataclass(frozen=True, slots=True)
class Said:
    """A message at the kernel's line. `original`: the place that the compiler named itself, empty for
    what a run has shown; `notes`: what it added, with their own places."""

    range: Range
    level: str
    text: str
    original: str
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Told:
    """`summary`: one sentence; `log`: everything that may be of interest."""

    ok: bool
    summary: str
    log: str = ""
    said: tuple[Said, ...] = ()


@dataclass(slots=True)
class Task:
    """One kernel that is built, and run where asked. `progress` gets a word about each step."""

    item: Selected
    wish: Wish
    environment: Mapping[str, str]
    progress: Callable[[str], None] = lambda _: None
    cancelled: Callable[[], bool] = lambda: False
    _name: str = field(init=False)

    def __post_init__(self) -> None:
        self._name = f"{self.item.name}.{self.item.number}"

    def build(self) -> Told:
        """Build it."""
        done = self._built()
        return done if isinstance(done, Told) else self._told(done[1])

    def run(self) -> Told:
        """Build it, run it, compare."""
        try:
            given = trial.inputs(self.item.kernel.kernel, self.wish.sizes, 0)
        except ValueError as error:
            return Told(False, f"{self._name} is not run: {error}")
        done = self._built()
        if isinstance(done, Told):
            return done
        place, result, job = done
        told = self._told(result)
        if not told.ok:
            return told
        try:
            return self._tried(result, self._how(place, job), given, told)
        except (ValueError, Unreachable) as error:
            return Told(False, f"{self._name} was built and not run: {error}", told.log, told.said)

    def _built(self) -> tuple[site.Site, Result, Job] | Told:
        wish, kernel = self.wish, self.item.kernel
        if unfit := site.unfit(self.item.report):
            return Told(False, unfit)
        try:
            backend = registry.meant(wish.route or kernel.kernel.options.route)
            project = self.item.report.project.remote
            host = site.host_of(project, wish.remote)
            self.progress(f"looking for the compiler{f' on {host}' if host else ''}")
            # The setting names a Python of this machine, but for a host that the settings name, too.
            python = wish.python if wish.remote or not host else ""
            place = site.chosen(project, wish.remote, python, self.environment)
        except (registry.BadBackend, Unreachable) as error:
            return Told(False, str(error))
        options = job_options(wish.headers, wish.simulator, place, (backend.name,))
        job = job_for(backend, kernel.platform, place.cann, options)
        if isinstance(job, str):
            return Told(False, job)
        name = "".join(c if c.isalnum() else "_" for c in self._name)
        path = self.item.report.file.source.path
        wanted = Wanted(backend, job, name, path, cancelled=self.cancelled, step=self.progress)
        return place, build_kernel(kernel, wanted, Store(), place.place), job

    def _told(self, result: Result) -> Told:
        built, name = result.built, self._name
        if built is None:
            reasons = [f"{f.rule.code} {f.name}: {f.message}" for f in result.blockers]
            return Told(False, f"{name} cannot be emitted: {reasons[0]}", "\n".join(reasons))
        log = "\n".join(
            part for part in (shown(built.command), ends(built.output, MAX_LOG)) if part
        )
        said = tuple(self._said(result.placed))
        if built.library is None:
            return Told(False, f"{name} is not built: {built.why}", log, said)
        how = f"{name}: {'hit' if built.hit else 'miss'} ({built.note})"
        return Told(True, f"{how}, {built.library}", log, said)

    def _said(self, placed: tuple[Placed, ...]) -> list[Said]:
        """Messages with their notes. What has no line in the kernel's file stays in the log."""
        found: list[Said] = []
        fresh = False
        for one in placed:
            message = one.message
            original = f"{message.file}:{message.row}:{message.column}"
            if message.level == "note":
                if fresh:
                    last = found.pop()
                    notes = (*last.notes, f"{original}: note: {message.text}")
                    found.append(Said(last.range, last.level, last.text, last.original, notes))
                continue
            place = self.item.report.range_of(one.span) if one.span is not None else None
            fresh = place is not None and place.path == self.item.report.file.source.path
            if place is not None and fresh:
                found.append(Said(place, message.level, message.text, original))
        return found

    def _how(self, place: site.Site, job: Job) -> trial.Launch:
        if not place.python:
            raise ValueError("no python3 on the path: set `tl-ascend.python`")
        number, simulator = self.wish.device, job.simulator
        if number is None:
            number = site.least_busy_at(place) if simulator is None else 0
        often, seconds = (0, SIMULATION_SECONDS) if simulator is not None else (10, LAUNCH_SECONDS)
        return trial.Launch(
            place.place,
            place.python,
            site.simulating(place, simulator),
            number,
            simulator,
            repeats=often,
            warm_up=min(often, 3),
            seconds=seconds,
            cancelled=self.cancelled,
            step=self.progress,
        )

    def _tried(self, result: Result, how: trial.Launch, given: list[Any], told: Told) -> Told:
        tried = trial.run(result, self.item.kernel, how, given)
        lines = trial.summary(self._name, tried)
        log = "\n".join((told.summary, told.log, *lines, ends(tried.launched.output, MAX_LOG)))
        summary = "; ".join(line.strip() for line in lines)
        said = told.said if tried.agrees else (*told.said, *self._failed(lines))
        return Told(tried.agrees, summary, log, said)

    def _failed(self, lines: list[str]) -> list[Said]:
        """What a run has shown, at the kernel's first line."""
        place = self.item.report.range_of(self.item.kernel.span)
        if place is None or place.path != self.item.report.file.source.path:
            return []
        row = place.start.row
        end = Position(row, len(self.item.report.file.source.lines[row - 1]))
        first = Range(place.path, place.start, min(end, place.end))
        return [Said(first, "error", "\n".join(lines), "")]
