"""What a check costs, in calls and returns of functions: unlike time the same on any machine."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tl_ascend.checks import run
from tl_ascend.checks.context import CheckContext
from tl_ascend.driver.check import Checker, options_for
from tl_ascend.driver.files import Files

EXAMPLES = sorted((Path(__file__).resolve().parents[2] / "examples").glob("*.py"))
# The largest example takes 17_000 to 27_000; all checks of a kernel, but the execution, a hundredth
# of a second.
MOST = 50_000
# The execution of both cores goes through every loop for as many turns as its events have; the
# largest example takes 255_000.
MOST_OF_EXECUTION = 320_000


@pytest.fixture
def costs(monkeypatch: pytest.MonkeyPatch) -> dict[str, int]:
    """The dearest use of each check, by its name."""
    found: dict[str, int] = {}
    monkeypatch.setattr(run, "KERNEL_CHECKS", tuple(_counted(run.KERNEL_CHECKS, found)))
    return found


def _counted(
    checks: tuple[Callable[[CheckContext], None], ...], found: dict[str, int]
) -> Iterator[Callable[[CheckContext], None]]:
    for check in checks:

        def counted(context: CheckContext, check: Callable[[CheckContext], None] = check) -> None:
            events = 0

            def count(*_: object) -> None:
                nonlocal events
                events += 1

            before = sys.getprofile()
            sys.setprofile(count)
            try:
                check(context)
            finally:
                sys.setprofile(before)
            name = check.__name__
            found[name] = max(events, found.get(name, 0))

        yield counted


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_no_check_of_an_example_is_dear(path: Path, costs: dict[str, int]) -> None:
    Checker(Files(str(path.parent))).check(str(path), options_for(str(path), "A3"))
    assert len(costs) == len(run.KERNEL_CHECKS)
    assert 0 < costs.pop("synchronisation") < MOST_OF_EXECUTION
    assert {name: events for name, events in costs.items() if events > MOST} == {}
