"""Another host as a place to build and run, over `ssh`. Files and commands travel as data on one
connection (`agent.py` is at its other end), so no path ever meets a shell."""

from __future__ import annotations

import contextlib
import json
import os
import queue
import shlex
import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import IO, Any

from tl_ascend.toolchain import agent, cann, child
from tl_ascend.toolchain.cann import Cann
from tl_ascend.toolchain.child import Heard, Outcome
from tl_ascend.toolchain.place import NoFolder, NoHost, NoPython, Unreachable, files_under

CONNECT_SECONDS = 15
ANSWER_SECONDS = 120.0
STOP_SECONDS = 5.0  # for the other side to end what runs
# Keys or an agent only: there is nobody to ask for a password. A dead connection is noticed.
_OPTIONS = (
    "BatchMode=yes",
    f"ConnectTimeout={CONNECT_SECONDS}",
    "ServerAliveInterval=15",
    "ServerAliveCountMax=4",
)
# One line without single quotes: every login shell takes it.
_BOOT = (
    "import sys;s=sys.stdin.buffer;"
    'exec(compile(s.read(int(s.readline())),"tl-ascend agent","exec"))'
)
_NOT_FOUND = 127
_NO_CONNECTION = 255  # of ssh itself


@dataclass(frozen=True, slots=True)
class Host:
    """`name`: as `ssh` takes it; `python`: the interpreter there that has torch_npu; `folder`: where
    to work there, empty for the system's place for temporary files; a `~/`, and what is relative, is in
    the home folder there."""

    name: str
    python: str = "python3"
    folder: str = ""

    @property
    def wrong(self) -> str:
        """Why `ssh` would not take the name as one; empty where it does."""
        if not _word(self.name) or self.name.startswith("-") or any(map(str.isspace, self.name)):
            return f"{self.name!r} is no name of a host"
        return ""


@dataclass(frozen=True, slots=True)
class Found:
    """What `look` has found. `said`: where CANN is."""

    environment: Mapping[str, str]
    python: str
    said: Mapping[str, Any]


def cann_of(found: Found) -> Cann:
    """CANN on that host; the agent has sourced its environment."""
    said, problem = found.said, str(found.said["problem"])
    if said["script"] and not said["named"] and not any(map(found.environment.get, cann.VARIABLES)):
        problem = problem or cann.NOT_SET
    versions = [cann.version_in(text) for text in said["info"]]
    return Cann(
        Path(said["root"]) if said["root"] else None,
        next((v for v in versions if v), ""),
        tuple(said["looked"]),
        Path(said["compiler"]) if said["compiler"] else None,
        Path(said["script"]) if said["script"] else None,
        bool(said["named"]),
        tuple(Path(p).parent.parent.name for p in said["simulators"]),
        problem,
    )


