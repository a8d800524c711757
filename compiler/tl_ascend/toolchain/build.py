"""Build one program: from the store where it is there, else with the compiler."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from tl_ascend.toolchain import bisheng
from tl_ascend.toolchain.bisheng import Job, Message
from tl_ascend.toolchain.place import Open, Unreachable, Work
from tl_ascend.toolchain.store import Key, Store, folder_digest

SECONDS = 600.0


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


def key_of(job: Job, source: str, version: str) -> Key:
    """Everything that decides what comes out. The folders of headers count by what is in them, not
    by where they are, so that hosts can share a store."""
    plain = Job(job.route, job.architecture, Path("bisheng"), Path("cann"), (), job.simulator)
    return Key(
        {
            "source": source,
            "flags": "\0".join(bisheng.flags(plain)),
            "compiler": version,
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


def build(
    job: Job,
    source: str,
    name: str,
    store: Store,
    place: Open,
    keep: Path | None = None,
    seconds: float = SECONDS,
    cancelled: Callable[[], bool] = lambda: False,
) -> Built:
    """Build a program. `name`: of the kernel, for files and for saying what has changed since the
    last time; `keep`: a folder of this machine for source and library."""
    try:
        with place() as work:
            key = key_of(job, source, compiler_version(job, work))
            found, problem = store.find(key)
            if found is not None:
                _copy(found, keep, name, source)
                command = bisheng.command(job, Path(f"{name}.cpp"), found)
                return Built(found, True, "built before", command)
            note = _why_built(key, store, name, problem)
            built, data = _compiled(job, source, name, note, work, seconds, cancelled)
            return built if built.why else _kept(built, data, key, store, name, keep)
    except Unreachable as error:
        return Built(None, False, "", (), why=str(error))


def _compiled(
    job: Job,
    source: str,
    name: str,
    note: str,
    work: Work,
    seconds: float,
    cancelled: Callable[[], bool],
) -> tuple[Built, bytes]:
    """What the compiler says, and the library; `why` is empty where there is one."""
    text, library = work.path(f"{name}.cpp"), work.path(f"{name}.so")
    work.write(text.name, source.encode("utf-8"))
    there = replace(job, includes=tuple(work.bring(folder) for folder in job.includes))
    command = bisheng.command(there, text, library)
    answer = work.run(command, seconds, cancelled=cancelled)
    said = answer.out + answer.err
    data, why = work.read(library.name) if answer.ok else None, ""
    if not answer.ok:
        why = f"bisheng: {answer.why or f'exit status {answer.status}'}"
    elif data is None:
        why = "bisheng: it says that all is well and writes no library"
    messages = tuple(bisheng.messages(said))
    return Built(None, False, note, command, messages, said, why), data or b""


def _kept(built: Built, data: bytes, key: Key, store: Store, name: str, keep: Path | None) -> Built:
    """The result on this machine: in the store, or beside it where that is full."""
    with tempfile.TemporaryDirectory(prefix="tl-ascend-") as folder:
        library = Path(folder) / f"{name}.so"
        library.write_bytes(data)
        _copy(library, keep, name, key.parts["source"])
        try:
            place = store.keep(key, library)
            store.note(name, key)
            return replace(built, library=place)
        except OSError as error:
            place = (keep or Path(tempfile.mkdtemp(prefix="tl-ascend-"))) / library.name
            if keep is None:
                shutil.copyfile(library, place)
            note = f"{built.note}; not kept for next time: {error.strerror or error}"
            return replace(built, library=place, note=note)


def _why_built(key: Key, store: Store, name: str, problem: str) -> str:
    if problem:
        return "what was kept is damaged, so it is built again"
    last = store.last(name)
    changed = key.differs(last) if last else []
    if not last:
        return "first build"
    return f"changed since the last build: {', '.join(changed)}" if changed else "not kept any more"


def _copy(library: Path, keep: Path | None, name: str, source: str) -> None:
    if keep is None:
        return
    keep.mkdir(parents=True, exist_ok=True)
    (keep / f"{name}.cpp").write_text(source, "utf-8", newline="\n")
    if library != keep / f"{name}.so":
        shutil.copyfile(library, keep / f"{name}.so")
