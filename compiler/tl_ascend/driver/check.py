"""One file from text to findings: evaluate, lower each instance, check."""

from __future__ import annotations

import threading
import time
import traceback
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from tl_ascend.checks.once import told_once
from tl_ascend.checks.run import check, check_calls
from tl_ascend.diagnostics.report import Finding, Report
from tl_ascend.driver.files import Files
from tl_ascend.driver.gathered import (
    elsewhere,
    from_callers,
    from_importers,
    options_key,
    own,
)
from tl_ascend.driver.named import once
from tl_ascend.driver.refused import refused_by_all
from tl_ascend.driver.settings import ProjectSettings, platform_named, project_settings
from tl_ascend.frontend.instances import label
from tl_ascend.frontend.memo import Memo
from tl_ascend.frontend.modules import Program
from tl_ascend.frontend.values import KernelRecord
from tl_ascend.ir.hashed import kernel_content
from tl_ascend.ir.nodes import Kernel, Options, walk_stmts
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.pipeline import Stage, lower
from tl_ascend.source.budget import Budget, Cancelled
from tl_ascend.source.span import Span
from tl_ascend.source.units import FileUnits
from tl_ascend.source.words import counted, is_are
from tl_ascend.target.hardware import DEFAULT_PLATFORM, PLATFORMS, Platform

MEMO_SIZE = 512
MEMO_STATEMENTS = 40_000
OUT_OF_TIME = "no time was left for it"
DAMAGED = "it needs text of which a part is not valid Python"
OURS = "tl-ascend"


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """`upstream`: snapshot (kernels must also be right for upstream's compiler) or none.
    `by_kernel`: the platform was not asked for; kernels may name another. `emit`: find out as well which
    kernels cannot be emitted. `project`: settings of the file's project."""

    platform: Platform = DEFAULT_PLATFORM
    upstream: str = "snapshot"
    by_kernel: bool = False
    steps: int = 1_000_000
    seconds: float = 10.0
    emit: bool = False
    project: ProjectSettings = field(default_factory=ProjectSettings)


def options_for(path: str, platform: str = "auto", upstream: str = "") -> CheckOptions:
    """Options for a file: what is asked for here, else what its project says, else the defaults."""
    project = project_settings(path)
    auto = platform == "auto"
    named = platform_named(project.platform if auto else platform)
    return CheckOptions(named, upstream or project.upstream, auto, project=project)


@dataclass(frozen=True, slots=True)
class KernelReport:
    """One kernel of one instance. `kernel`: as evaluated; `lowered`: after all stages, None where
    the kernel could not be lowered; `stages`: after each of them; `status`: checked or skipped, with
    `reason`, which stands at `reason_at`. `variant`: calls compile the kernel in several ways, of
    which this is one, but none is a call for this instance."""

    name: str
    factory: str | None
    span: Span
    instance: str
    origin: str
    status: str
    reason: str
    kernel: Kernel
    lowered: Kernel | None
    findings: tuple[Finding, ...]
    values: tuple[tuple[Span, str, Any], ...] = ()
    platform: Platform = DEFAULT_PLATFORM
    refused: bool = False
    stages: tuple[Kernel, ...] = ()
    variant: bool = False
    reason_at: Span | None = None

    @property
    def target(self) -> str:
        return f"{self.kernel.options.route}/{self.platform.name}"

    @property
    def routes(self) -> dict[str, bool]:
        """Whether the kernel can be emitted on the route that it chose, as far as that was asked for."""
        able = self.lowered is not None and not self.refused
        return {route: able and route == self.kernel.options.route for route in ("ascendc", "pto")}


@dataclass(frozen=True, slots=True)
class FileReport:
    """All that is known of a file. `findings` are those of no instance; `range_of` needs `files`;
    `evaluated_ms`: CPU milliseconds that its evaluation took; `called`: other files of which its calls
    make kernels; `partly`: only what some calls make was looked at."""

    file: FileUnits
    kernels: tuple[KernelReport, ...]
    findings: tuple[Finding, ...]
    files: dict[str, FileUnits] = field(default_factory=dict)
    project: ProjectSettings = field(default_factory=ProjectSettings)
    evaluated_ms: float = 0.0
    called: tuple[str, ...] = ()
    partly: bool = False

    @property
    def broken(self) -> str:
        """Why Python cannot read the file; empty where it can."""
        if not self.file.problems:
            return ""
        first = self.file.problems[0]
        where = f"{self.file.source.path}:{first.start.row}"
        return f"{where}: the file cannot be read whole: {first.message}"

    def range_of(self, span: Span) -> Any:
        """Today's range of a span in this file or one that it imports."""
        file = self.files.get(span.home.path)
        return file.range_of(span) if file is not None else None


@dataclass(frozen=True, slots=True)
class _Lowered:
    kernel: Kernel | None
    findings: tuple[Finding, ...]
    failed: str = ""
    weight: int = 0
    refused: bool = False
    stages: tuple[Kernel, ...] = ()


