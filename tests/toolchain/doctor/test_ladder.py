"""Every state on the way to a device has its own message and next step, and none breaks the doctor."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.emit import support
from tests.toolchain import standins
from tests.toolchain.doctor.looks import look, table

from tl_ascend.toolchain import cann, child, devices, doctor, interpreter
from tl_ascend.toolchain.doctor import State


def test_no_interpreter(host: standins.Host) -> None:
    (host.tools / "python3").unlink()
    found = table(host)
    assert found["Python"].state is State.MISSING and "--python" in found["Python"].step
    assert found["torch"].state is State.SKIPPED


def test_an_interpreter_that_does_not_start(host: standins.Host) -> None:
    found = table(host, "/nowhere/python")
    assert found["Python"].state is State.WRONG and "does not start" in found["Python"].found
    silent = table(host, "/bin/true")["Python"]
    assert silent.state is State.WRONG and "it is no Python" in silent.found


def test_no_torch(host: standins.Host) -> None:
    found = table(host)
    assert found["Python"].state is State.OK
    assert (found["torch"].state, found["torch"].found) == (State.MISSING, "not installed")
    assert found["torch_npu"].state is State.SKIPPED


def test_torch_alone(host: standins.Host) -> None:
    host.torch("2.8.0")
    found = table(host)
    assert (found["torch"].state, found["torch"].found) == (State.OK, "2.8.0")
    assert found["torch_npu"].state is State.MISSING
    assert "torch_npu==2.8.0" in found["torch_npu"].step


def test_packages_without_metadata(host: standins.Host) -> None:
    host.torch("2.8.0")
    host.torch_npu("2.7.1")
    for info in host.packages.glob("*.dist-info"):
        shutil.rmtree(info)
    found = table(host)["versions"]
    assert found.state is State.WRONG and "torch_npu 2.7.1 needs torch 2.7.1" in found.found


@pytest.mark.parametrize("name", ["torch", "torch_npu"])
@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("import os\nos.kill(os.getpid(), 11)\n", "ended by SIGSEGV"),
        ("import os\nos._exit(0)\n", "exit status 0"),
    ],
)
def test_an_import_that_crashes_is_no_hang(
    host: standins.Host, name: str, text: str, how: str
) -> None:
    host.torch()
    host.torch_npu()
    (host.packages / name / "__init__.py").write_text(text)
    found = table(host)[name]
    assert found.state is State.WRONG
    assert f"the import ends the interpreter: {how}" in found.found


def test_what_lies_in_the_folder_is_not_imported(
    host: standins.Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    work = tmp_path / "work"
    work.mkdir()
    (work / "json.py").write_text("raise SystemExit(3)")
    (work / "torch.py").write_text("")
    monkeypatch.chdir(work)
    found = table(host)
    assert found["Python"].state is State.OK and found["torch"].found == "not installed"


def test_paths_are_those_of_the_folder(
    host: standins.Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = host.cann()
    monkeypatch.chdir(tmp_path)
    host.environment["ASCEND_HOME_PATH"] = os.path.relpath(root)
    host.environment["PATH"] = "tools"
    found = look(host, "tools/python3")
    assert found.python.text("python") and found.cann.root == root
    assert found.compiler is not None and found.compiler.ok
    assert look(host).python.text("python")


@pytest.mark.parametrize(
    ("error", "step"),
    [
        ("/v/torch_npu/lib/libtorch_npu.so: undefined symbol: _ZN3c10", "Reinstall torch_npu"),
        ("/lib/libc.so.6: version `GLIBC_2.34' not found (by /v/_C.so)", "a newer system"),
        ("libhccl.so: cannot open shared object file: No such file", "come with CANN"),
        ("/v/_C.so: undefined symbol: aclrtFoo", "another one. Install the torch_npu"),
        ("/v/torch_npu/lib/libtorch_npu.so: undefined symbol: HcclFoo", "goes with this CANN"),
        ("/opt/libascendcl.so: undefined symbol: rtFoo", "goes with this CANN"),
        ("libascendcl.so: file too short", "file of CANN is damaged"),
        ("/a/lib64/libhccl.so: wrong ELF class: ELFCLASS32", "file of CANN is damaged"),
        ("/a/libge_runner.so: invalid ELF header", "reinstall CANN for this one"),
        ("/v/torch_npu/lib/libtorch_npu.so: file too short", "Reinstall torch_npu"),
        ("libgomp.so.1: cannot open shared object file: No such file", "of the system"),
        ("libgomp-d22c30c5.so.1: cannot open shared object file: No such file", "of the system"),
        ("libascend_hal.so: cannot open shared object file: No such file", "the NPU driver's"),
        ("/usr/local/Ascend/driver/lib64/libx.so: file too short", "the NPU driver's"),
        ("libstdc++.so.6: cannot open shared object file: No such file", "of the system"),
        ("libpython3.11.so.1.0: cannot open shared object file: No such", "Python's own"),
        ("libc10.so: cannot open shared object file: No such file", "reinstall torch,"),
        ("libtorch_cpu.so: cannot open shared object file: No such file", "reinstall torch,"),
        ("libcann_new.so: cannot open shared object file: No such file", "come with CANN"),
        ("/lib/libstdc++.so.6: version `CXXABI_1.3.15' not found (by x)", "a newer system"),
        ("/lib/libstdc++.so.6: version `GLIBCXX_3.4.32' not found (by x)", "a newer system"),
        ("No module named 'yaml'", "pip install pyyaml"),
        ("No module named 'decorator'", "pip install decorator"),
        ("No module named 'torch_npu._C'", "Reinstall torch_npu"),
        ("No module named 'tbe'", "come with CANN"),
    ],
)
def test_a_library_that_does_not_load(host: standins.Host, error: str, step: str) -> None:
    host.torch()
    host.package("torch_npu", "2.8.0", f"raise ImportError({error!r})")
    row = table(host)["torch_npu"]
    assert row.state is State.WRONG and step in row.step


def test_ready(host: standins.Host) -> None:
    host.torch()
    host.torch_npu()
    host.cann()
    host.npu_smi()
    machine = look(host)
    found = {row.name: row for row in doctor.rows(machine)}
    bad = [row for row in found.values() if row.state in (State.MISSING, State.WRONG)]
    assert bad == []
    assert machine.platform == "A2" and "Ascend910B3" in found["devices"].found
    assert found["npu-smi"].found == "driver 24.1.rc2"
    assert doctor.can_build(machine) and doctor.can_run(machine)


def test_no_state_breaks_the_checker(host: standins.Host, tmp_path: Path) -> None:
    """Neither packages that cannot be imported nor CANN that is half there."""
    host.package("torch", "2.8.0", "raise RuntimeError('Failed to load the backend extension')")
    host.package("torch_npu", "2.8.0", standins.NO_LIBRARIES)
    host.package("tilelang", "0.1.15", "raise ImportError")
    host.cann(bisheng=False)
    host.npu_smi("")
    file = tmp_path / "kernel.py"
    body = "a = T.alloc_ub((64, 64), 'float')\nT.copy(x, a)\nT.tile.exp(a, a)\nT.copy(a, x)"
    file.write_text(f"import torch, torch_npu\n{support.kernel(body)}", "utf-8")
    paths = [str(host.packages), *sys.path]
    environment = {**host.environment, "PYTHONPATH": os.pathsep.join(paths)}
    command = [
        sys.executable,
        "-c",
        "from tl_ascend.cli.check import main; raise SystemExit(main())",
    ]
    done = subprocess.run(
        [*command, str(file)], env=environment, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "") and "1 kernel" in done.stdout


@pytest.mark.parametrize(
    ("text", "why"),
    [("import os; os._exit(7)", "exit status 7"), ("import os; os.abort()", "ended by SIGABRT")],
)
def test_an_import_that_ends_the_process(host: standins.Host, text: str, why: str) -> None:
    host.torch()
    host.package("torch_npu", "2.8.0", text)
    found = table(host)
    assert found["torch"].state is State.OK
    assert found["torch_npu"].state is State.WRONG
    assert f"{why} while importing torch_npu" in found["torch_npu"].found


def test_an_import_that_never_ends() -> None:
    assert child.run(["sh", "-c", "sleep 1000 & sleep 1000"], 0.2).why == "no answer within 0.2 s"
    said = {"python": "3.11", "has_torch": True, "has_torch_npu": True, "torch_imported": "2.8.0"}
    asked = interpreter.Interpreter(
        "python3", said, "no answer within 60 s while importing torch_npu"
    )
    machine = doctor.Machine(asked, cann.find({}), None, devices.Devices((), ""), "A3")
    found = {row.name: row for row in doctor.rows(machine)}
    assert found["torch"].state is State.OK
    assert found["torch_npu"].state is State.WRONG and "does not end" in found["torch_npu"].found


def test_output_of_packages_is_not_taken_for_an_answer(host: standins.Host) -> None:
    host.package("torch", "2.8.0", "print('x' * 3000000)\nprint('{\"python\": \"1.5\"}')")
    found = table(host)
    assert found["Python"].found.startswith(sys.version.split()[0])
    assert found["torch"].found == "2.8.0"


def test_the_command(host: standins.Host) -> None:
    host.torch()
    environment = {**host.environment, "PYTHONPATH": os.pathsep.join([*sys.path])}
    command = [sys.executable, "-m", "tl_ascend.cli.main", "doctor", "--format", "json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr == ""
    answer = json.loads(done.stdout)
    assert (answer["can_build"], answer["can_run"]) == (False, False)
    assert [row["name"] for row in answer["rows"]][:3] == ["Python", "torch", "torch_npu"]
