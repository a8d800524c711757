"""Building: command lines, the store, and everything that goes wrong between the two."""

from __future__ import annotations

import ast
import errno
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.emit import support
from tests.toolchain import standins

from tl_ascend.backends import registry
from tl_ascend.driver import build as driver
from tl_ascend.target.hardware import A3, A5
from tl_ascend.toolchain import bisheng, cann
from tl_ascend.toolchain.bisheng import Job
from tl_ascend.toolchain.place import Here
from tl_ascend.toolchain.store import LIBRARY, Key, Store

pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")
KERNEL = support.kernel(
    "a = T.alloc_ub((64, 64), 'float')\nT.copy(x, a)\nT.tile.exp(a, a)\nT.copy(a, x)"
)


@pytest.fixture
def host(tmp_path: Path) -> standins.Host:
    made = standins.Host(tmp_path)
    made.compiler()
    return made


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def build(
    host: standins.Host, store: Store, text: str = KERNEL, name: str = "kernel", **more: object
) -> driver.Result:
    """Build the only kernel of a text."""
    backend = registry.backend("ascendc")
    job = driver.job_for(backend, A3, cann.find(host.environment))
    assert isinstance(job, Job), job
    (kernel,) = support.report(f"{name}.py", text).kernels
    return driver.build_kernel(
        kernel, backend, job, name, store, lambda: Here(host.environment), **more
    )  # type: ignore[arg-type]


def calls(host: standins.Host) -> int:
    file = host.tools / "calls"
    return len(file.read_text().splitlines()) if file.exists() else 0


def test_first_a_miss_then_a_hit(host: standins.Host, store: Store) -> None:
    first = build(host, store).built
    assert first is not None and first.library is not None and first.library.exists()
    assert (first.hit, first.note) == (False, "first build")
    second = build(host, store).built
    assert second is not None and (second.hit, second.library) == (True, first.library)
    assert calls(host) == 1


def test_what_has_changed_is_said(host: standins.Host, store: Store) -> None:
    build(host, store)
    changed = build(host, store, KERNEL.replace("exp", "sqrt")).built
    assert changed is not None and changed.note == "changed since the last build: source"
    (host.tools / "version").write_text("2")
    newer = build(host, store, KERNEL.replace("exp", "sqrt")).built
    assert newer is not None and newer.note == "changed since the last build: compiler"


def test_messages_stand_at_the_kernel(host: standins.Host, store: Store) -> None:
    (host.tools / "fail").write_text("AscendC::Exp")
    result = build(host, store)
    assert result.built is not None and result.built.library is None
    assert result.built.why == "bisheng: exit status 1"
    error, note = result.placed
    (kernel,) = support.report("kernel.py", KERNEL).kernels
    row = 1 + KERNEL.splitlines().index(next(x for x in KERNEL.splitlines() if "exp" in x))
    report = support.report("kernel.py", KERNEL)
    where = report.range_of(error.span) if error.span is not None else None
    assert where is not None and where.start.row == row
    assert "no matching function" in error.message.text
    assert note.message.file == "common.h" and note.span == error.span
    assert kernel.name == "main"


def test_a_compiler_that_is_killed(host: standins.Host, store: Store) -> None:
    (host.tools / "kill").write_text("")
    built = build(host, store).built
    assert built is not None and built.why == "bisheng: ended by SIGKILL"
    (host.tools / "kill").unlink()
    again = build(host, store).built
    assert again is not None and again.library is not None and not again.hit


def test_a_compiler_that_prints_100_mb(host: standins.Host, store: Store) -> None:
    (host.tools / "noise").write_text("")
    built = build(host, store).built
    assert built is not None and built.library is not None
    assert len(built.output) <= 2 << 20


def test_a_build_that_is_cancelled(host: standins.Host, store: Store) -> None:
    built = build(host, store, cancelled=lambda: True).built
    assert built is not None and (built.library, built.why) == (None, "bisheng: cancelled")


@pytest.mark.parametrize("damage", ["library", "about", "no about", "empty"])
def test_a_damaged_entry_is_built_again(host: standins.Host, store: Store, damage: str) -> None:
    first = build(host, store).built
    assert first is not None and first.library is not None
    about = first.library.parent / "about.json"
    good = first.library.read_bytes()
    if damage == "library":
        first.library.write_bytes(good[:-1] + b"?")
    elif damage == "empty":
        first.library.write_bytes(b"")
    elif damage == "about":
        about.write_text("{")
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
    assert built.note == "first build; not kept for next time: No space left on device"
    assert [p for p in store.folder.iterdir() if p.name.startswith(".new-")] == []
    monkeypatch.undo()
    again = build(host, store).built
    assert again is not None and not again.hit


def test_two_builds_of_one_kernel_at_once(host: standins.Host, store: Store) -> None:
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
    assert [p.name for p in store.folder.iterdir() if p.name.startswith(".new-")] == []


def test_the_store_stays_within_its_size(tmp_path: Path) -> None:
    store = Store(tmp_path / "store", max_bytes=2500)
    library = tmp_path / "lib.so"
    library.write_bytes(b"x" * 1000)
    keys = [Key({"source": str(at)}) for at in range(4)]
    for at, key in enumerate(keys):
        place = store.keep(key, library)
        os.utime(place.parent, (at, at))
    kept = [store.find(key)[0] is not None for key in keys]
    assert kept[0] is False and kept[-1] is True
    assert store.clear() > 0 and store.find(keys[-1]) == (None, "")


