"""One session: documents, settings and the worker, and what connects them.

Everything here runs on the loop thread and is quick; analysis is the worker's.
"""

from __future__ import annotations

import asyncio
import logging
import os
import signal
from collections.abc import Sequence
from itertools import count
from typing import TYPE_CHECKING, Any

from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from tl_ascend import __version__
from tl_ascend.driver.settings import OncePerProject
from tl_ascend_server import features
from tl_ascend_server.capabilities import JSON, SECTION, Client
from tl_ascend_server.documents import Document, Documents, Shown, path_of
from tl_ascend_server.engine import Load
from tl_ascend_server.features.configuration import Options
from tl_ascend_server.positions import Encoding
from tl_ascend_server.process import alive
from tl_ascend_server.protocol import Protocol
from tl_ascend_server.transport import Inbox, Outlet
from tl_ascend_server.worker import Job as Analyse
from tl_ascend_server.worker import Outcome, Urgency, Worker

if TYPE_CHECKING:
    from tl_ascend.ide.fixing import Repair
    from tl_ascend.ide.model import TextEdit
    from tl_ascend.ide.workspace import Analysis
    from tl_ascend_server.jobs import Job

log = logging.getLogger(__name__)
PARENT_CHECK_S = 2.0


class Server(LanguageServer):
    """The server of one client."""

    protocol: Protocol

    def __init__(self, load: Load, limit: float) -> None:
        super().__init__(SECTION, __version__, protocol_cls=Protocol)
        self.documents = Documents()
        self.projects = OncePerProject()
        self.client = Client()
        self.options = Options()
        self.refreshing = False
        self.trusted = True
        self.device_jobs: dict[int | str, Job] = {}
        self.worker = Worker(self._report, load, limit)
        self._trials = count(1)
        self._trying: dict[str, asyncio.Future[Outcome]] = {}
        self._folders: list[str] = []
        self._loop: asyncio.AbstractEventLoop | None = None
        features.register(self)

    def run(self, inbox: Inbox, outlet: Outlet, first: Any, answered: bool) -> None:
        """Serve until the client leaves; does not return. `first` is the first message."""
        try:
            asyncio.run(self._serve(inbox, outlet, first, answered))
        finally:
            self.leave()

    async def _serve(self, inbox: Inbox, outlet: Outlet, first: Any, answered: bool) -> None:
        loop = self._loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: loop.call_soon_threadsafe(self.leave))
        self.protocol.inbox = inbox
        self.protocol.set_writer(outlet)
        self.protocol.receive(first, answered)
        inbox.attach(lambda message: loop.call_soon_threadsafe(self.protocol.receive, message))
        await asyncio.Event().wait()

    def begin(self, params: JSON) -> None:
        """`initialize` has been answered: take in what the client said, start to load."""
        self.client = Client.of(params)
        self.documents.encoding = Encoding(self.client.encoding)
        self._folders = _folders(params)
        self.options = Options.read(params.get("initializationOptions"), self.options)
        self.trusted = features.trust.at_start(params.get("initializationOptions"))
        self.worker.start(self.options.settings, self.root)
        self._watch_parent(params.get("processId"))

    def ready(self) -> None:
        """The client has sent `initialized`."""
        features.configuration.register_with_client(self)
        features.configuration.pull(self)

    @property
    def root(self) -> str | None:
        """The project: the first folder of the workspace."""
        return path_of(self._folders[0]) if self._folders else None

    def change_folders(self, added: list[str], removed: list[str]) -> None:
        """Folders have come and gone, as URIs."""
        kept = [folder for folder in self._folders if folder not in removed]
        self._folders = kept + [folder for folder in added if folder not in kept]
        self._use(self.options)

    def use(self, options: Options) -> None:
        """New settings from the client."""
        if options != self.options:
            self._use(options)

    def _use(self, options: Options) -> None:
        self.options = options
        self.worker.configure(options.settings, self.root)
        for document in self.documents:
            if document.shown is not None:
                document.shown.items = None
        self.analyse_again()

    def analyse(self, document: Document, urgency: Urgency) -> None:
        """Hand the present state of a document to the worker."""
        now = document.now
        self.worker.submit(Analyse(now.uri, now.path, now.text, now.serial, urgency))

    def analyse_again(self, but: Document | None = None) -> None:
        """Something that any document may depend on has changed."""
        for document in self.documents:
            if document is not but:
                self.analyse(document, Urgency.AGAIN)

    async def tried(
        self, document: Document, repairs: Sequence[Repair], patience: float
    ) -> tuple[bool, ...]:
        """Which repairs of the present text do no harm; nothing where that takes too long."""
        outcome = await self._asked(document, patience, repairs=tuple(repairs))
        return outcome.tried if outcome is not None else ()

    async def repaired(self, document: Document, patience: float) -> tuple[TextEdit, ...] | None:
        """What repairs all that is certain; None where that takes too long."""
        outcome = await self._asked(document, patience, everything=True)
        return outcome.edits if outcome is not None else None

    async def _asked(self, document: Document, patience: float, **what: Any) -> Outcome | None:
        now, loop = document.now, asyncio.get_running_loop()
        key = f"{now.uri}#{next(self._trials)}"
        future = self._trying[key] = loop.create_future()
        self.worker.submit(Analyse(key, now.path, now.text, now.serial, Urgency.OPEN, **what))
        try:
            return await asyncio.wait_for(future, patience)
        except asyncio.TimeoutError:
            return None
        finally:
            del self._trying[key]

    def _report(self, outcome: Outcome) -> None:
        """Called in the worker's thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._take, outcome)

    def _take(self, outcome: Outcome) -> None:
        if outcome.job.repairs or outcome.job.everything:
            waiting = self._trying.get(outcome.job.key)
            if waiting is not None and not waiting.done():
                waiting.set_result(outcome)
            return
        document = self.documents.get(outcome.job.key)
        if document is None or self.protocol.shut_down:
            return
        if outcome.analysis is not None:
            _keep(document, outcome.analysis)
            if outcome.job.urgency is not Urgency.AGAIN:
                self.analyse_related(document, outcome.analysis)
        if document.now.serial == outcome.job.serial:
            features.diagnostics.deliver(self, document, outcome)
            features.inlay_hints.refresh(self, document)
            features.lenses.refresh(self, document)

    def analyse_related(self, changed: Document, analysis: Analysis) -> None:
        """Open documents that import this one, or are imported by it and get instances from it."""
        for other in self.documents:
            known = other.analysis
            if other is not changed and known is not None:
                if changed.now.path in known.depends or other.now.path in analysis.depends:
                    self.analyse(other, Urgency.AGAIN)

    def wind_down(self) -> None:
        """`shutdown` was asked for."""
        self.worker.stop()

    def leave(self) -> None:
        """End the process now; threads in native code are not waited for."""
        self.worker.stop()
        logging.shutdown()
        os._exit(0 if self.protocol.shut_down else 1)

    def _watch_parent(self, pid: object) -> None:
        """A client that dies takes us along. One that we never saw lives in another container."""
        if isinstance(pid, int) and not isinstance(pid, bool) and alive(pid):
            self._look_at_parent(pid)

    def _look_at_parent(self, pid: int) -> None:
        if not alive(pid):
            log.warning("the client has died")
            self.leave()
        asyncio.get_running_loop().call_later(PARENT_CHECK_S, self._look_at_parent, pid)

    def report_server_error(self, error: Exception, source: type[Any]) -> None:
        """A pop-up in the editor helps nobody; the log has it."""
        expected = isinstance(error, JsonRpcException)
        log.error("%s: %s", source.__name__, error, exc_info=None if expected else error)


def _keep(document: Document, analysis: Analysis) -> None:
    """The last good hints stay where the text is too broken for new ones."""
    document.analysis = analysis
    if analysis.complete or analysis.hints or document.shown is None:
        document.shown = Shown(analysis.text, analysis.hints)


def _folders(params: JSON) -> list[str]:
    """Workspace folders as URIs; older clients have one root."""
    folders = params.get("workspaceFolders")
    found = [item.get("uri") for item in folders or () if isinstance(item, dict)]
    uris = [uri for uri in found if isinstance(uri, str)]
    root = params.get("rootUri")
    return uris or ([root] if isinstance(root, str) else [])
