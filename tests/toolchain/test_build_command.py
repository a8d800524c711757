"""`tl-ascend build` as a user calls it."""

from __future__ import annotations

import ast
import json
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from tests.emit import support
from tests.toolchain import standins
from tests.toolchain.building import KERNEL, command, command_environment

from tl_ascend.backends import registry
from tl_ascend.toolchain.store import LIBRARY

pytestmark = pytest.mark.skipif(not support.GXX, reason="needs g++")


def test_headers_that_are_not_there(host: standins.Host, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL, "utf-8")
    done = command(host, tmp_path, str(file), "--headers", "/no where")
    assert done.returncode == 2 and "there is no folder /no where" in done.stderr


def test_what_is_not_about_a_line_is_told_as_well(host: standins.Host, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL, "utf-8")
    (host.tools / "link").write_text("")
    done = command(host, tmp_path, str(file))
    assert done.returncode == 1 and "ld.lld: error: undefined symbol: rtFoo" in done.stderr
    data = json.loads(command(host, tmp_path, str(file), "--format", "json").stdout)
    assert "undefined symbol: rtFoo" in data["kernels"][0]["output"]


def test_a_full_disk_where_copies_are_wanted(host: standins.Host, tmp_path: Path) -> None:
    file, kept = tmp_path / "kernel.py", tmp_path / "kept"
    file.write_text(KERNEL, "utf-8")
    kept.mkdir()
    (kept / "main_0.so").symlink_to("/dev/full")
    for _ in range(2):
        done = command(host, tmp_path, str(file), "--keep", str(kept))
        assert done.returncode == 0 and f"not copied to {kept}: No space left" in done.stdout
    assert "hit" in done.stdout


@pytest.mark.parametrize("place", ["afile", "afile/sub", "/dev/full/x", "loop", "/proc/x"])
def test_where_nothing_can_be_kept_nothing_is_built(
    host: standins.Host, tmp_path: Path, place: str
) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL, "utf-8")
    (tmp_path / "afile").write_text("mine")
    (tmp_path / "loop").symlink_to("loop")
    wanted = str(tmp_path / place)
    done = command(host, tmp_path, str(file), "--keep", wanted)
    assert done.returncode == 2 and f"--keep {wanted!r}: " in done.stderr
    assert not (host.tools / "calls").exists() and not (tmp_path / "cache").exists()
    assert (tmp_path / "afile").read_text() == "mine"


def test_the_source_is_kept_where_it_does_not_compile(host: standins.Host, tmp_path: Path) -> None:
    """And that is where messages say that it is, as they come, in the end, and in JSON."""
    file, kept = tmp_path / "kernel.py", tmp_path / "kept" / "here"
    file.write_text(KERNEL, "utf-8")
    (host.tools / "fail").write_text("AscendC::Exp")
    arguments = (str(file), "--keep", str(kept))
    failed = command(host, tmp_path, *arguments)
    source = kept / "main_0.cpp"
    row = next(
        n for n, line in enumerate(source.read_text().splitlines(), 1) if "AscendC::Exp" in line
    )
    assert failed.returncode == 1 and failed.stderr.count(f"{source}:{row}:5: error: ") == 2
    assert "tl-ascend-" not in failed.stderr
    (kernel,) = json.loads(command(host, tmp_path, *arguments, "--format", "json").stdout)[
        "kernels"
    ]
    assert kernel["messages"][0]["original"] == f"{source}:{row}:5"
    assert f"{source}:{row}:5: error: " in kernel["output"] and str(file) in str(kernel["messages"])
    assert not (kept / "main_0.so").exists()


def test_clearing_and_dry_runs_in_json(host: standins.Host, tmp_path: Path) -> None:
    """One object on the output, whatever is asked for; a dry run changes nothing."""
    file, store = tmp_path / "kernel.py", tmp_path / "cache/build"
    file.write_text(KERNEL, "utf-8")

    def told(*arguments: str) -> dict[str, Any]:
        done = command(host, tmp_path, *arguments, "--format", "json")
        assert (done.returncode, done.stderr) == (0, "")
        data = json.loads(done.stdout)
        assert data["version"] == 1
        return dict(data)

    first = told(str(file), "--clear-cache")
    assert first["cleared"] == {"folder": str(store), "bytes": 0}
    assert first["kernels"][0]["note"] == "first build"
    size = told("--clear-cache", "--dry-run")["cleared"]["bytes"]
    assert size > 0
    dry = told(str(file), "--clear-cache", "--dry-run", "--keep", str(tmp_path / "kept"))
    assert dry["cleared"]["bytes"] == size and not (tmp_path / "kept").exists()
    (kernel,) = dry["kernels"]
    assert kernel["name"] == "main" and kernel["command"][-2:] == ["-o", "main_0.so"]
    plain = command(host, tmp_path, "--clear-cache", "--dry-run")
    assert plain.stdout == f"would remove {size} bytes from {store}\n"
    assert told(str(file))["kernels"][0]["hit"]
    assert told("--clear-cache") == {
        "version": 1,
        "cleared": {"folder": str(store), "bytes": size},
    }
    assert not told(str(file))["kernels"][0]["hit"]
    none = command(host, tmp_path, f"{file}:nobody", "--clear-cache", "--format", "json")
    assert none.returncode == 2 and "nobody" in none.stderr
    assert json.loads(none.stdout)["cleared"]["bytes"] > 0