@pytest.mark.parametrize("name", ["a b", "a+b", "a#b", "ä", "a'b", "-o"])
def test_odd_paths(host: standins.Host, tmp_path: Path, name: str) -> None:
    folder = tmp_path / name
    built = build(host, Store(folder / "store"), keep=folder / "kept").built
    assert built is not None and built.library is not None and built.library.exists()
    assert (folder / "kept/kernel.cpp").exists() and (folder / "kept/kernel.so").exists()


def test_flags_of_the_routes(tmp_path: Path) -> None:
    root = tmp_path / "cann"
    plain = bisheng.flags(Job("ascendc", "2201", root / "bisheng", root, (tmp_path / "own",)))
    assert plain[:4] == ("--npu-arch=dav-2201", "-O2", "-std=c++17", "-xasc")
    assert f"-I{tmp_path / 'own'}" in plain and f"-L{root / 'lib64'}" in plain
    assert plain.index(f"-I{tmp_path / 'own'}") < plain.index(f"-I{root / 'include'}")
    pto = bisheng.flags(Job("pto", "3510", root / "bisheng", root, ()))
    assert {"--cce-aicore-arch=dav-c310", "-DREGISTER_BASE", "-xcce", "-lstdc++"} <= set(pto)
    older = bisheng.flags(Job("pto", "2201", root / "bisheng", root, ()))
    assert {"--cce-aicore-arch=dav-c220", "-DMEMORY_BASE"} <= set(older)
    simulated = bisheng.flags(Job("ascendc", "2201", root / "b", root, (), tmp_path / "sim"))
    assert "-lruntime_camodel" in simulated and "-lruntime" not in simulated
    assert simulated.index(f"-L{tmp_path / 'sim'}") < simulated.index(f"-L{root / 'lib64'}")


def test_what_is_missing_is_said(host: standins.Host) -> None:
    backend = registry.backend("ascendc")
    nothing = driver.job_for(backend, A3, cann.find({"HOME": "/nowhere", "PATH": ""}))
    assert isinstance(nothing, str) and "CANN is not found" in nothing and "doctor" in nothing
    found = cann.find(host.environment)
    simulator = driver.job_for(backend, A5, found, simulator=True)
    assert isinstance(simulator, str) and "no simulator library for A5" in simulator


def test_messages_are_read() -> None:
    text = "k.cpp:3:7: error: one: two\n  code\n  ^\nh.h:9: note: three\nld: error: four\n"
    first, second = bisheng.messages(text)
    assert (first.file, first.row, first.column, first.text) == ("k.cpp", 3, 7, "one: two")
    assert (second.file, second.row, second.level) == ("h.h", 9, "note")


def command(host: standins.Host, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **host.environment,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TL_ASCEND_CACHE_DIR": str(folder / "cache"),
    }
    return subprocess.run(
        [sys.executable, "-m", "tl_ascend.cli.main", "build", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_command(host: standins.Host, tmp_path: Path) -> None:
    file = tmp_path / "my kernel.py"
    file.write_text(KERNEL, "utf-8")
    done = command(host, tmp_path, str(file), "--format", "json", "--keep", str(tmp_path / "kept"))
    assert (done.returncode, done.stderr) == (0, "")
    (kernel,) = json.loads(done.stdout)["kernels"]
    assert Path(kernel["library"]).name == LIBRARY and kernel["note"] == "first build"
    arguments = ast.literal_eval((host.tools / "calls").read_text().splitlines()[0])
    assert "--npu-arch=dav-2201" in arguments
    again = command(host, tmp_path, str(file))
    assert again.returncode == 0 and "(hit: built before)" in again.stdout
    dry = command(host, tmp_path, str(file), "--dry-run")
    assert dry.returncode == 0 and "main_0.cpp -o main_0.so" in dry.stdout
    cleared = command(host, tmp_path, "--clear-cache")
    assert cleared.returncode == 0 and "removed" in cleared.stdout
    (host.tools / "fail").write_text("AscendC::Exp")
    row = 1 + next(n for n, line in enumerate(KERNEL.splitlines()) if "exp" in line)
    failed = command(host, tmp_path, str(file))
    assert failed.returncode == 1
    assert f"{file}:{row}:9: error: no matching function" in failed.stderr
    assert "bisheng: exit status 1" in failed.stderr
    assert command(host, tmp_path).returncode == 2
    assert command(host, tmp_path, str(tmp_path / "none.py")).returncode == 2


def test_an_interrupted_command_leaves_no_compiler(host: standins.Host, tmp_path: Path) -> None:
    file, pid = tmp_path / "kernel.py", host.tools / "pid"
    file.write_text(KERNEL, "utf-8")
    (host.tools / "hang").write_text("")
    environment = {**host.environment, "PYTHONPATH": os.pathsep.join(sys.path)}
    line = [sys.executable, "-m", "tl_ascend.cli.main", "build", str(file)]
    process = subprocess.Popen(line, env={**environment, "TL_ASCEND_CACHE_DIR": str(tmp_path)})
    standins.until(lambda: pid.exists() and bool(pid.read_text()))
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 130
    standins.until(lambda: standins.ended(int(pid.read_text())))
