"""Collects the kernel files of tests/check as tests; see harness/expectations.py for their grammar."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.harness import bless
from tests.harness.compare import run_file
from tests.harness.expectations import BadCase, parse

CASES = Path(__file__).resolve().parent / "check"


@pytest.fixture(scope="session", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Tests neither use nor fill the cache of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TL_ASCEND_CACHE_DIR", str(tmp_path_factory.mktemp("cache")))
        yield


class Differs(Exception):
    """A case does not say what the checker says."""


class CaseFile(pytest.File):
    """One file of tests/check."""

    def collect(self) -> Iterator[pytest.Item]:
        yield CaseItem.from_parent(self, name=self.path.stem)


class CaseItem(pytest.Item):
    """One case: run it, compare, perhaps rewrite it."""

    # pytest-lsp 1.0.1 wraps the call of every item, but yields only for those that have `funcargs`.
    funcargs: dict[str, Any] = {}

    def runtest(self) -> None:
        judge(self.path)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> str:
        if isinstance(excinfo.value, (Differs, BadCase)):
            return f"{self.path}\n{excinfo.value}"
        return str(super().repr_failure(excinfo, style))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, 0, f"case {self.name}"


def judge(path: Path) -> None:
    """Run a case. Errors: Differs, BadCase."""
    text = path.read_bytes().decode("utf-8-sig", "replace")
    outcomes = run_file(path)
    complaints = [c for o in outcomes for c in o.complaints]
    gap = parse(text).known_gap
    if gap:
        if not complaints:
            raise Differs(f"the known gap is closed, remove the header: {gap}")
        pytest.xfail(gap)
    if complaints and bless.wanted():
        path.write_text(bless.blessed(text, outcomes), encoding="utf-8", newline="")
        complaints = [c for o in run_file(path) for c in o.complaints]
    if complaints:
        raise Differs("\n".join(complaints))


def pytest_configure(config: pytest.Config) -> None:
    """Errors: UsageError where expectations would be rewritten in CI."""
    try:
        bless.wanted()
    except BadCase as error:
        raise pytest.UsageError(str(error)) from None


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """Every Python file under tests/check is a case."""
    if file_path.suffix == ".py" and CASES in file_path.parents:
        return CaseFile.from_parent(parent, path=file_path)
    return None
