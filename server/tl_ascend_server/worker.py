"""The one thread that analyses. Newest text wins, nothing gets lost, nothing can block the server.

A queue keeps one job per document. The job of the document that is being typed in comes first and
stops an older analysis. A second thread watches: an analysis that overruns is told to stop, and if
it does not, its thread is abandoned and a new one takes over with a fresh engine.
"""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import logging
import threading
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum, IntEnum
from typing import TYPE_CHECKING

from tl_ascend.driver.budget import Cancelled
from tl_ascend.ide.model import Settings, TextEdit
from tl_ascend_server.engine import Engine, Load, tame_collector
from tl_ascend_server.markers import Markers, digest

if TYPE_CHECKING:
    from tl_ascend.ide.fixing import Repair
    from tl_ascend.ide.workspace import Analysis

log = logging.getLogger(__name__)
GRACE_S = 1.0
# An analysis that holds the interpreter lock this many limits long ends the process.
HARD_FACTOR = 3
IDLE_S = 0.5
BREATH_S = 0.002
STACK_BYTES = 64 << 20


class Urgency(IntEnum):
    """Lower comes first."""

    EDIT = 0
    OPEN = 1
    AGAIN = 2


class Failure(Enum):
    """Why there is no analysis."""

    CRASH = "crash"
    OVERRUN = "overrun"
    SET_ASIDE = "set aside"
    NOT_LOADED = "not loaded"


