"""The editor's view of a project: texts in, analyses out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from tl_ascend.diagnostics.catalogue import BY_NAME
from tl_ascend.driver.check import Checker, FileReport, options_for
from tl_ascend.driver.files import Files
from tl_ascend.driver.rules import Rules
from tl_ascend.ide.diagnostics import diagnostics
from tl_ascend.ide.differences import differences
from tl_ascend.ide.fixing import Repair, State, fix_text, tried
from tl_ascend.ide.hints import hints
from tl_ascend.ide.hover import Index
from tl_ascend.ide.kernels import KernelPlace, kernel_places
from tl_ascend.ide.model import Diagnostic, Hint, Hover, Settings, TextEdit
from tl_ascend.ide.result import FileResult, file_result, told
from tl_ascend.ide.shift import shift_hints
from tl_ascend.source.span import Position, Range


@dataclass(frozen=True, slots=True)
class Analysis:
    """One version of a file, analysed. Immutable; questions are answered from what it holds.
    `depends`: the paths of all files that were evaluated for it."""

    path: str
    text: str
    diagnostics: tuple[Diagnostic, ...]
    hints: tuple[Hint, ...]
    complete: bool = True
    depends: frozenset[str] = frozenset()
    index: Index | None = field(default=None, compare=False)
    kernels: tuple[KernelPlace, ...] = ()

    def hover(self, position: Position) -> Hover | None:
        """What stands at a position."""
        return self.index.at(position) if self.index is not None else None


class Workspace:
    """Texts may be set from any thread; `analyse` is for one worker thread."""

    def __init__(self, settings: Settings | None = None, root: str | None = None) -> None:
        self.settings = settings or Settings()
        self.files = Files(root)
        self.checker = Checker(self.files)
        self._good: dict[str, Analysis] = {}

    def configure(self, settings: Settings) -> None:
        self.settings = settings

    def set_text(self, path: str, text: str | None) -> None:
        """The text of an open document; None when it is closed."""
        self.files.set_text(path, text)
        if text is None:
            self._good.pop(path, None)

    def analyse(self, path: str, cancelled: Callable[[], bool]) -> Analysis:
        """Analyse a file as it is now. Errors: Cancelled."""
        options = options_for(path, self.settings.platform, self.settings.upstream)
        try:
            report = self.checker.check(path, options, cancelled)
        except OSError as error:
            return _unreadable(path, error)
        return self._finish(path, report)

    def tried(
        self, path: str, repairs: Sequence[Repair], cancelled: Callable[[], bool]
    ) -> tuple[bool, ...]:
        """Which repairs of a file do no harm, each for itself. Errors: Cancelled."""
        text = self.files.units(path).source.text

        def check(changed: str) -> State:
            report = self._changed(path, changed, cancelled)
            checked = sum(kernel.status == "checked" for kernel in report.kernels)
            return State(diagnostics(report), checked)

        try:
            return tried(path, text, check, repairs)
        finally:
            self.files.set_text(path, text)

    def repaired(self, path: str, cancelled: Callable[[], bool]) -> tuple[TextEdit, ...]:
        """What `tl-check --fix` would change in a file. Errors: Cancelled."""
        text = self.files.units(path).source.text

        def check(changed: str) -> FileResult:
            return told(file_result(path, self._changed(path, changed, cancelled)), Rules())

        try:
            return differences(path, text, fix_text(path, text, check).text)
        finally:
            self.files.set_text(path, text)

    def _changed(self, path: str, text: str, cancelled: Callable[[], bool]) -> FileReport:
        self.files.set_text(path, text)
        options = options_for(path, self.settings.platform, self.settings.upstream)
        return self.checker.check(path, options, cancelled)

    def _finish(self, path: str, report: FileReport) -> Analysis:
        text = report.file.source.text
        found = hints(report)
        previous = self._good.get(path)
        if report.file.problems and previous is not None:
            found = _with_last_good(found, previous, text)
        depends = frozenset(report.files)
        said, places = diagnostics(report), kernel_places(report)
        analysis = Analysis(path, text, said, found, True, depends, Index(report), places)
        if not report.file.problems:
            self._good[path] = analysis
        return analysis


def _with_last_good(found: tuple[Hint, ...], previous: Analysis, text: str) -> tuple[Hint, ...]:
    """While a line is broken its kernel has no hints of its own: keep the last good ones."""
    kept = shift_hints(previous.hints, previous.text, text)
    now = {(h.position, h.kind) for h in found}
    merged = [*found, *(h for h in kept if (h.position, h.kind) not in now)]
    return tuple(sorted(merged, key=lambda h: (h.position, h.kind)))


def _unreadable(path: str, error: OSError) -> Analysis:
    rule = BY_NAME["unreadable-file"]
    place = Range(path, Position(1, 0), Position(1, 0))
    message = error.strerror or str(error)
    diagnostic = Diagnostic(place, rule.severity, rule.code, rule.name, message)
    return Analysis(path, "", (diagnostic,), ())