@pytest.mark.parametrize("place", ["/dev/null", "file", "loop"])
def test_a_cache_folder_that_is_none(host: standins.Host, tmp_path: Path, place: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "loop").symlink_to("loop")
    path = str(tmp_path / place)
    host.environment["TL_ASCEND_CACHE_DIR"] = path
    line = [sys.executable, "-m", "tl_ascend.cli.main", "build", "--clear-cache"]
    environment = command_environment(host, tmp_path) | {"TL_ASCEND_CACHE_DIR": path}
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: {path}: is no folder\n"


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
    file.write_text(f"def (\n{KERNEL}", "utf-8")
    unfit = command(host, tmp_path, str(file))
    assert unfit.returncode == 2 and f"{file}:1: the file cannot be read whole" in unfit.stderr
    file.write_text("def (\n", "utf-8")
    empty = command(host, tmp_path, str(file))
    assert empty.returncode == 2 and "no kernel was found in this file: line 1: " in empty.stderr
    folder = command(host, tmp_path, str(tmp_path))
    assert folder.stderr == f"error: {tmp_path}: not a regular file\n"
    assert command(host, tmp_path).returncode == 2
    assert command(host, tmp_path, str(tmp_path / "none.py")).returncode == 2


def test_the_end_of_a_long_output_is_told(host: standins.Host, tmp_path: Path) -> None:
    file = tmp_path / "kernel.py"
    file.write_text(KERNEL, "utf-8")
    script = host.folder / "bisheng.py"
    noise = 'sys.stderr.write("x" * 99 + "\\n")'
    text = script.read_text().replace(
        'sys.stderr.write("warning: " + "x" * 100_000 + "\\n")', noise
    )
    script.write_text(text.replace("range(1000)", "range(20_000)"))
    (host.tools / "noise").write_text("")
    (host.tools / "link").write_text("")
    told = command(host, tmp_path, str(file)).stderr
    assert "bytes are left out]\n" in told and "ld.lld: error: undefined symbol: rtFoo" in told


def test_a_killed_command_leaves_neither_compiler_nor_folder(
    host: standins.Host, tmp_path: Path
) -> None:
    file, pid, scratch = tmp_path / "kernel.py", host.tools / "pid", tmp_path / "scratch"
    file.write_text(KERNEL, "utf-8")
    scratch.mkdir()
    (host.tools / "hang").write_text("")
    environment = {**command_environment(host, tmp_path), "TMPDIR": str(scratch)}
    line = [sys.executable, "-m", "tl_ascend.cli.main", "build", str(file)]
    with subprocess.Popen(line, env=environment) as process:
        standins.until(lambda: pid.exists() and bool(pid.read_text()))
        assert list(scratch.iterdir())
        process.kill()
    standins.until(lambda: standins.ended(int(pid.read_text())))
    standins.until(lambda: not list(scratch.iterdir()))


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_an_interrupted_command_leaves_no_compiler(
    host: standins.Host, tmp_path: Path, number: signal.Signals
) -> None:
    file, pid = tmp_path / "kernel.py", host.tools / "pid"
    file.write_text(KERNEL, "utf-8")
    (host.tools / "hang").write_text("")
    environment = {**host.environment, "PYTHONPATH": os.pathsep.join(sys.path)}
    line = [sys.executable, "-m", "tl_ascend.cli.main", "build", str(file)]
    process = subprocess.Popen(
        line,
        env={**environment, "TL_ASCEND_CACHE_DIR": str(tmp_path)},
        preexec_fn=lambda: signal.signal(
            number, signal.SIG_DFL
        ),  # whoever runs the tests may ignore it
    )
    standins.until(lambda: pid.exists() and bool(pid.read_text()))
    process.send_signal(number)
    assert process.wait(60) == 130
    standins.until(lambda: standins.ended(int(pid.read_text())))


def test_who_interrupts_again_and_again_sees_no_traceback(
    host: standins.Host, tmp_path: Path
) -> None:
    file, pid = tmp_path / "kernel.py", host.tools / "pid"
    file.write_text(KERNEL, "utf-8")
    (host.tools / "hang").write_text("")
    process = subprocess.Popen(
        [sys.executable, "-m", "tl_ascend.cli.main", "build", str(file)],
        env=command_environment(host, tmp_path),
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
        stderr=subprocess.PIPE,
        text=True,
    )
    standins.until(lambda: pid.exists() and bool(pid.read_text()))
    while process.poll() is None:
        process.send_signal(signal.SIGINT)
    assert process.stderr is not None and process.stderr.read() == "main.0: compiling\n"
    assert process.returncode == 130
    standins.until(lambda: standins.ended(int(pid.read_text())))
