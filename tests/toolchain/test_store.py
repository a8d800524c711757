"""What was built is kept: hits that are right, misses with their reason, and every kind of damage."""

from __future__ import annotations

import errno
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from tests.emit import support
from tests.toolchain import standins
from tests.toolchain.building import KERNEL, build, calls, command_environment

from tl_ascend.backends import registry
from tl_ascend.driver import build as driver
from tl_ascend.toolchain.store import Key, Store

pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")


def test_first_a_miss_then_a_hit(host: standins.Host, store: Store) -> None:
    (host.tools / "quick").unlink()
    first = build(host, store).built
    assert first is not None and first.library is not None and first.library.exists()
    assert (first.hit, first.note) == (False, "first build")
    second = build(host, store).built
    assert second is not None and (second.hit, second.library) == (True, first.library)
    assert calls(host) == 1


@pytest.mark.parametrize("name", ["CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "COMPILER_PATH"])
def test_variables_that_compilers_read_count(host: standins.Host, store: Store, name: str) -> None:
    build(host, store)
    host.environment[name] = "/some/where"
    other = build(host, store).built
    assert other is not None and not other.hit
    assert other.note == "changed since the last build: environment"


def test_what_the_store_had_no_room_for_is_removed_later(
    host: standins.Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place, store = tmp_path / "scratch", Store(Path("/dev/full/x"))
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    first, second = build(host, store).built, build(host, store).built
    assert first is not None and first.library is not None and first.library.exists()
    assert second is not None and second.library is not None
    os.utime(first.library.parent, (0, 0))
    build(host, store)
    assert not first.library.parent.exists() and second.library.exists()


def test_what_has_changed_is_said(host: standins.Host, store: Store) -> None:
    build(host, store)
    changed = build(host, store, KERNEL.replace("exp", "sqrt")).built
    assert changed is not None and changed.note == "changed since the last build: source"
    (host.tools / "version").write_text("2")
    newer = build(host, store, KERNEL.replace("exp", "sqrt")).built
    assert newer is not None and newer.note == "changed since the last build: compiler"


@pytest.mark.parametrize(
    "damage", ["library", "about", "no about", "empty", "deep", "list", "file", "link", "folders"]
)
def test_a_damaged_entry_is_built_again(host: standins.Host, store: Store, damage: str) -> None:
    first = build(host, store).built
    assert first is not None and first.library is not None
    about = first.library.parent / "about.json"
    good = first.library.read_bytes()
    if damage == "library":
        first.library.write_bytes(good[:-1] + b"?")
    elif damage == "empty":
        first.library.write_bytes(b"")
    elif damage in ("about", "deep", "list"):
        about.write_text({"about": "{", "deep": "[" * 200_000, "list": "[1]"}[damage])
    elif damage in ("file", "link"):
        shutil.rmtree(about.parent)
        if damage == "file":
            about.parent.write_text("")
        else:
            about.parent.symlink_to("/nowhere")
    elif damage == "folders":
        about.unlink()
        about.mkdir()
    else:
        about.unlink()
    again = build(host, store).built
    assert again is not None and again.library is not None
    assert (again.hit, again.note) == (False, "what was kept is damaged, so it is built again")
    assert again.library.read_bytes() != good[:-1] + b"?" and again.library.stat().st_size > 0
    third = build(host, store).built
    assert third is not None and third.hit


def test_a_full_disk_loses_nothing(
    host: standins.Host, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: object, target: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    real = shutil.copyfile
    monkeypatch.setattr(
        "tl_ascend.toolchain.store.shutil.copyfile",
        lambda a, b: full(a, b) if ".new-" in str(b) else real(a, b),
    )
    built = build(host, store).built
    assert built is not None and built.library is not None and built.library.exists()
    full_store = f"{store.folder}: No space left on device"
    assert built.note == f"first build; not kept for next time: {full_store}"
    assert [p for p in store.folder.iterdir() if p.name.startswith(".new-")] == []
    monkeypatch.undo()
    again = build(host, store).built
    assert again is not None and not again.hit


def test_a_note_that_cannot_be_written_leaves_nothing(
    host: standins.Host, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: Path, text: str, encoding: str) -> None:
        path.touch()
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(Path, "write_text", full)
    store.note("a kernel", Key({"source": "x"}))
    assert list(store.folder.iterdir()) == [] and store.last("a kernel") == {}


def test_two_builds_of_one_kernel_at_once(host: standins.Host, store: Store) -> None:
    """One compiles; the others wait for it and have it."""
    found: list[driver.Result] = []
    threads = [threading.Thread(target=lambda: found.append(build(host, store))) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    libraries = {r.built.library for r in found if r.built is not None}
    assert len(found) == 3 and len(libraries) == 1
    (library,) = libraries
    assert library is not None and library.exists()
    assert sorted(r.built.hit for r in found if r.built is not None) == [False, True, True]
    assert calls(host) == 1
    assert [p.name for p in store.folder.iterdir() if p.name.startswith(".new-")] == []


def test_two_processes_build_one_kernel_at_once(host: standins.Host, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL, "utf-8")
    (host.tools / "wait").write_text("")
    line = [sys.executable, "-m", "tl_ascend.cli.main", "build", str(file), "--format", "json"]
    env = command_environment(host, tmp_path)
    both = [subprocess.Popen(line, env=env, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    standins.until((host.tools / "waiting").exists)
    (host.tools / "wait").unlink()
    hits = [json.loads(one.communicate()[0])["kernels"][0]["hit"] for one in both]
    assert sorted(hits) == [False, True] and calls(host) == 1


def test_who_waits_for_a_build_can_be_cancelled(host: standins.Host, store: Store) -> None:
    (host.tools / "wait").write_text("")
    first = threading.Thread(target=build, args=(host, store))
    first.start()
    standins.until((host.tools / "waiting").exists)
    looks = count()
    second = build(host, store, cancelled=lambda: next(looks) > 5).built
    assert second is not None and second.why == "bisheng: cancelled"
    third = build(host, store, cancelled=lambda: True).built
    assert third is not None and third.why == "cancelled"
    (host.tools / "wait").unlink()
    first.join()


def test_a_file_system_without_locks(
    host: standins.Host, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK))

    monkeypatch.setattr("tl_ascend.toolchain.store.fcntl.flock", refuse)
    built = build(host, store).built
    assert built is not None and built.library is not None


def test_a_store_that_can_only_be_read(
    host: standins.Host, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another host writes it: what is there is as good."""
    first = build(host, store).built

    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr("tl_ascend.toolchain.store.os.utime", refuse)
    monkeypatch.setattr("tl_ascend.toolchain.store.Path.mkdir", refuse)
    again = build(host, store).built
    assert first is not None and again is not None
    assert (again.hit, again.library) == (True, first.library)


def test_files_of_one_name_are_told_apart(host: standins.Host, store: Store) -> None:
    """What has changed since the last build is about this file, not one that has the same kernel."""
    build(host, store, path="one/kernel.py")
    other = build(host, store, KERNEL.replace("exp", "sqrt"), path="two/kernel.py").built
    assert other is not None and other.note == "first build"


def test_another_cann_is_another_program(host: standins.Host, store: Store) -> None:
    """Its headers count, and two releases may have a compiler that says the same of itself."""
    build(host, store)
    (info,) = host.folder.glob("**/ascend_toolkit_install.info")
    info.write_text(info.read_text().replace("8.3.RC1", "8.5.0"))
    newer = build(host, store).built
    assert newer is not None and newer.note == "changed since the last build: CANN"


def test_headers_behind_links_and_of_odd_names_count(
    host: standins.Host, store: Store, tmp_path: Path
) -> None:
    own, behind = tmp_path / "own", tmp_path / "behind"
    shutil.copytree(registry.backend("ascendc").include["device"], own)
    behind.mkdir()
    (own / "linked").symlink_to(behind)
    (behind / "loop").symlink_to(own)
    Path(os.fsdecode(os.fsencode(own) + b"/\xff.h")).write_text("")
    (behind / "more.h").write_text("1")
    assert build(host, store, headers=(own,)).built.hit is False  # type: ignore[union-attr]
    assert build(host, store, headers=(own,)).built.hit is True  # type: ignore[union-attr]
    (behind / "more.h").write_text("2")
    changed = build(host, store, headers=(own,)).built
    assert changed is not None and changed.note == "changed since the last build: headers"


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