class There:
    """A connection. `environment`: of `ssh` here; `theirs`: of processes there."""

    def __init__(
        self,
        host: Host,
        environment: Mapping[str, str],
        theirs: Mapping[str, str] | None = None,
    ) -> None:
        self.host = host
        self._environment, self._theirs = environment, theirs
        self._answers: queue.Queue[tuple[dict[str, Any], bytes] | None] = queue.Queue()
        self._process: subprocess.Popen[bytes] | None = None
        self._errors: IO[bytes] | None = None
        self._folder = self._python = ""
        self._brought: dict[Path, Path] = {}
        self._began = False  # the agent has spoken

    def __enter__(self) -> There:
        try:
            self._connect()
            said = self._ask(do="open", base=self.host.folder)
        except BaseException:
            self._close()
            raise
        self._folder, self._python = said["folder"], said["python"]
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._close()

    def look(self) -> Found:
        """Where CANN is there."""
        said = self._ask(
            do="look",
            variables=cann.VARIABLES,
            places=[f"{b}/{f}" for b in (cann.SYSTEM, "~/Ascend") for f in cann.FOLDERS],
            compilers=cann.COMPILERS,
            info=cann.INFO,
            simulator=cann.SIMULATOR,
            no_folder=cann.NO_FOLDER,
        )
        self._theirs = said["environment"]
        return Found(said["environment"], self._python, said)

    @property
    def environment(self) -> Mapping[str, str]:
        return self._theirs or {}

    def path(self, name: str) -> Path:
        return Path(self._folder) / name

    def write(self, name: str, data: bytes) -> None:
        self._send(data, do="write", name=name)

    def read(self, name: str) -> bytes | None:
        self._send(do="read", name=name)
        said, data = self._answer()
        return data if said["found"] else None

    def bring(self, path: Path) -> Path:
        known = self._brought.get(path)
        if known is None:
            base = f"brought-{len(self._brought)}"
            known = self._brought[path] = self.path(f"{base}/{path.name}")
            for file in files_under(path) if path.is_dir() else [path]:
                name = file.relative_to(path.parent).as_posix()
                self.write(f"{base}/{name}", file.read_bytes())
        return known

    def run(
        self,
        command: Sequence[str],
        seconds: float,
        environment: Mapping[str, str] | None = None,
        cancelled: Callable[[], bool] = lambda: False,
        heard: Heard = lambda _: None,
    ) -> Outcome:
        if cancelled() or child.interrupted():
            return Outcome(None, "", "", child.CANCELLED)
        chosen = self._theirs if environment is None else environment
        given = None if chosen is None else dict(chosen)
        streams = {"out": bytearray(), "err": bytearray()}
        decoders = {name: child.Decoder(heard) for name in streams}

        def take(said: dict[str, Any], data: bytes) -> None:
            streams[said["stream"]].extend(data)
            decoders[said["stream"]](data)

        try:
            self._send(do="run", command=list(command), environment=given, seconds=seconds)
            status, why = self._follow(take, seconds, cancelled)
        except Unreachable as error:
            status, why = None, str(error)
        if status is not None and status < 0:
            why = child.signalled(-status)
        out, err = (child.text(bytes(stream)) for stream in streams.values())
        return Outcome(status, out, err, why)

    def _follow(
        self,
        take: Callable[[dict[str, Any], bytes], None],
        seconds: float,
        cancelled: Callable[[], bool],
    ) -> tuple[int | None, str]:
        end, stopping = time.monotonic() + seconds + ANSWER_SECONDS, False
        while time.monotonic() < end:
            if not stopping and (cancelled() or child.interrupted()):
                stopping, end = True, time.monotonic() + STOP_SECONDS
                self._send(do="stop")
            said, data = self._next(child.POLL)
            if "stream" in said:
                take(said, data)
            elif "status" in said:
                return said["status"], child.CANCELLED if stopping else said["why"]
        self._close()
        return None, child.CANCELLED if stopping else f"no answer within {seconds:g} s"

    def _connect(self) -> None:
        if self.host.wrong:
            raise NoHost(self.host.wrong)
        if not _word(self.host.python):
            raise NoPython(f"{self.host.python!r} is no name of a Python")
        if child.interrupted():
            raise Unreachable(child.CANCELLED)
        options = [word for option in _OPTIONS for word in ("-o", option)]
        there = f"exec {_quoted(self.host.python)} -I -u -c {shlex.quote(_BOOT)}"
        self._errors = tempfile.TemporaryFile()
        try:
            self._process = subprocess.Popen(
                ["ssh", "-T", *options, "--", self.host.name, there],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._errors,
                env=dict(self._environment),
                start_new_session=True,
            )
        except OSError as error:
            raise Unreachable(f"ssh does not start: {error.strerror or error}") from error
        threading.Thread(target=self._listen, args=(self._process.stdout,), daemon=True).start()
        source = Path(agent.__file__).read_bytes()
        self._put(b"%d\n%s" % (len(source), source))

    def _listen(self, stream: IO[bytes]) -> None:
        """Messages into the queue, None at the end. Login scripts may print before the first."""
        try:
            while (line := stream.readline(1 << 16)) and not line.endswith(agent.MAGIC):
                pass
            while line := stream.readline():
                self._began = True
                head = json.loads(line)
                self._answers.put((head, stream.read(head["size"])))
        except (OSError, ValueError):
            pass  # a connection that breaks is one that ends
        self._answers.put(None)

    def _ask(self, **what: Any) -> dict[str, Any]:
        self._send(**what)
        return self._answer()[0]

    def _answer(self) -> tuple[dict[str, Any], bytes]:
        end = time.monotonic() + ANSWER_SECONDS
        while time.monotonic() < end:
            if child.interrupted():
                raise Unreachable(child.CANCELLED)
            said, data = self._next(child.POLL)
            if said:
                return said, data
        raise Unreachable(f"{self.host.name} does not answer")

    def _next(self, seconds: float) -> tuple[dict[str, Any], bytes]:
        """The next message; an empty one where none comes in that time."""
        try:
            found = self._answers.get(timeout=seconds)
        except queue.Empty:
            return {}, b""
        if found is None:
            self._answers.put(None)
            raise self._why_ended()
        if "failed" in found[0]:
            raise NoFolder(self.host.name, self.host.folder, found[0]["failed"])
        return found

    def _send(self, data: bytes = b"", **what: Any) -> None:
        self._put(json.dumps({**what, "size": len(data)}).encode() + b"\n" + data)

    def _put(self, data: bytes) -> None:
        stream = self._process.stdin if self._process is not None else None
        try:
            if stream is None:
                raise self._why_ended()
            stream.write(data)
            stream.flush()
        except (OSError, ValueError) as error:
            raise self._why_ended() from error

    def _why_ended(self) -> Unreachable:
        """Why the connection has come to its end."""
        status = None
        if self._process is not None:
            _ended(self._process)
            status = self._process.returncode
        said = ""
        if self._errors is not None and not self._errors.closed:
            self._errors.seek(0)
            said = self._errors.read(1 << 16).decode("utf-8", "replace").strip()
        name, python = self.host.name, self.host.python
        lines = [line.strip() for line in said.splitlines() if line.strip()]
        if status == _NOT_FOUND:
            return NoPython(f"{name} has no {python}")
        if not self._began and status is not None and 0 <= status != _NO_CONNECTION:
            came = lines[-1] if lines else f"exit status {status}"
            return NoPython(f"{name}: {python} is no Python that starts ({came})")
        return Unreachable(f"{name}: {lines[-1] if lines else 'the connection was closed'}")

    def _close(self) -> None:
        """The other side ends what runs when its input ends."""
        process, self._process = self._process, None
        if process is None:
            return
        assert process.stdin is not None
        with contextlib.suppress(OSError):  # what it still had to send is of no interest
            process.stdin.close()
        _ended(process)
        if self._errors is not None:
            self._errors.close()


def _ended(process: subprocess.Popen[bytes]) -> None:
    """It ends by itself, or is ended."""
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(STOP_SECONDS)
    child.stop(process)


def _word(text: str) -> bool:
    """Whether a text can be an argument of a process: neither empty nor with what none can have."""
    try:
        return bool(text) and b"\0" not in os.fsencode(text)
    except UnicodeEncodeError:
        return False


def _quoted(path: str) -> str:
    """For any shell; a `~/` at the beginning stays what it is."""
    return f"~/{shlex.quote(path[2:])}" if path.startswith("~/") else shlex.quote(path)
