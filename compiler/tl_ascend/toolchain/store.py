"""Built programs, kept by what they were built from. Safe to share between processes and hosts: an
entry appears whole by a rename, or not at all, and is compared with its digest before it is used. Locks
only save work: where a file system has none, a program may be built twice."""

from __future__ import annotations

import contextlib
import errno
import hashlib
import json
import os
import shutil
import sys
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import platformdirs

from tl_ascend.toolchain.child import POLL, interrupted
from tl_ascend.toolchain.place import files_under

try:
    import fcntl
except ImportError:  # no locks on this system
    fcntl = None  # type: ignore[assignment]

MAX_BYTES = 1 << 30
LIBRARY = "kernel.so"


@dataclass(frozen=True, slots=True)
class Key:
    """What a program is built from, by name: source, flags, compiler, headers, platform."""

    parts: Mapping[str, str]

    @property
    def digest(self) -> str:
        text = json.dumps(dict(sorted(self.parts.items())))
        return hashlib.sha256(text.encode()).hexdigest()[:40]

    @property
    def shortened(self) -> dict[str, str]:
        """The parts, long ones as their digests."""
        return {name: short(value) for name, value in sorted(self.parts.items())}

    def differs(self, other: Mapping[str, str]) -> list[str]:
        """The names of the parts that are not the same as in what `shortened` gave earlier."""
        mine = self.shortened
        return [name for name in sorted({*mine, *other}) if mine.get(name) != other.get(name)]


def cache_folder() -> Path:
    """Where everything that is kept lies: the user's cache folder, or `TL_ASCEND_CACHE_DIR`."""
    named = os.environ.get("TL_ASCEND_CACHE_DIR")
    return Path(os.path.abspath(named or platformdirs.user_cache_dir("tl-ascend")))


class Store:
    """A folder of entries."""

    def __init__(self, folder: Path | None = None, max_bytes: int = MAX_BYTES) -> None:
        self.folder = folder or cache_folder() / "build"
        self.max_bytes = max_bytes

    def find(self, key: Key) -> tuple[Path | None, str]:
        """A program that is kept, or why there is none: `damaged` where there was one, `unreadable`
        where it is another user's, who does not let others read."""
        entry = self.folder / key.digest
        if not os.path.lexists(entry):
            return None, ""
        if _closed(entry):
            return None, "unreadable"
        if _sound(entry, key):
            _touch(entry)
            return entry / LIBRARY, ""
        _remove(entry)
        return None, "damaged"

    @contextlib.contextmanager
    def locked(self, key: Key, cancelled: Callable[[], bool]) -> Iterator[None]:
        """Held while a program is looked for and built: who wants the same waits, and finds it. Ends
        waiting when cancelled."""
        with contextlib.ExitStack() as stack:
            with contextlib.suppress(OSError):
                self._open()
                name = self.folder / f".lock-{key.digest[:3]}"  # so that their number is limited
                file = stack.enter_context(name.open("ab"))
                while not _lock(file) and not cancelled() and not interrupted():
                    time.sleep(POLL)
            yield

    def keep(self, key: Key, library: Path) -> Path:
        """Put a program into the store and return where it is. Errors: OSError that names the store, or
        an entry that cannot be replaced, with nothing left behind."""
        self._open()
        self._make_room(library.stat().st_size)
        entry = self.folder / key.digest
        fresh = self._fresh()
        try:
            fresh.mkdir()  # for those whom the umask lets in
            shutil.copyfile(library, fresh / LIBRARY)
            about = {"parts": key.shortened, "sha256": digest(library)}
            (fresh / "about.json").write_text(json.dumps(about), "utf-8")
            _publish(fresh, entry, key)
        except _Kept as error:
            why = f"cannot be replaced ({error.strerror})"
            raise OSError(error.errno, why, str(entry)) from error
        except OSError as error:
            why = error.strerror or str(error)
            raise OSError(error.errno, why, str(self.folder)) from error
        finally:
            shutil.rmtree(fresh, ignore_errors=True)
        return entry / LIBRARY

    def last(self, what: str) -> Mapping[str, str]:
        """The parts of the key under which a kernel was built last; empty where it never was."""
        return _read_json(self._note(what))

    def note(self, what: str, key: Key) -> None:
        """Remember the key of a kernel, to say next time what has changed. Not worth an error."""
        with contextlib.suppress(OSError):
            self._open()
            fresh = self._fresh()
            try:
                fresh.write_text(json.dumps(key.shortened), "utf-8")
                os.replace(fresh, self._note(what))
            finally:
                fresh.unlink(missing_ok=True)

    def clear(self) -> tuple[int, int]:
        """Remove every entry that is there now; returns how many bytes that were, and how many entries
        could not be removed. Errors: OSError where the store is no folder, or none that can be read."""
        self._refuse()
        freed = left = 0
        for entry in list(self._entries()):
            size = _size(entry)
            if _remove(entry):
                freed += size
            else:
                left += 1
                freed += max(0, size - _size(entry))
        return freed, left

    def size(self) -> int:
        """How many bytes are kept. Errors: as `clear`."""
        self._refuse()
        return sum(_size(entry) for entry in self._entries())

    def _open(self) -> None:
        """Make the folder. Errors: OSError that names what stands in the way."""
        self._refuse()
        self.folder.mkdir(parents=True, exist_ok=True)

    def _refuse(self) -> None:
        """Errors: NotADirectoryError where something else is in the way to the folder."""
        first = next((p for p in (self.folder, *self.folder.parents) if os.path.lexists(p)), None)
        if first is not None and not os.path.isdir(first):
            raise NotADirectoryError(errno.ENOTDIR, "is no folder", str(first))

    def _fresh(self) -> Path:
        return self.folder / f".new-{uuid.uuid4().hex}"

    def _note(self, what: str) -> Path:
        return self.folder / f"last-{hashlib.sha256(os.fsencode(what)).hexdigest()[:24]}.json"

    def _entries(self) -> Iterator[Path]:
        if self.folder.is_dir():
            yield from (p for p in self.folder.iterdir() if not p.name.startswith(".lock-"))

    def _make_room(self, wanted: int) -> None:
        """Remove what was used longest ago."""
        entries = sorted(((_age(p), _size(p), p) for p in self._entries()), key=lambda e: e[0])
        total = sum(size for _, size, _ in entries) + wanted
        for _, size, path in entries:
            if total <= self.max_bytes:
                return
            if _remove(path):
                total -= size