class Checker:
    """Checks files and remembers what each kernel lowered to (D8)."""

    def __init__(self, files: Files) -> None:
        self.files = files
        self._memo: OrderedDict[Any, _Lowered] = OrderedDict()
        self._weight = 0
        self._lock = threading.Lock()
        self.evaluations = Memo()
        self.lowered_count = 0

    def check(
        self,
        path: str,
        options: CheckOptions | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> FileReport:
        """Check a file. Errors: OSError (cannot be read), Cancelled."""
        options = options or CheckOptions()
        plain = self.files.without_kernels(path)
        if plain is not None:
            return FileReport(plain[path], (), (), plain, options.project)
        file = self.files.units(path)
        budget = Budget(options.steps, options.seconds, cancelled)
        report = Report()
        program = self._program(path, options, budget, report)
        read: dict[str, FileUnits] = {}

        def evaluate() -> None:
            module = program.run(file)
            read.update(from_importers(program, path, self.files, begin))
            if program.lacks_instances(module):
                program.fall_back(module)

        def begin(other: str) -> Program:
            return self._program(other, options, budget, Report())

        took = _timed(evaluate, report, file)
        read |= {**{place: module.file for place, module in program.modules.items()}, path: file}
        kernels = tuple(self._kernel(r, options, budget, read) for r in own(program, path))
        _tell_unchecked(report, kernels, options)
        _tell_cut(report, program)
        whole = _whole(file)
        if options.project.problem and whole is not None:
            report.add("bad-settings", whole, options.project.problem)
        found, called = tuple(report.findings), elsewhere(program, path)
        return FileReport(file, kernels, found, read, options.project, took, called)

    def check_called(self, path: str, callers: Sequence[str], options: CheckOptions) -> FileReport:
        """The kernels of a file as certain other files call them, and nothing else of it. Errors:
        OSError."""
        file = self.files.units(path)
        budget, report = Budget(options.steps, options.seconds), Report()
        program = self._program(path, options, budget, report)
        read: dict[str, FileUnits] = {path: file}

        def begin(other: str) -> Program:
            return self._program(other, options, budget, Report())

        def evaluate() -> None:
            read.update(from_callers(program, path, callers, self.files, begin))

        _timed(evaluate, report, file)
        called = [record for record in own(program, path) if not record.of_import]
        kernels = tuple(self._kernel(record, options, budget, read) for record in called)
        return FileReport(file, kernels, tuple(report.findings), read, options.project, partly=True)

    def _program(self, path: str, options: CheckOptions, budget: Budget, report: Report) -> Program:
        program = Program(self.files, budget, report, self.evaluations)
        program.max_instances = options.project.max_instances
        program.cube_cores = options.project.cores or options.platform.cube_cores
        program.stated = options.project.stated_for(path)
        return program

    def _kernel(
        self,
        record: KernelRecord,
        options: CheckOptions,
        budget: Budget,
        files: Mapping[str, FileUnits],
    ) -> KernelReport:
        assert record.kernel is not None
        findings = list(record.report.findings)
        kernel = replace(record.kernel, options=record.options)
        if options.by_kernel and record.options.platform:
            options = replace(options, platform=PLATFORMS[record.options.platform])
        reason = record.unknown.cause if record.unknown is not None else ""
        if reason and record.doubtful:
            reason = DAMAGED
        result = _Lowered(None, ())
        if not reason and kernel.launch is None:
            reason = "the function has no T.Kernel"
        if not reason and budget.late:
            reason = OUT_OF_TIME
        if not reason:
            result = self._lower(kernel, record, options, budget, _lower)
            reason = result.failed
            findings += result.findings
        elif record.unknown is not None and not (record.doubted or budget.late):
            findings += self._lower(kernel, record, options, budget, _in_part).findings
        unknown = record.unknown if reason else None
        stands = None if unknown is None else unknown.span
        if unknown and stands and not (record.doubtful or unknown.reported):
            text = f"{record.name} is not checked: {reason}"
            findings.append(Finding("unchecked-instances", stands, text))
        if record.expected_to_fail or record.assumed or record.doubtful:
            findings = []
        return KernelReport(
            record.name,
            record.factory,
            record.span,
            label(record.arguments),
            record.origin,
            "skipped" if reason else "checked",
            reason,
            kernel,
            result.kernel,
            once(findings, kernel, files),
            tuple(record.values),
            options.platform,
            result.refused,
            result.stages,
            record.variant,
            stands,
        )

    def _known(self, key: Any) -> _Lowered | None:
        with self._lock:
            known = self._memo.get(key)
            if known is not None:
                self._memo.move_to_end(key)
            return known

    def _lower(
        self,
        kernel: Kernel,
        record: KernelRecord,
        options: CheckOptions,
        budget: Budget,
        how: Callable[[Kernel, CheckOptions, Budget], _Lowered],
    ) -> _Lowered:
        if record.content is None:
            record.content = kernel_content(kernel)
        wanted = options.platform.name, options.upstream, options.emit, how
        key = (record.content, options_key(kernel.options), *wanted)
        try:
            known = self._known(key)
        except TypeError as error:  # the front end let something in that cannot be compared
            report = Report()
            internal(report, kernel.span, error, f"kernel {kernel.name}")
            return _Lowered(None, tuple(report.findings), f"internal error: {error}")
        if known is not None:
            return known
        result = how(kernel, options, budget)
        self.lowered_count += 1
        with self._lock:
            self._memo[key] = result
            self._weight += result.weight
            while len(self._memo) > MEMO_SIZE or self._weight > MEMO_STATEMENTS:
                self._weight -= self._memo.popitem(last=False)[1].weight
        return result


def _timed(evaluate: Callable[[], None], report: Report, file: FileUnits) -> float:
    """Evaluate; how many milliseconds of the processor that took."""
    began = time.thread_time()
    try:
        evaluate()
    except Cancelled:
        raise
    except Exception as error:  # a bug of ours must not cost the author the session
        internal(report, _whole(file), error, "the file")
    return (time.thread_time() - began) * 1000


def _tell_unchecked(
    report: Report, kernels: tuple[KernelReport, ...], options: CheckOptions
) -> None:
    """One message about all kernels that no time was left for."""
    left = [k for k in kernels if k.reason == OUT_OF_TIME]
    if left:
        text = (
            f"checking stopped after {options.seconds:g} s: {len(left)} of "
            f"{counted(len(kernels), 'kernel instance')} of this file not checked"
        )
        report.add("budget-exceeded", left[0].span, text)


def _tell_cut(report: Report, program: Program) -> None:
    for span, count in program.cut.items():
        limit = program.max_instances
        text = (
            f"{counted(limit, 'instance')} of this factory {is_are(limit)} checked, "
            f"{counted(count, 'more call')} {is_are(count)} not"
        )
        notes = ("`max-instances` under [tool.tl-ascend] in pyproject.toml sets the limit",)
        report.add("unchecked-instances", replace(span, part="name"), text, notes=notes)


def _lower(
    kernel: Kernel, options: CheckOptions, budget: Budget, known: tuple[Kernel, ...] = ()
) -> _Lowered:
    report, stages = Report(), list[Kernel]()

    def observe(_: Stage, made: Kernel) -> None:
        stages.append(made)
        budget.stop_if_stale()  # work that nobody wants any more stops between two stages

    try:
        lower_options = LowerOptions(options.platform, options.upstream)
        lowered = lower(kernel, lower_options, report, observe=observe, known=known)
        same = bool(known) and lowered == replace(known[-1], options=kernel.options)
        check(kernel, lowered, options.platform, report, options.upstream, only_by_route=same)
    except Cancelled:
        raise
    except Exception as error:  # see Checker.check
        internal(report, kernel.span, error, f"kernel {kernel.name}")
        return _Lowered(None, tuple(report.findings), f"internal error: {error}")
    weight = sum(1 for _ in walk_stmts(lowered.body))
    refused = options.emit and refused_by_all(kernel, lowered, options.platform, report)
    findings = tuple(report.findings)
    return _Lowered(lowered, findings, "", weight, refused, tuple(stages))


def _in_part(kernel: Kernel, options: CheckOptions, _: Budget) -> _Lowered:
    """What is certain of a kernel of which a part cannot be understood."""
    report = Report()
    try:
        check_calls(kernel, options.platform, report, options.upstream)
    except Exception as error:  # see Checker.check
        internal(report, kernel.span, error, f"kernel {kernel.name}")
    return _Lowered(None, tuple(report.findings))


def on_route(report: KernelReport, route: str, upstream: str = "none") -> KernelReport:
    """The same kernel lowered for another route than the one that it chose."""
    own = report.kernel.options
    if own.route == route or report.lowered is None:
        return report
    return with_options(report, replace(own, target=route), upstream)


def with_options(report: KernelReport, wanted: Options, upstream: str = "none") -> KernelReport:
    """The same kernel lowered as other options ask for."""
    kernel = replace(report.kernel, options=wanted)
    options = CheckOptions(report.platform, upstream)
    same = replace(wanted, target=report.kernel.options.target) == report.kernel.options
    # By identity: the stages of a report whose kernel somebody has replaced are not its own.
    same = same and bool(report.stages) and report.stages[-1] is report.lowered
    budget = Budget(options.steps, options.seconds)
    result = _lower(kernel, options, budget, report.stages if same else ())
    own = {finding.name for finding in report.findings}
    more = tuple(f for f in told_once(result.findings, kernel) if f.name not in own)
    found = (*report.findings, *more)
    return replace(
        report, kernel=kernel, lowered=result.kernel, findings=found, stages=result.stages
    )


def internal(
    report: Report, span: Span | None, error: Exception, what: str, whose: str = OURS
) -> None:
    """Report a bug of ours, or of a back end of others."""
    if span is None:
        return
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{frame.name}, line {frame.lineno}"
    text = f"{whose} failed on {what}: {type(error).__name__}: {error} ({place})"
    report.add(
        "internal-error", span, text, notes=(f"this is a bug of {whose}, not of the kernel",)
    )


def _whole(file: FileUnits) -> Span | None:
    return Span(file.units[0].home, 0) if file.units else None
