"""Building: command lines, the store, and everything that goes wrong between the two."""

from __future__ import annotations

import ast
import errno
import json
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

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
    """Its compiler only checks its arguments, but for tests that want more."""
    made = standins.Host(tmp_path)
    made.compiler()
    (made.tools / "quick").write_text("")
    return made


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(tmp_path / "store")


def build(
    host: standins.Host,
    store: Store,
    text: str = KERNEL,
    name: str = "kernel",
    headers: tuple[Path, ...] = (),
    **more: Any,
) -> driver.Result:
    """Build the only kernel of a text."""
    backend = registry.backend("ascendc")
    options = driver.Options(headers)
    job = driver.job_for(backend, A3, cann.find(host.environment), options)
    assert isinstance(job, Job), job
    (kernel,) = support.report(f"{name}.py", text).kernels
    wanted = driver.Wanted(backend, job, name, **{"path": f"{name}.py", **more})
    return driver.build_kernel(kernel, wanted, store, lambda: Here(host.environment))


def calls(host: standins.Host) -> int:
    file = host.tools / "calls"
    return len(file.read_text().splitlines()) if file.exists() else 0


def test_first_a_miss_then_a_hit(host: standins.Host, store: Store) -> None:
    (host.tools / "quick").unlink()
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


def test_what_comes_after_100_mb_is_told(host: standins.Host, store: Store) -> None:
    (host.tools / "noise").write_text("")
    (host.tools / "fail").write_text("AscendC::Exp")
    heard: list[str] = []
    result = build(host, store, heard=heard.append)
    assert result.built is not None and "bytes are left out" in result.built.output
    assert [p.message.level for p in result.placed] == ["error", "note"]
    assert sum(map(len, heard)) < 1 << 20


def test_a_compiler_that_prints_100_mb(host: standins.Host, store: Store) -> None:
    (host.tools / "noise").write_text("")
    built = build(host, store).built
    assert built is not None and built.library is not None
    assert len(built.output) <= 2 << 20


def test_a_build_that_is_cancelled(host: standins.Host, store: Store) -> None:
    built = build(host, store, cancelled=lambda: True).built
    assert built is not None and (built.library, built.why) == (None, "bisheng: cancelled")


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
    assert built.note == "first build; not kept for next time: No space left on device"
    assert [p for p in store.folder.iterdir() if p.name.startswith(".new-")] == []
    monkeypatch.undo()
    again = build(host, store).built
    assert again is not None and not again.hit


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
    second = build(host, store, cancelled=lambda: True).built
    assert second is not None and second.why == "bisheng: cancelled"
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


def test_a_store_that_is_no_folder(host: standins.Host, tmp_path: Path) -> None:
    (tmp_path / "store").write_text("")
    built = build(host, Store(tmp_path / "store")).built
    assert built is not None and built.library is not None and built.library.exists()
    assert "first build; not kept for next time: " in built.note


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


def test_headers_that_are_not_there(host: standins.Host, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL, "utf-8")
    done = command(host, tmp_path, str(file), "--headers", "/no where")
    assert done.returncode == 2 and "there is no folder /no where" in done.stderr


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
    assert "-I/usr/local/Ascend/driver/kernel/inc" in older and "-D_DEBUG" not in older
    printing = bisheng.flags(Job("pto", "2201", root / "bisheng", root, (), debug=True))
    assert {"-D_DEBUG", "--cce-enable-print"} <= set(printing)
    simulated = bisheng.flags(Job("ascendc", "2201", root / "b", root, (), tmp_path / "sim"))
    assert "-lruntime_camodel" in simulated and "-lruntime" not in simulated
    assert simulated.index(f"-L{tmp_path / 'sim'}") < simulated.index(f"-L{root / 'lib64'}")


def test_what_is_missing_is_said(host: standins.Host) -> None:
    backend = registry.backend("ascendc")
    nothing = driver.job_for(backend, A3, cann.find({"HOME": "/nowhere", "PATH": ""}))
    assert isinstance(nothing, str) and "CANN is not found" in nothing and "doctor" in nothing
    found = cann.find(host.environment)
    simulator = driver.job_for(backend, A5, found, driver.Options(simulator=True))
    assert isinstance(simulator, str) and "no simulator library for A5" in simulator


def test_messages_are_read() -> None:
    text = "k.cpp:3:7: error: one: two\n  code\n  ^\nh.h:9: note: three\nld: error: four\n"
    first, second = bisheng.messages(text)
    assert (first.file, first.row, first.column, first.text) == ("k.cpp", 3, 7, "one: two")
    assert (second.file, second.row, second.level) == ("h.h", 9, "note")


