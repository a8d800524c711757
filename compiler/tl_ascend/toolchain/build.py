"""Build one program: from the store where it is there, else with the compiler."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from tl_ascend.toolchain import bisheng, child
from tl_ascend.toolchain.bisheng import Job, Message
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


def compiler_version(job: Job, environment: Mapping[str, str]) -> str:
    """What the compiler says it is; its path and size where it says nothing."""
    answer = child.run([str(job.compiler), "--version"], 20, environment)
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
    environment: Mapping[str, str],
    keep: Path | None = None,
    seconds: float = SECONDS,
    cancelled: Callable[[], bool] = lambda: False,
) -> Built:
    """Build a program. `name`: of the kernel, for files and for saying what has changed since the
    last time; `keep`: a folder for source and library."""
    key = key_of(job, source, compiler_version(job, environment))
    found, problem = store.find(key)
    if found is not None:
        _copy(found, keep, name, source)
        return Built(found, True, "built before", bisheng.command(job, Path(f"{name}.cpp"), found))
    note = _why_built(key, store, name, problem)
    with tempfile.TemporaryDirectory(prefix="tl-ascend-") as folder:
        place = Path(folder)
        text, library = place / f"{name}.cpp", place / f"{name}.so"
        text.write_text(source, "utf-8", newline="\n")
        command = bisheng.command(job, text, library)
        answer = child.run(command, seconds, environment, folder, cancelled)
        said = answer.out + answer.err
        messages = tuple(bisheng.messages(said))
        if not answer.ok or not library.exists():
            why = answer.why or f"exit status {answer.status}"
            if answer.ok:
                why = "it says that all is well and writes no library"
            return Built(None, False, note, command, messages, said, f"bisheng: {why}")
        return _kept(Built(library, False, note, command, messages, said), key, store, name, keep)


def _kept(built: Built, key: Key, store: Store, name: str, keep: Path | None) -> Built:
    """The result outside of the temporary folder: in the store, or beside it where that is full."""
    assert built.library is not None
    _copy(built.library, keep, name, key.parts["source"])
    try:
        place = store.keep(key, built.library)
        store.note(name, key)
        note = built.note
    except OSError as error:
        folder = keep or Path(tempfile.mkdtemp(prefix="tl-ascend-"))
        place = folder / f"{name}.so"
        if keep is None:
            shutil.copyfile(built.library, place)
        note = f"{built.note}; not kept for next time: {error.strerror or error}"
    return Built(place, False, note, built.command, built.messages, built.output)


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
