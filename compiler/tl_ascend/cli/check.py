"""`tl-check`: check kernel files without an NPU."""

from __future__ import annotations

import sys
import time
from argparse import Namespace
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from tl_ascend.cli import collect, options, run
from tl_ascend.diagnostics.catalogue import Severity
from tl_ascend.driver.rules import Rules
from tl_ascend.driver.settings import OncePerProject
from tl_ascend.source.words import counted, is_are

if TYPE_CHECKING:
    from tl_ascend.cli.baseline import Baseline
    from tl_ascend.ide.batch import Batch
    from tl_ascend.ide.result import FileResult


def main(argv: list[str] | None = None) -> int:
    """Entry point. Exit status: 0 nothing from the failing level on, 1 something, 2 the tool failed."""
    arguments = options.parse(argv)
    return run.guarded(lambda: _watch(arguments) if arguments.watch else check(arguments))


def _watch(arguments: Namespace) -> int:
    from tl_ascend.cli.watch import watch

    return watch(arguments.paths, lambda: check(arguments))


@dataclass(slots=True)
class _Session:
    """One run: what was asked for, and what could not be done."""

    arguments: Namespace
    batch: Batch
    rules: Rules
    baseline: Baseline
    started: float
    failures: list[str] = field(default_factory=list)
    projects: OncePerProject = field(default_factory=OncePerProject)

    @property
    def level(self) -> Severity:
        return Severity[self.arguments.level.upper()]

    def told(self, result: FileResult) -> FileResult:
        """What there is to say of a file."""
        from tl_ascend.ide.result import told

        chosen = told(result, self.rules)
        keeps = self.projects.keeps
        found = tuple(d for d in chosen.diagnostics if keeps(chosen.path, d.name, d.message))
        chosen = replace(chosen, diagnostics=found)
        kept = self.arguments.write_baseline
        return chosen if kept else self.baseline.without_known(chosen)

    def good(self, results: Iterable[FileResult]) -> list[FileResult]:
        """Results of files that could be checked; the others are failures."""
        found = []
        for result in results:
            if result.failure:
                self.fail(f"{result.path}: {result.failure}")
            else:
                found.append(self.told(result))
        return found

    def fail(self, message: str) -> None:
        """Something that the tool could not do."""
        run.fail(message)
        self.failures.append(message)


def check(arguments: Namespace) -> int:
    """Check all files and say what was found."""
    from tl_ascend.cli.baseline import BadBaseline, read_baseline
    from tl_ascend.ide.batch import Batch

    try:
        writes = arguments.write_baseline
        baseline = read_baseline("" if writes else arguments.baseline or "")
    except BadBaseline as error:
        return run.fail(str(error))
    batch = Batch(arguments.platform, arguments.upstream, arguments.jobs, not arguments.no_cache)
    rules = options.rules_of(arguments)
    session = _Session(arguments, batch, rules, baseline, time.monotonic())
    if arguments.paths == [options.STDIN]:
        return _check_stdin(session)
    paths, failed = collect.collect(arguments.paths)
    for message in failed:
        session.fail(message)
    return _check_paths(session, paths) if paths or not failed else run.FAILED


def _check_paths(session: _Session, paths: Sequence[str]) -> int:
    from tl_ascend.ide.batch import check_called, check_files

    arguments = session.arguments
    results = session.good(_shown(check_files(paths, session.batch), len(paths)))
    if arguments.fix or arguments.diff or arguments.unsafe_fixes:
        from tl_ascend.cli import fix

        fixer = fix.Fixer(session.batch, session.told, session.fail, arguments.unsafe_fixes)
        if arguments.diff:
            changes = fixer.show(results, sys.stdout)
            return run.FAILED if session.failures else run.FOUND if changes else run.OK
        if arguments.fix:
            results = fixer.repair(results)
    results += session.good(check_called(results, session.batch))
    if arguments.write_baseline:
        return _write_baseline(session, results)
    return _tell(session, results)


def _check_stdin(session: _Session) -> int:
    from tl_ascend.cli import fix
    from tl_ascend.ide.batch import TextChecker
    from tl_ascend.source.text import decoded

    arguments = session.arguments
    path = arguments.stdin_filename or "<stdin>"
    source = decoded(path, sys.stdin.buffer.read())
    if source.problem:
        return run.fail(f"{path}: {source.problem}")
    checker = TextChecker(path, session.batch)
    results = session.good([checker.check(source.text)])
    if arguments.fix or arguments.diff:
        fixer = fix.Fixer(session.batch, session.told, session.fail, arguments.unsafe_fixes)
        fixed = fixer.fixed(source, checker)
        if arguments.diff:
            return run.FOUND if fix.write_diff(source, fixed.text, sys.stdout) else run.OK
        sys.stdout.write(fixed.text)
        return _tell(session, [fixed.result], beside=True)
    if arguments.write_baseline:
        return _write_baseline(session, results)
    return _tell(session, results)


def _shown(results: Iterator[FileResult], count: int) -> Iterator[FileResult]:
    """The results, with a bar on a terminal while they come in."""
    if count < 2 or not options.is_terminal():
        yield from results
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(
        results,
        "Checking",
        total=count,
        console=Console(file=sys.stderr),
        transient=True,
        show_speed=False,
    )


def _tell(session: _Session, results: Sequence[FileResult], beside: bool = False) -> int:
    """Write all formats; the exit status. `beside`: standard output holds something else."""
    from tl_ascend.cli.formats import writer
    from tl_ascend.cli.formats.run_data import Run

    arguments = session.arguments
    stream = sys.stderr if beside else sys.stdout
    seconds = time.monotonic() - session.started
    told = Run(results, session.level, seconds, failures=tuple(session.failures))
    shown = replace(told, colored=options.colored(arguments.color, stream))
    writer(arguments.format)(shown, stream)
    for name, file in arguments.output:
        with open(file, "w", encoding="utf-8", errors="backslashreplace", newline="\n") as out:
            writer(name)(told, out)
    gone = session.baseline.gone(results)
    if gone:
        text = f"{counted(gone, 'finding')} of the baseline {is_are(gone)} no longer there"
        them = "it" if gone == 1 else "them"
        print(f"note: {text}; --write-baseline leaves {them} out", file=sys.stderr)
    if session.failures:
        return run.FAILED
    limit = Severity[arguments.fail_level.upper()]
    loud = any(d.severity >= limit for r in results for d in r.diagnostics)
    return run.FOUND if loud and not arguments.exit_zero else run.OK


def _write_baseline(session: _Session, results: Sequence[FileResult]) -> int:
    from tl_ascend.cli.baseline import write_baseline

    count = write_baseline(session.arguments.baseline, results, session.level)
    print(f"{session.arguments.baseline}: {counted(count, 'finding')}", file=sys.stderr)
    return run.FAILED if session.failures else run.OK


if __name__ == "__main__":
    sys.exit(main())
