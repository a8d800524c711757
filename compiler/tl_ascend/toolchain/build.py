"""Build one program: from the store where it is there, else with the compiler."""

from __future__ import annotations

import contextlib
import shutil
import tempfile
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tl_ascend.toolchain import bisheng, child
from tl_ascend.toolchain.bisheng import Job, Message
from tl_ascend.toolchain.place import Open, Unreachable, Work
from tl_ascend.toolchain.store import Key, Store, folder_digest

SECONDS = 600.0
# What compilers read besides their arguments.
VARIABLES = (
    "CCC_OVERRIDE_OPTIONS",
    "COMPILER_PATH",
    "CPATH",
    "CPLUS_INCLUDE_PATH",
    "C_INCLUDE_PATH",
    "GCC_EXEC_PREFIX",
    "LIBRARY_PATH",
)
UNSTORED = "tl-ascend-unstored-"
UNSTORED_SECONDS = 24 * 3600.0  # how long programs that the store had no room for stay


@dataclass(frozen=True, slots=True)
class Built:
    """How a build ended. `library` is None where it failed: `why` says so in a sentence. `hit`: it
    was in the store; `note`: why it was, or was not, or could not be kept. `messages`: what the
    compiler said about places; `output`: its whole text."""

    library: Path | None
    hit: bool
    note: str
    command: tuple[str, ...]
    messages: tuple[Message, ...] = ()
    output: str = ""
    why: str = ""


def key_of(job: Job, source: str, version: str, environment: Mapping[str, str]) -> Key:
    """Everything that decides what comes out. The folders of headers count by what is in them, not
    by where they are, so that hosts can share a store. Errors: OSError."""
    plain = replace(job, compiler=Path("bisheng"), cann=Path("cann"), includes=())
    return Key(
        {
            "source": source,
            "flags": "\0".join(bisheng.flags(plain)),
            "compiler": version,
            "CANN": job.cann_version,
            "environment": "\0".join(
                f"{n}={environment[n]}" for n in VARIABLES if n in environment
            ),
            "headers": folder_digest(job.includes),
            "platform": f"{job.architecture} {job.route}",
        }
    )


def compiler_version(job: Job, work: Work) -> str:
    """What the compiler says it is; its path and size where it says nothing."""
    answer = work.run([str(job.compiler), "--version"], 20)
    if answer.ok and answer.out.strip():
        return answer.out.strip()
    try:
        return f"{job.compiler} {job.compiler.stat().st_size}"
    except OSError:
        return str(job.compiler)


@dataclass(frozen=True, slots=True)
class Order:
    """One program to build. `name`: of its files; `of`: what it is a program of, to say what has changed
    since the last time; `keep`: a folder of this machine for source and library, too, which messages
    name; `step` gets a word about each step, `heard` what the compiler prints, as it comes."""

    job: Job
    source: str
    name: str
    of: str = ""
    keep: Path | None = None
    seconds: float = SECONDS
    cancelled: Callable[[], bool] = lambda: False
    step: Callable[[str], None] = lambda _: None
    heard: Callable[[str], None] = lambda _: None


def build(order: Order, store: Store, place: Open) -> Built:
    """Build a program. Whatever goes wrong is told in what it returns."""
    _tidy()
    if order.cancelled() or child.interrupted():
        return Built(None, False, "", (), why=child.CANCELLED)
    try:
        with place() as work:
            version = compiler_version(order.job, work)
            key = key_of(order.job, order.source, version, work.environment)
            with store.locked(key, order.cancelled):
                return _built(order, key, store, work)
    except Unreachable as error:
        return Built(None, False, "", (), why=str(error))
    except OSError as error:
        return Built(None, False, "", (), why=reason(error))


def _built(order: Order, key: Key, store: Store, work: Work) -> Built:
    found, problem = store.find(key)
    if found is not None:
        command = bisheng.command(order.job, Path(f"{order.name}.cpp"), found)
        note = "; ".join(filter(None, ("built before", _copied(found, order))))
        return Built(found, True, note, command)
    note = _why_built(key, store, order, problem)
    built, data = _compiled(order, note, work)
    return built if built.why else _kept(built, data, key, store, order)