@dataclass(frozen=True, slots=True)
class Job:
    """One state of one document. `repairs`: to be tried on it, each for itself, or `everything`
    that is certain repaired, instead of an analysis."""

    key: str
    path: str
    text: str
    serial: int
    urgency: Urgency
    repairs: tuple[Repair, ...] = ()
    everything: bool = False


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a job: an analysis, or which repairs do no harm, or the `edits` that repair
    everything, or a failure with its reason."""

    job: Job
    analysis: Analysis | None = None
    tried: tuple[bool, ...] = ()
    edits: tuple[TextEdit, ...] = ()
    failure: Failure | None = None
    reason: str = ""


@dataclass(slots=True)
class _Running:
    job: Job
    deadline: float
    limit: float
    thread: int
    stop: bool = False
    overran: bool = False


class _Abandoned(BaseException):
    """Raised inside a thread whose analysis overran."""


@dataclass(slots=True)
class _Turn:
    """One life of the analysis thread; an abandoned one is no longer the current.

    `engine`: what it was given so far follows; a text says why it could not be loaded.
    """

    engine: Engine | str | None = None
    root: str | None = None
    settings: Settings | None = None
    texts: dict[str, str] = field(default_factory=dict)


class Worker:
    """Submit from the loop thread; `report` is called from the analysis thread.

    Unit: `limit` seconds for one analysis.
    """

    def __init__(
        self,
        report: Callable[[Outcome], None],
        load: Load,
        limit: float,
        markers: Markers | None = None,
    ) -> None:
        self._report = report
        self._load = load
        self._limit = limit
        self._markers = markers or Markers()
        self._changed = threading.Condition()
        self._jobs: dict[str, Job] = {}
        self._texts: dict[str, str] = {}
        self._settings = Settings()
        self._root: str | None = None
        self._set_aside: dict[str, Outcome] = {}
        self._overruns: dict[str, int] = {}
        self._known_crashes: set[str] = set()
        self._running: _Running | None = None
        self._turn = _Turn()
        self._stopped = False

    def start(self, settings: Settings, root: str | None) -> None:
        """Begin, with loading the compiler."""
        self._settings, self._root = settings, root
        self._spawn()
        threading.Thread(target=self._watch, name="watchdog", daemon=True).start()

    def submit(self, job: Job) -> None:
        """Analyse this state of a document instead of all earlier ones."""
        with self._changed:
            if not (job.repairs or job.everything):
                self._texts[job.path] = job.text
            waiting = self._jobs.pop(job.key, None)
            if waiting is not None:
                job = replace(job, urgency=min(job.urgency, waiting.urgency))
            self._jobs[job.key] = job
            self._preempt(job)
            self._changed.notify_all()

    def close(self, key: str, path: str) -> None:
        """The document is closed."""
        with self._changed:
            self._texts.pop(path, None)
            self._jobs.pop(key, None)
            if self._running is not None and self._running.job.key == key:
                self._running.stop = True
            self._changed.notify_all()

    def configure(self, settings: Settings, root: str | None) -> None:
        """Use these from the next analysis on."""
        with self._changed:
            self._settings, self._root = settings, root

    def stop(self) -> None:
        """No further analysis; the one that runs is told to stop and is not waited for."""
        with self._changed:
            self._stopped = True
            self._jobs.clear()
            if self._running is not None:
                self._running.stop = True
            self._changed.notify_all()
        self._markers.close()

    def _preempt(self, job: Job) -> None:
        running = self._running
        if running is None or running.stop:
            return
        if running.job.key == job.key:
            running.stop = True
        elif job.urgency < running.job.urgency:
            running.stop = True
            self._jobs.setdefault(running.job.key, running.job)

    def _spawn(self) -> None:
        self._turn = _Turn()
        threading.stack_size(STACK_BYTES)
        thread = threading.Thread(
            target=self._run, args=(self._turn,), name="analysis", daemon=True
        )
        thread.start()
        threading.stack_size(0)

    def _run(self, turn: _Turn) -> None:
        try:
            self._loaded(turn, self._settings, self._root)
            while (running := self._next(turn)) is not None:
                self._finish(turn, running, self._outcome(turn, running))
        except _Abandoned:
            log.warning("an abandoned analysis has ended")
        except Exception as error:
            log.error("the analysis thread failed", exc_info=error)
            with self._changed:
                if turn is self._turn and not self._stopped:
                    self._running = None
                    self._spawn()

    def _next(self, turn: _Turn) -> _Running | None:
        with self._changed:
            self._await_job()
            if self._stopped or turn is not self._turn:
                return None
            job = min(self._jobs.values(), key=lambda job: job.urgency)
            del self._jobs[job.key]
            limit = max(self._limit / 2 ** self._overruns.get(job.path, 0), min(self._limit, 2.0))
            deadline = time.monotonic() + limit
            self._running = _Running(job, deadline, limit, threading.get_ident())
            self._changed.notify_all()
            return self._running

    def _await_job(self) -> None:
        """Garbage is collected while there is nothing to do, not in the middle of an analysis."""
        if not self._jobs and not self._stopped and not self._changed.wait(IDLE_S):
            gc.collect()
        while not self._stopped:
            if not self._jobs:
                self._changed.wait()
            # Typing is followed by requests; parsing would make them wait for the interpreter lock.
            self._changed.wait(BREATH_S)
            if self._jobs:
                return

    def _finish(self, turn: _Turn, running: _Running, outcome: Outcome | None) -> None:
        with self._changed:
            if turn is not self._turn:
                return
            self._running = None
            if outcome is not None and outcome.failure is None:
                self._overruns.pop(running.job.path, None)
            elif running.overran:
                outcome = self._overrun(running)
        if outcome is not None:
            self._report(outcome)

    def _outcome(self, turn: _Turn, running: _Running) -> Outcome | None:
        """None when the analysis was stopped because nobody wants it any more."""
        job = running.job
        name = digest(job.path, job.text)
        if (known := self._aside(job, name)) is not None:
            return known
        self._markers.begin(name)
        # Native code that never lets go of the interpreter lock cannot be watched from Python.
        hard = running.limit * HARD_FACTOR + GRACE_S
        faulthandler.dump_traceback_later(hard, exit=True)
        try:
            return self._analyse(turn, running)
        finally:
            if turn is self._turn:
                faulthandler.cancel_dump_traceback_later()
                self._markers.end()

    def _aside(self, job: Job, name: str) -> Outcome | None:
        if self._markers.killed_by(name):
            return Outcome(job, failure=Failure.SET_ASIDE)
        known = self._set_aside.get(job.path)
        if known is None:
            return None
        if known.job.text == job.text:
            return replace(known, job=job)
        del self._set_aside[job.path]
        return None

    def _analyse(self, turn: _Turn, running: _Running) -> Outcome | None:
        job = running.job
        try:
            engine = self._prepare(turn, job)
            if isinstance(engine, str):
                return Outcome(job, failure=Failure.NOT_LOADED, reason=engine)
            if running.stop:
                return None
            if job.repairs:
                tried = engine.tried(job.path, job.repairs, lambda: running.stop)
                return Outcome(job, tried=tried)
            if job.everything:
                return Outcome(job, edits=engine.repaired(job.path, lambda: running.stop))
            return Outcome(job, engine.analyse(job.path, lambda: running.stop))
        except _Abandoned:
            raise
        except BaseException as error:
            if isinstance(error, Cancelled) and running.stop:
                return None
            return Outcome(job, failure=Failure.CRASH, reason=self._describe(error))

    def _prepare(self, turn: _Turn, job: Job) -> Engine | str:
        """The engine with today's settings and texts, or why there is none.

        The job's own text is the one it was submitted with, also when its document has been
        closed or changed since it was taken from the queue.
        """
        with self._changed:
            settings, root = self._settings, self._root
            texts = {**self._texts, job.path: job.text}
        engine = self._loaded(turn, settings, root)
        if isinstance(engine, str):
            return engine
        if turn.settings != settings:
            engine.configure(settings)
            turn.settings = settings
        self._pass_texts(turn, engine, texts)
        return engine

    def _loaded(self, turn: _Turn, settings: Settings, root: str | None) -> Engine | str:
        """Loads at most once for each root, also when that fails."""
        if turn.engine is None or turn.root != root:
            turn.root, turn.settings, turn.texts = root, settings, {}
            try:
                turn.engine = self._load(settings, root)
            except (Exception, SystemExit) as error:
                turn.engine = self._describe(error)
            tame_collector()
        return turn.engine

    def _pass_texts(self, turn: _Turn, engine: Engine, texts: dict[str, str]) -> None:
        for path in turn.texts.keys() - texts.keys():
            engine.set_text(path, None)
        for path, text in texts.items():
            if turn.texts.get(path) is not text:
                engine.set_text(path, text)
        turn.texts = texts

    def _describe(self, error: BaseException) -> str:
        """One line for the author; the traceback goes to the log, once."""
        frames = traceback.extract_tb(error.__traceback__)
        place = f"{frames[-1].name}:{frames[-1].lineno}" if frames else "?"
        text = f"{type(error).__name__}: {error} (in {place})"
        if place not in self._known_crashes:
            self._known_crashes.add(place)
            log.error("analysis failed", exc_info=error)
        return text

    def _watch(self) -> None:
        with self._changed:
            while not self._stopped:
                running = self._running
                if running is None:
                    self._changed.wait()
                elif (left := running.deadline - time.monotonic()) > 0:
                    self._changed.wait(left)
                elif not running.overran:
                    running.overran = running.stop = True
                    running.deadline += GRACE_S
                else:
                    self._abandon(running)

    def _abandon(self, running: _Running) -> None:
        """It does not stop when asked: leave the thread, and try to raise in it."""
        self._running = None
        faulthandler.cancel_dump_traceback_later()
        self._markers.end()
        outcome = self._overrun(running)
        ctypes.pythonapi.PyThreadState_SetAsyncExc(
            ctypes.c_ulong(running.thread), ctypes.py_object(_Abandoned)
        )
        self._spawn()
        self._report(outcome)

    def _overrun(self, running: _Running) -> Outcome:
        path = running.job.path
        outcome = Outcome(running.job, failure=Failure.OVERRUN, reason=f"{running.limit:g} s")
        if running.job.repairs:
            return outcome  # which says nothing of the text as it is
        self._overruns[path] = self._overruns.get(path, 0) + 1
        self._set_aside[path] = outcome
        log.warning("analysis of %s took more than %s", path, outcome.reason)
        return outcome