def digest(path: Path) -> str:
    """SHA-256 of a file. Errors: OSError."""
    mark = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(1 << 20):
            mark.update(block)
    return mark.hexdigest()


def folder_digest(folders: tuple[Path, ...]) -> str:
    """One digest for all files in folders: names and contents. Errors: OSError."""
    mark = hashlib.sha256()
    for folder in folders:
        mark.update(b"folder\0")
        for path in files_under(folder):
            mark.update(os.fsencode(path.relative_to(folder)) + f"\0{digest(path)}\0".encode())
    return mark.hexdigest()


def short(value: str) -> str:
    """A long part of a key as its digest."""
    return value if len(value) <= 64 else hashlib.sha256(value.encode()).hexdigest()


def _read_json(path: Path) -> dict[str, Any]:
    """What a file says; nothing where it is damaged."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _publish(fresh: Path, entry: Path, key: Key) -> None:
    """Two builds of one program may come here at once: the first stays, they are the same. Errors:
    _Kept where what is there is of no use and cannot be removed."""
    try:
        os.rename(fresh, entry)
    except OSError:
        if _sound(entry, key):
            return
        _remove(entry)
        try:
            os.rename(fresh, entry)
        except OSError as error:
            if not os.path.lexists(entry):
                raise
            raise _Kept(error.errno, error.strerror or str(error)) from error


class _Kept(OSError):
    """An entry that can be neither used nor removed."""


def _sound(entry: Path, key: Key) -> bool:
    """True for a whole entry of that key."""
    about = _read_json(entry / "about.json")
    try:
        return about.get("parts") == key.shortened and about.get("sha256") == digest(
            entry / LIBRARY
        )
    except OSError:
        return False


def _closed(entry: Path) -> bool:
    """True where an entry may not be read."""
    try:
        (entry / "about.json").open("rb").close()
        (entry / LIBRARY).open("rb").close()
    except PermissionError:
        return True
    except OSError:
        return False
    return False


def _touch(entry: Path) -> None:
    """It was used just now. A store that can only be read is as good."""
    with contextlib.suppress(OSError):
        os.utime(entry)


def _remove(entry: Path) -> bool:
    """Remove an entry; false where something of it cannot be removed. What another process removes, or
    still adds, meanwhile is not that."""
    failed: list[BaseException] = []
    if not entry.is_dir() or entry.is_symlink():
        try:
            entry.unlink()
        except OSError as error:
            failed.append(error)
    elif sys.version_info >= (3, 12):
        shutil.rmtree(entry, onexc=lambda _, __, error: failed.append(error))
    else:
        shutil.rmtree(entry, onerror=lambda _, __, about: failed.append(about[1]))
    meanwhile = (errno.ENOENT, errno.ENOTEMPTY)
    return all(getattr(error, "errno", None) in meanwhile for error in failed)


def _lock(file: IO[bytes]) -> bool:
    """True once the lock is held. Errors: OSError where there are no locks."""
    if fcntl is None:
        return True
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def _age(path: Path) -> float:
    try:
        return path.stat().st_mtime
    except OSError:
        return 0.0


def _size(path: Path) -> int:
    files = [path, *(Path(here, name) for here, _, names in os.walk(path) for name in names)]
    total = 0
    for file in files:
        with contextlib.suppress(OSError):
            total += file.lstat().st_size
    return total
