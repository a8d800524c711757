"""Many files at once: from the cache where nothing changed, else in parallel."""

from __future__ import annotations

import multiprocessing
import os
import traceback
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import TYPE_CHECKING

from tl_ascend.driver.cache import Cache, Dependencies, digests
from tl_ascend.driver.files import Files
from tl_ascend.driver.settings import platform_named, project_settings
from tl_ascend.driver.stack import on_deep_stack
from tl_ascend.ide.result import FileResult, file_result

if TYPE_CHECKING:
    from tl_ascend.driver.check import Checker

BUG = "tl-ascend failed on this file, which is a bug of tl-ascend"
PARALLEL_FROM = 4  # files; below that starting processes costs more than it saves


@dataclass(frozen=True, slots=True)
class Batch:
    """`jobs`: processes, 0 for as many as there are cores; `cache`: use the one on disk; `callers`: by
    the file that holds kernels, the files whose calls make those that are looked at."""

    platform: str = "auto"
    upstream: str = ""
    jobs: int = 0
    cache: bool = True
    callers: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def key(self, path: str) -> tuple[str, ...]:
        """What a result is kept under: the settings may come to be those of another folder."""
        named = platform_named(self.platform).name
        root = str(project_settings(path).root)
        callers = "\n".join(self.callers.get(path, ()))
        return os.getcwd(), path, root, named, self.platform, self.upstream, callers


def check_files(paths: Sequence[str], batch: Batch) -> Iterator[FileResult]:
    """Check files; results come in the order of the paths."""
    cache = Cache() if batch.cache else None
    kept: dict[str, FileResult] = {}
    if cache is not None:
        finder = Files()
        for path in paths:
            value = cache.load(batch.key(path), finder)
            if isinstance(value, FileResult):
                kept[path] = value
    missing = [p for p in paths if p not in kept]
    fresh = _fresh(missing, batch)
    for path in paths:
        yield kept[path] if path in kept else next(fresh)


def check_called(results: Iterable[FileResult], batch: Batch) -> Iterator[FileResult]:
    """The kernels of other files that the files of these results call."""
    asked, callers = set(), dict[str, tuple[str, ...]]()
    for result in results:
        asked.add(os.path.realpath(result.path))
        for path in result.called:
            callers[path] = (*callers.get(path, ()), result.path)
    more = {path: by for path, by in callers.items() if os.path.realpath(path) not in asked}
    yield from check_files(sorted(more), replace(batch, callers=more))


def _fresh(paths: Sequence[str], batch: Batch) -> Iterator[FileResult]:
    jobs = min(batch.jobs or os.cpu_count() or 1, len(paths))
    if jobs <= 1 or len(paths) < PARALLEL_FROM:
        for path in paths:
            yield check_file(path, batch)
        return
    yield from _in_processes(paths, batch, jobs)


def _in_processes(paths: Sequence[str], batch: Batch, jobs: int) -> Iterator[FileResult]:
    methods = multiprocessing.get_all_start_methods()
    context = multiprocessing.get_context("fork" if "fork" in methods else "spawn")
    _load_compiler()  # once, before the processes are made
    with ProcessPoolExecutor(jobs, mp_context=context) as pool:
        waiting: list[tuple[str, Future[FileResult]]] = [
            (path, pool.submit(check_file, path, batch)) for path in paths
        ]
        for path, future in waiting:
            try:
                yield future.result()
            except (OSError, RuntimeError) as error:  # a process died: tell it, go on with the rest
                yield FileResult(path, failure=f"checking this file failed: {error}")


def _load_compiler() -> None:
    import tl_ascend.driver.check  # noqa: F401


@lru_cache(maxsize=1)
def _checker() -> tuple[object, Files]:
    """One checker a process: files that several others import are cut once."""
    from tl_ascend.driver.check import Checker

    files = Files()
    return Checker(files), files


def check_file(path: str, batch: Batch) -> FileResult:
    """Check one file and keep the result."""
    from tl_ascend.driver.check import Checker

    checker, files = _checker()
    assert isinstance(checker, Checker)
    files.lookups.clear()
    files.searches.clear()
    result, read = _check(checker, path, batch)
    if batch.cache and not result.failure:
        settings = str(project_settings(path).root / "pyproject.toml")
        found = Dependencies(digests([*read, settings]), dict(files.lookups), dict(files.searches))
        Cache().store(batch.key(path), result, found)
    return result


def _check(checker: Checker, path: str, batch: Batch) -> tuple[FileResult, list[str]]:
    """The result, and the files that were read for it."""
    from tl_ascend.driver.check import options_for

    options = replace(options_for(path, batch.platform, batch.upstream), emit=True)
    try:
        callers = batch.callers.get(path, ())
        if callers:
            report = on_deep_stack(lambda: checker.check_called(path, callers, options))
        else:
            report = on_deep_stack(lambda: checker.check(path, options))
        return file_result(path, report), list(report.files)
    except OSError as error:
        return FileResult(path, failure=error.strerror or str(error)), []
    except Exception as error:  # a bug of ours must not cost the author the other files
        where = traceback.extract_tb(error.__traceback__)[-1]
        text = f"{type(error).__name__}: {error} ({where.name}, line {where.lineno})"
        return FileResult(path, failure=f"{BUG}: {text}"), []


class TextChecker:
    """Checks texts as if each were what a file holds. Kernels that are the same are lowered once."""

    def __init__(self, path: str, batch: Batch) -> None:
        from tl_ascend.driver.check import Checker

        self.path, self._batch, self._files = path, batch, Files()
        self._checker = Checker(self._files)

    def check(self, text: str) -> FileResult:
        """The result for a text."""
        self._files.set_text(self.path, text)
        return _check(self._checker, self.path, self._batch)[0]
