"""One file from text to findings: evaluate, lower each instance, check."""

from __future__ import annotations

import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from tl_ascend.checks.run import check
from tl_ascend.diagnostics.report import Finding, Report
from tl_ascend.driver.files import Files
from tl_ascend.frontend.instances import label
from tl_ascend.frontend.memo import Memo
from tl_ascend.frontend.modules import Program
from tl_ascend.frontend.values import KernelRecord
from tl_ascend.ir.hashed import Hashed, frozen, kernel_content
from tl_ascend.ir.nodes import Kernel, walk_stmts
from tl_ascend.passes.context import LowerOptions
from tl_ascend.passes.pipeline import lower
from tl_ascend.source.budget import Budget, Cancelled
from tl_ascend.source.span import Span
from tl_ascend.source.units import FileUnits
from tl_ascend.target.hardware import DEFAULT_PLATFORM, Platform

MEMO_SIZE = 512
MEMO_STATEMENTS = 40_000
OUT_OF_TIME = "no time was left for it"


@dataclass(frozen=True, slots=True)
class CheckOptions:
    """`upstream`: snapshot (kernels must also be right for upstream's compiler) or none."""

    platform: Platform = DEFAULT_PLATFORM
    upstream: str = "snapshot"
    steps: int = 1_000_000
    seconds: float = 10.0


@dataclass(frozen=True, slots=True)
class KernelReport:
    """One kernel of one instance. `kernel`: as evaluated; `lowered`: after all stages, None where
    the kernel could not be lowered; `status`: checked or skipped, with `reason`."""

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

    @property
    def target(self) -> str:
        return f"{self.kernel.options.route}/{self.platform.name}"

    @property
    def routes(self) -> dict[str, bool]:
        """Which routes the lowered kernel can be emitted on."""
        return {"ascendc": self.lowered is not None, "pto": False}


@dataclass(frozen=True, slots=True)
class FileReport:
    """All that is known of a file. `findings` are those of no instance. `locate` needs `files`."""

    file: FileUnits
    kernels: tuple[KernelReport, ...]
    findings: tuple[Finding, ...]
    files: dict[str, FileUnits] = field(default_factory=dict)

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
        file = self.files.units(path)
        budget = Budget(options.steps, options.seconds, cancelled)
        report = Report()
        program = Program(self.files, budget, report, self.evaluations)
        try:
            module = program.run(file)
            if program.lacks_instances(module):
                program.records += self._from_importers(path, budget)
            if program.lacks_instances(module):
                program.fall_back(module)
        except Cancelled:
            raise
        except Exception as error:  # a bug of ours must not cost the author the session
            internal(report, _whole(file), error, "the file")
        kernels = tuple(self._kernel(r, options, budget) for r in _own(program, path))
        _tell_unchecked(report, kernels, options)
        loaded = {path: m.file for path, m in program.modules.items()}
        return FileReport(file, kernels, tuple(report.findings), {**loaded, path: file})

    def _from_importers(self, path: str, budget: Budget) -> list[KernelRecord]:
        """Instances that calls in files give which import this one."""
        found: list[KernelRecord] = []
        for importer in self.files.importers(path):
            program = Program(self.files, budget, Report(), self.evaluations)
            program.run(self.files.units(importer))
            found += [r for r in _own(program, path) if r.unknown is None]
        return found

    def _kernel(self, record: KernelRecord, options: CheckOptions, budget: Budget) -> KernelReport:
        assert record.kernel is not None
        findings = list(record.report.findings)
        kernel = replace(record.kernel, options=record.options)
        reason = record.unknown.cause if record.unknown is not None else ""
        lowered: Kernel | None = None
        if not reason and kernel.launch is None:
            reason = "the function has no T.Kernel"
        if not reason and budget.late:
            reason = OUT_OF_TIME
        if not reason:
            if record.content is None:
                record.content = kernel_content(kernel)
            result = self._lower(kernel, record.content, options)
            lowered, reason = result.kernel, result.failed
            findings += result.findings
        if record.expected_to_fail or record.assumed:
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
            lowered,
            tuple(findings),
            tuple(record.values),
            options.platform,
        )

    def _lower(self, kernel: Kernel, content: Hashed, options: CheckOptions) -> _Lowered:
        key = (content, _options_key(kernel), options.platform.name, options.upstream)
        with self._lock:
            known = self._memo.get(key)
            if known is not None:
                self._memo.move_to_end(key)
                return known
        result = _lower(kernel, options)
        self.lowered_count += 1
        with self._lock:
            self._memo[key] = result
            self._weight += result.weight
            while len(self._memo) > MEMO_SIZE or self._weight > MEMO_STATEMENTS:
                self._weight -= self._memo.popitem(last=False)[1].weight
        return result


def _tell_unchecked(
    report: Report, kernels: tuple[KernelReport, ...], options: CheckOptions
) -> None:
    """One message about all kernels that no time was left for."""
    left = [k for k in kernels if k.reason == OUT_OF_TIME]
    if left:
        text = (
            f"checking stopped after {options.seconds:g} s: {len(left)} of {len(kernels)} kernel "
            "instances of this file were not checked"
        )
        report.add("budget-exceeded", left[0].span, text)


def _own(program: Program, path: str) -> list[KernelRecord]:
    """The kernels that stand in this file; those of imported files are told there."""
    return [r for r in program.records if r.span.home.path == path and r.kernel is not None]


def _lower(kernel: Kernel, options: CheckOptions) -> _Lowered:
    report = Report()
    try:
        lower_options = LowerOptions(options.platform, options.upstream)
        lowered = lower(kernel, lower_options, report)
        check(kernel, lowered, options.platform, report, options.upstream)
    except Cancelled:
        raise
    except Exception as error:  # see Checker.check
        internal(report, kernel.span, error, f"kernel {kernel.name}")
        return _Lowered(None, tuple(report.findings), f"internal error: {error}")
    weight = sum(1 for _ in walk_stmts(lowered.body))
    return _Lowered(lowered, tuple(report.findings), weight=weight)


def internal(report: Report, span: Span | None, error: Exception, what: str) -> None:
    """Report a bug of ours."""
    if span is None:
        return
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = f"{frame.name}, line {frame.lineno}"
    text = f"tl-ascend failed on {what}: {type(error).__name__}: {error} ({place})"
    report.add(
        "internal-error", span, text, notes=("this is a bug of tl-ascend, not of the kernel",)
    )


def _whole(file: FileUnits) -> Span | None:
    return Span(file.units[0].home, 0) if file.units else None


def _options_key(kernel: Kernel) -> Any:
    options = kernel.options
    maps = (dict(options.pass_configs), dict(options.spans))
    return options.out_idx, options.workspace_idx, options.target, *map(frozen, maps)
