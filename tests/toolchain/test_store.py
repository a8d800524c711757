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