def command_environment(host: standins.Host, folder: Path) -> dict[str, str]:
    return {
        **host.environment,
        "PYTHONPATH": os.pathsep.join(sys.path),
        "TL_ASCEND_CACHE_DIR": str(folder / "cache"),
    }


def command(host: standins.Host, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "tl_ascend.cli.main", "build", *arguments],
        env=command_environment(host, folder),
        capture_output=True,
        text=True,
        check=False,
    )


def test_what_is_not_about_a_line_is_told_as_well(host: standins.Host, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL, "utf-8")
    (host.tools / "link").write_text("")
    done = command(host, tmp_path, str(file))
    assert done.returncode == 1 and "ld.lld: error: undefined symbol: rtFoo" in done.stderr
    data = json.loads(command(host, tmp_path, str(file), "--format", "json").stdout)
    assert "undefined symbol: rtFoo" in data["kernels"][0]["output"]


def test_a_full_disk_where_copies_are_wanted(host: standins.Host, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL, "utf-8")
    for _ in range(2):
        done = command(host, tmp_path, str(file), "--keep", "/dev/full/x")
        assert done.returncode == 0 and "not copied to /dev/full/x: Not a directory" in done.stdout
    assert "hit" in done.stdout


def test_files_that_may_not_grow(host: standins.Host, tmp_path: Path) -> None:
    """A real limit: what is written beyond it fails or kills."""
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL, "utf-8")
    limited = f"ulimit -f 1; exec {sys.executable} -m tl_ascend.cli.main build '{file}'"
    env = command_environment(host, tmp_path)
    done = subprocess.run(
        ["/bin/sh", "-c", limited], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 1 and "main.0: " in done.stderr and "Traceback" not in done.stderr
    again = command(host, tmp_path, str(file))
    assert again.returncode == 0 and "(miss: first build)" in again.stdout


def test_output_comes_while_the_compiler_runs(host: standins.Host, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL, "utf-8")
    script = host.folder / "bisheng.py"
    waiting = '(here / "waiting").write_text("")'
    text = script.read_text().replace(waiting, f'{waiting}; print("at work", flush=True)')
    script.write_text(text)
    (host.tools / "wait").write_text("")
    line = [sys.executable, "-m", "tl_ascend.cli.main", "build", str(file)]
    env = command_environment(host, tmp_path)
    process = subprocess.Popen(line, env=env, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert [process.stderr.readline() for _ in range(2)] == ["main.0: compiling\n", "at work\n"]
    (host.tools / "wait").unlink()
    process.communicate()
    assert process.returncode == 0


def test_the_route_is_that_of_the_jit(host: standins.Host, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    text = f"import tilelang\n{KERNEL}"
    body = "\n".join(f"    {line}" for line in text.split("@T.prim_func")[1].splitlines())
    head = text.split("@T.prim_func")[0]
    jit = '@tilelang.jit(target="pto")\ndef made():\n    @T.prim_func'
    file.write_text(f"{head}\n{jit}{body}\n    return main\n\nmade()\n", "utf-8")
    assert "--cce-aicore-arch" in command(host, tmp_path, str(file), "--dry-run").stdout
    other = command(host, tmp_path, str(file), "--dry-run", "--target", "ascendc")
    assert "--npu-arch" in other.stdout
    assert command(host, tmp_path, str(file), "--target", "no").returncode == 2


def test_upstream_s_headers(host: standins.Host, tmp_path: Path) -> None:
    file, root = tmp_path / "kernel.py", tmp_path / "up stream/tilelang"
    file.write_text(KERNEL, "utf-8")
    for part in ("src", "3rdparty/catlass/include", "3rdparty/pto-isa/include"):
        (root / part).mkdir(parents=True)
    (root / "__init__.py").write_text("")
    arguments = (str(file), "--dry-run", "--headers", "upstream")
    assert "upstream's headers are not found" in command(host, tmp_path, *arguments).stderr
    host.environment["TL_ROOT"] = str(root)
    for more in ({"TL_ROOT": str(root)}, {"TL_ROOT": ""}):
        host.environment |= more
        python = host.tool("up", f"PYTHONPATH='{root.parent}' exec {sys.executable} -S \"$@\"")
        with_python = (*arguments, "--python", str(python))
        line = shlex.split(command(host, tmp_path, *with_python).stdout)
        folders = [part[2:] for part in line if part.startswith("-I")]
        assert folders[:2] == [str(root / "src"), str(root / "3rdparty/catlass/include")]
        pto = shlex.split(
            command(host, tmp_path, *with_python[:2], "--target", "pto", *with_python[-2:]).stdout
        )
        assert f"-I{root / '3rdparty/pto-isa/include'}" in pto
        assert f"-I{registry.backend('pto').include['device']}" in pto


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