def _compiled(order: Order, note: str, work: Work) -> tuple[Built, bytes]:
    """What the compiler says, and the library; `why` is empty where there is one."""
    job, name = order.job, order.name
    text, library = work.path(f"{name}.cpp"), work.path(f"{name}.so")
    work.write(text.name, order.source.encode("utf-8"))
    there = replace(job, includes=tuple(work.bring(folder) for folder in job.includes))
    command = bisheng.command(there, text, library)
    kept = _source(order)
    order.step("compiling")
    renamed = _Renamed(str(text), str(kept or text), order.heard)
    answer = work.run(command, order.seconds, cancelled=order.cancelled, heard=renamed)
    renamed.end()
    said = renamed.of(answer.out + answer.err)
    data, why = work.read(library.name) if answer.ok else None, ""
    if not answer.ok:
        why = f"bisheng: {answer.why or f'exit status {answer.status}'}"
    elif data is None:
        why = "bisheng: it says that all is well and writes no library"
    messages = tuple(bisheng.messages(said))
    return Built(None, False, note, command, messages, said, why), data or b""


def _kept(built: Built, data: bytes, key: Key, store: Store, order: Order) -> Built:
    """The result on this machine: in the store, or beside it where that is full."""
    folder = Path(tempfile.mkdtemp(prefix=UNSTORED))
    library = folder / f"{order.name}.so"
    try:
        library.write_bytes(data)
        notes = [built.note, _copied(library, order)]
        kept, problem = _stored(library, key, store)
        if kept is None:
            notes.append(f"not kept for next time: {problem}")
        else:
            store.note(order.of or order.name, key)
        done = replace(built, library=kept or library, note="; ".join(filter(None, notes)))
    except OSError as error:
        done = replace(built, why=reason(error))
    if done.library != library:
        shutil.rmtree(folder, ignore_errors=True)
    return done


def _tidy() -> None:
    """Remove what the store had no room for and nobody wants any more."""
    for folder in Path(tempfile.gettempdir()).glob(f"{UNSTORED}*"):
        with contextlib.suppress(OSError):
            if folder.stat().st_mtime < time.time() - UNSTORED_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)


def _stored(library: Path, key: Key, store: Store) -> tuple[Path | None, str]:
    try:
        return store.keep(key, library), ""
    except OSError as error:
        return None, reason(error)


def reason(error: OSError) -> str:
    """What went wrong, and with which file."""
    place = f"{error.filename}: " if error.filename else ""
    return f"{place}{error.strerror or error}"


def _why_built(key: Key, store: Store, order: Order, problem: str) -> str:
    if problem == "unreadable":
        return "what is kept belongs to a user who lets no other read it, so it is built again"
    if problem:
        return "what was kept is damaged, so it is built again"
    last = store.last(order.of or order.name)
    changed = key.differs(last) if last else []
    if not last:
        return "first build"
    return f"changed since the last build: {', '.join(changed)}" if changed else "not kept any more"


class _Renamed:
    """Hands on whole lines in which one path stands for another."""

    def __init__(self, old: str, new: str, heard: Callable[[str], None]) -> None:
        self._old, self._new, self._heard = old, new, heard
        self._rest = ""
        self._taking = threading.Lock()

    def of(self, text: str) -> str:
        return text.replace(self._old, self._new)

    def __call__(self, text: str) -> None:
        with self._taking:
            lines, end, self._rest = (self._rest + text).rpartition("\n")
            if end:
                self._heard(self.of(lines + end))

    def end(self) -> None:
        """What was no whole line."""
        with self._taking:
            rest, self._rest = self._rest, ""
        if rest:
            self._heard(self.of(rest))


def _source(order: Order) -> Path | None:
    """Write the source to where the user wants it; None where that is nowhere or fails. What fails is
    told with the library."""
    if order.keep is None:
        return None
    path = order.keep / f"{order.name}.cpp"
    try:
        order.keep.mkdir(parents=True, exist_ok=True)
        path.write_text(order.source, "utf-8", newline="\n")
    except OSError:
        return None
    return path.absolute()


def _copied(library: Path, order: Order) -> str:
    """Copy source and library to where the user wants them; returns why that failed."""
    keep = order.keep
    if keep is None:
        return ""
    try:
        keep.mkdir(parents=True, exist_ok=True)
        (keep / f"{order.name}.cpp").write_text(order.source, "utf-8", newline="\n")
        shutil.copyfile(library, keep / f"{order.name}.so")
    except OSError as error:
        return f"not copied to {keep}: {error.strerror or error}"
    return ""
