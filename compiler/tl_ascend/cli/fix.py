"""`tl-check --fix` and `--diff`."""

from __future__ import annotations

import difflib
import re
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TextIO

from tl_ascend.cli.formats.run_data import shown_path
from tl_ascend.driver.rewrite import NotRewritten, read_original, rewrite
from tl_ascend.ide.batch import Batch, TextChecker
from tl_ascend.ide.fixing import Fixed, fix_text, fixable
from tl_ascend.ide.result import FileResult
from tl_ascend.source.text import SourceText

_LINE = re.compile(r"[^\n]*\n|[^\n]+")


@dataclass(frozen=True, slots=True)
class Fixer:
    """`told`: what of a result is told, and so repaired; `fail` hears what could not be done."""

    batch: Batch
    told: Callable[[FileResult], FileResult]
    fail: Callable[[str], None]
    unsafe: bool = False

    def repair(self, results: Sequence[FileResult]) -> list[FileResult]:
        """Repair files in place; the results of what they then hold."""
        out = []
        for result in results:
            fixed = self._work(result, self._rewritten)
            out.append(fixed.result if fixed is not None else result)
        return out

    def show(self, results: Sequence[FileResult], out: TextIO) -> int:
        """Write what would change as a unified diff; in how many files."""

        def diff(path: str) -> Fixed:
            original = read_original(path)
            fixed = self.fixed(original.source, TextChecker(path, self.batch))
            write_diff(original.source, fixed.text, out)
            return fixed

        found = [self._work(result, diff) for result in results]
        return sum(fixed is not None and bool(fixed.applied) for fixed in found)

    def _work(self, result: FileResult, action: Callable[[str], Fixed]) -> Fixed | None:
        if not fixable(result, self.unsafe):
            return None
        try:
            fixed = action(result.path)
        except NotRewritten as error:
            self.fail(str(error))
            return None
        except OSError as error:
            self.fail(f"{result.path}: {error.strerror or error}")
            return None
        _say(result.path, fixed)
        return fixed

    def _rewritten(self, path: str) -> Fixed:
        original = read_original(path)
        fixed = self.fixed(original.source, TextChecker(path, self.batch))
        if fixed.applied:
            rewrite(original, fixed.text)
        return fixed

    def fixed(self, source: SourceText, checker: TextChecker) -> Fixed:
        """A text as repaired."""

        def check(text: str) -> FileResult:
            return self.told(checker.check(text))

        return fix_text(source.path, source.text, check, self.unsafe)


def _say(path: str, fixed: Fixed) -> None:
    for title, count in Counter(fixed.applied).items():
        print(f"{path}: {title}{_times(count)}", file=sys.stderr)
    for title, count in Counter(fixed.refused).items():
        what = f"not done, since something else would be wrong then: {title}{_times(count)}"
        print(f"{path}: {what}", file=sys.stderr)


def _times(count: int) -> str:
    return f" ({count} times)" if count > 1 else ""


def write_diff(source: SourceText, text: str, out: TextIO) -> bool:
    """A unified diff from a text to another; whether they differ."""
    name = shown_path(source.path)
    old, new = _LINE.findall(source.text), _LINE.findall(text)
    for line in difflib.unified_diff(old, new, name, name):
        out.write(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n")
    return source.text != text
