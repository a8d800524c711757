"""The worker without a server: what happens between the taking of a job and its analysis."""

from __future__ import annotations

import queue
from collections.abc import Callable

from tl_ascend.ide.model import Settings
from tl_ascend_server.engine import Engine
from tl_ascend_server.markers import Markers
from tl_ascend_server.worker import Job, Outcome, Urgency, Worker

WAIT_S = 20


class Echo:
    """An engine whose analysis is the text that it was given."""

    def __init__(self, settings: Settings, root: str | None) -> None:
        self.texts: dict[str, str] = {}

    def configure(self, settings: Settings) -> None:
        """Nothing depends on settings."""

    def set_text(self, path: str, text: str | None) -> None:
        """None: closed."""
        if text is None:
            del self.texts[path]
        else:
            self.texts[path] = text

    def analyse(self, path: str, cancelled: Callable[[], bool]) -> str:
        """Fails for a file without a text."""
        return self.texts[path]


class Interfering(Markers):
    """Calls something when a job has been taken and not yet begun."""

    def __init__(self, act: Callable[[], object]) -> None:
        super().__init__()
        self.act: Callable[[], object] | None = act

    def begin(self, name: str) -> None:
        """Once."""
        if self.act is not None:
            self.act, act = None, self.act
            act()


def job(key: str, path: str, text: str) -> Job:
    return Job(key, path, text, 1, Urgency.OPEN)


def outcomes(act: Callable[[Worker], object], *jobs: Job, count: int) -> list[Outcome]:
    """What is reported when `act` is done as soon as the first job has been taken."""
    found: queue.Queue[Outcome] = queue.Queue()
    load: Callable[..., Engine] = Echo  # type: ignore[assignment]
    worker = Worker(found.put, load, WAIT_S, Interfering(lambda: act(worker)))
    for one in jobs:
        worker.submit(one)
    worker.start(Settings(), None)
    made = [found.get(timeout=WAIT_S) for _ in range(count)]
    worker.stop()
    assert found.empty()
    return made


def test_a_document_closed_before_its_analysis_begins_is_not_analysed() -> None:
    def act(worker: Worker) -> None:
        worker.close("first", "/first")
        worker.submit(job("second", "/second", "two"))

    (made,) = outcomes(act, job("first", "/first", "one"), count=1)
    assert (made.job.key, made.analysis, made.failure) == ("second", "two", None)


def test_each_document_of_one_path_is_analysed_with_its_own_text() -> None:
    jobs = job("file:///a", "/a", "one"), job("file:////a", "/a", "two")
    made = outcomes(lambda worker: None, *jobs, count=2)
    assert {one.job.key: one.analysis for one in made} == {"file:///a": "one", "file:////a": "two"}


def test_closing_one_of_two_documents_of_one_path_keeps_the_other() -> None:
    jobs = job("file:///a", "/a", "one"), job("file:////a", "/a", "two")
    made = outcomes(lambda worker: worker.close("file:////a", "/a"), *jobs, count=1)
    assert [(one.job.key, one.analysis) for one in made] == [("file:///a", "one")]
