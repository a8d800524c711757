"""The folder of the store: its size, who may read it, clearing, and what cannot be removed."""

from __future__ import annotations

import errno
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from tests.emit import support
from tests.toolchain import standins
from tests.toolchain.building import build

from tl_ascend.toolchain.store import Key, Store

pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")


def test_the_store_stays_within_its_size(tmp_path: Path) -> None:
    store = Store(tmp_path / "store", max_bytes=2500)
    library = tmp_path / "lib.so"
    library.write_bytes(b"x" * 1000)
    keys = [Key({"source": str(at)}) for at in range(4)]
    for at, key in enumerate(keys):
        place = store.keep(key, library)
        os.utime(place.parent, (at, at))
    there = [store.find(key)[0] is not None for key in keys]
    assert there[0] is False and there[-1] is True
    freed, left = store.clear()
    assert freed >= 1000 and left == 0 and store.find(keys[-1]) == (None, "")


@pytest.mark.parametrize(("umask", "mode"), [(0o022, 0o755), (0o077, 0o700), (0o002, 0o775)])
def test_who_may_read_the_store_is_for_the_umask_to_say(
    tmp_path: Path, umask: int, mode: int
) -> None:
    library = tmp_path / "lib.so"
    library.write_bytes(b"x")
    store, key = Store(tmp_path / "store"), Key({"source": "1"})
    before = os.umask(umask)
    try:
        kept = store.keep(key, library)
        store.note("kernel", key)
    finally:
        os.umask(before)
    (note,) = store.folder.glob("last-*.json")
    assert kept.parent.stat().st_mode & 0o777 == mode
    for file in (kept, kept.with_name("about.json"), note):
        assert file.stat().st_mode & 0o777 == mode & 0o666


def test_damage_that_cannot_be_removed_is_not_handed_out(
    host: standins.Host, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build(host, store).built
    assert first is not None and first.library is not None
    good = first.library.read_bytes()
    first.library.write_bytes(good[:100])
    monkeypatch.setattr("tl_ascend.toolchain.store._remove", lambda entry: None)
    again = build(host, store).built
    assert again is not None and again.library is not None and again.library != first.library
    assert again.library.stat().st_size > 100 and not again.hit
    assert "is damaged" in again.note and "not kept for next time" in again.note


def test_an_entry_that_another_user_keeps_to_himself(
    host: standins.Host, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = build(host, store).built
    assert first is not None and first.library is not None
    theirs, opened, renamed = first.library.parent, Path.open, os.rename

    def open_(path: Path, *arguments: str, **more: str) -> object:
        if path.parent == theirs:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return opened(path, *arguments, **more)  # type: ignore[call-overload]

    def rename(source: object, target: Path) -> None:
        if target == theirs:
            raise PermissionError(errno.EACCES, "Permission denied")
        renamed(source, target)  # type: ignore[arg-type]

    monkeypatch.setattr(Path, "open", open_)
    monkeypatch.setattr(os, "rename", rename)
    monkeypatch.setattr("tl_ascend.toolchain.store._remove", lambda entry: None)
    again = build(host, store).built
    assert again is not None and again.library is not None and again.library.exists()
    assert not again.hit and "belongs to a user who lets no other read it" in again.note
    assert f"{theirs}: cannot be replaced (Permission denied)" in again.note
    assert "damaged" not in again.note
    freed, left = store.clear()
    assert freed == 0 and left > 0


@pytest.mark.parametrize("at", ["store", ""])
def test_a_store_that_is_no_folder(host: standins.Host, tmp_path: Path, at: str) -> None:
    file = tmp_path / "file"
    file.write_text("")
    store = Store(file / at)
    told = build(host, store).built
    assert told is not None and told.library is not None and told.library.exists()
    assert "not kept for next time" in told.note and f"{file}" in told.note
    assert f"{file}: is no folder" in told.note
    assert file.read_text() == ""


@pytest.mark.parametrize("kind", ["file", "device", "loop", "link to nothing", "file in the way"])
@pytest.mark.parametrize("at", ["", "build"])
def test_clearing_what_is_no_folder_is_an_error(tmp_path: Path, kind: str, at: str) -> None:
    place = tmp_path / "place"
    if kind == "loop":
        place.symlink_to(place)
    elif kind == "link to nothing":
        place.symlink_to("/nowhere")
    elif kind == "device":
        place = Path("/dev/null")
    else:
        place.write_text("")
    store = Store(place / ("a/b" if kind == "file in the way" else "") / at)
    for action in (store.clear, store.size):
        with pytest.raises(NotADirectoryError) as told:
            action()
        assert (told.value.filename, told.value.strerror) == (str(place), "is no folder")
    assert Store(tmp_path / "nothing" / at).clear() == (0, 0)


def kept(store: Store, name: str, size: int = 1000) -> Path:
    """An entry that is that old and that large."""
    library = store.folder.parent / "lib.so"
    library.write_bytes(b"x" * size)
    entry = store.keep(Key({"source": name}), library).parent
    os.utime(entry, (int(name), int(name)))
    return entry


def test_clearing_counts_what_was_removed(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another process keeps a larger program meanwhile; that is neither removed nor in the way."""
    first, removed, real = kept(store, "1"), [], shutil.rmtree
    size = store.size()

    def rmtree(path: Path, **more: Any) -> None:
        real(path, **more)
        if path == first and not removed:
            removed.append(path)
            kept(store, "1", 5000)
            kept(store, "2", 9000)

    monkeypatch.setattr("tl_ascend.toolchain.store.shutil.rmtree", rmtree)
    assert store.clear() == (size, 0)
    assert store.size() > 14_000


def unremovable(monkeypatch: pytest.MonkeyPatch, stays: Path) -> None:
    """An entry of another user in a folder with the sticky bit."""
    real = shutil.rmtree

    def rmtree(path: Path, **more: Any) -> None:
        if path != stays:
            real(path, **more)
            return
        error = PermissionError(errno.EPERM, "Operation not permitted", str(path))
        if "onexc" in more:
            more["onexc"](os.rmdir, str(path), error)
        elif "onerror" in more:
            more["onerror"](os.rmdir, str(path), (type(error), error, None))

    monkeypatch.setattr("tl_ascend.toolchain.store.shutil.rmtree", rmtree)


def test_what_cannot_be_removed_is_counted(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    stays, _ = kept(store, "1"), kept(store, "2")
    unremovable(monkeypatch, stays)
    freed, left = store.clear()
    assert 1000 <= freed < 6000 and left == 1 and stays.exists()


def test_what_cannot_be_removed_makes_no_room(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The next oldest goes instead."""
    store = Store(tmp_path / "store")
    stays, goes = kept(store, "1"), kept(store, "2")
    store.max_bytes = store.size() + 100
    unremovable(monkeypatch, stays)
    fresh = kept(store, "3")
    assert stays.exists() and fresh.exists() and not goes.exists()


@pytest.mark.parametrize("name", ["a b", "a+b", "a#b", "ä", "a'b", "-o"])
def test_odd_paths(host: standins.Host, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    built = build(host, Store(folder / "store"), keep=folder / "kept").built
    assert built is not None and built.library is not None and built.library.exists()
    assert (folder / "kept/kernel.cpp").exists() and (folder / "kept/kernel.so").exists()
