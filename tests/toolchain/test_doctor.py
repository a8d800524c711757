"""Every state on the way to a device has its own message and next step, and none breaks the doctor."""

from __future__ import annotations

import dataclasses
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.emit import support
from tests.toolchain import standins

from tl_ascend.driver import site
from tl_ascend.toolchain import cann, child, devices, doctor, interpreter, pairing
from tl_ascend.toolchain.doctor import State


@pytest.fixture
def host(tmp_path: Path) -> standins.Host:
    return standins.Host(tmp_path)


def look(host: standins.Host, python: str = "") -> doctor.Machine:
    place = site.here(host.environment, python)
    with place.place() as work:
        return doctor.look(work, place.cann, place.environment, place.python)


def table(host: standins.Host, python: str = "") -> dict[str, doctor.Row]:
    return {row.name: row for row in doctor.rows(look(host, python))}


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


def test_libraries_of_cann_are_not_found(host: standins.Host) -> None:
    host.torch()
    host.package("torch_npu", "2.8.0", standins.NO_LIBRARIES)
    found = table(host)
    assert found["torch"].state is State.OK  # its autoload was off
    assert found["torch_npu"].state is State.WRONG and "libhccl.so" in found["torch_npu"].found
    assert "install it and source" in found["torch_npu"].step


def test_cann_is_there_but_not_active(host: standins.Host) -> None:
    """Its script is sourced for whatever tl-ascend starts, and named for everything else."""
    host.torch()
    host.torch_npu(before=standins.NEEDS_LIBRARIES)
    root = host.cann(active=False)
    found = table(host)
    script = str(root.parent / "set_env.sh")
    assert found["CANN"].state is State.OK and found["CANN"].step.endswith(f"source {script}")
    assert found["torch_npu"].state is State.OK and found["devices"].state is State.OK


@pytest.mark.parametrize(
    ("script", "why"),
    [
        ("exit 3", "it ends the shell with status 3"),
        ("kill -9 $$", "it ends the shell with status -9"),
        ("", "it does not set ASCEND_HOME_PATH to a folder"),
        ("export ASCEND_HOME_PATH=/nowhere", "it does not set ASCEND_HOME_PATH to a folder"),
        ("(((", "it"),
    ],
)
def test_a_wrong_set_env(host: standins.Host, script: str, why: str) -> None:
    host.torch()
    host.torch_npu(before=standins.NEEDS_LIBRARIES)
    root = host.cann(active=False)
    (root.parent / "set_env.sh").write_text(script)
    found = table(host)
    assert found["CANN"].state is State.WRONG and why in found["CANN"].found
    assert found["torch_npu"].state is State.WRONG and "see CANN" in found["torch_npu"].step
    assert found["bisheng"].state is State.OK


def test_a_set_env_that_prints_and_has_odd_values(host: standins.Host) -> None:
    root = host.cann(active=False)
    script = root.parent / "set_env.sh"
    text = "\nyes | head -c 200000; export ODD=$'a\\nb=c'; export BYTES=$'\\xff'\n"
    script.write_text(script.read_text() + text)
    environment, found = cann.active(host.environment)
    assert (environment["ODD"], environment["BYTES"]) == ("a\nb=c", "\udcff")
    assert (found.root, found.problem, found.by_environment) == (root, "", False)


def test_an_environment_that_is_half_set(host: standins.Host) -> None:
    """Somebody has set the variable by hand, not the path of the libraries."""
    host.torch()
    host.torch_npu(before=standins.NEEDS_LIBRARIES)
    root = host.cann()
    step = table(host)["torch_npu"].step
    assert "The environment names" in step and str(root.parent / "set_env.sh") in step


def test_an_environment_without_its_script(host: standins.Host) -> None:
    """The next step does not send to a row that is well."""
    host.torch()
    host.torch_npu(before=standins.NEEDS_LIBRARIES)
    root = host.cann()
    (root.parent / "set_env.sh").unlink()
    found = table(host)
    assert found["CANN"].state is State.OK and found["torch_npu"].state is State.WRONG
    step = found["torch_npu"].step
    assert str(root) in step and "LD_LIBRARY_PATH" in step and "see CANN" not in step


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


@pytest.mark.parametrize("value", ["/nowhere", "x" * 5000, "/dev/null", "\N{SNOWMAN}"])
def test_a_variable_that_names_no_folder(host: standins.Host, value: str) -> None:
    root = host.cann(active=False)
    host.environment["ASCEND_HOME_PATH"] = value
    found = table(host)["CANN"]
    assert f"{root}; $ASCEND_HOME_PATH = {value[:200]}, which is no folder" in found.found


@pytest.mark.parametrize("value", ["foo", "a2", ""])
def test_the_platform_of_the_environment(host: standins.Host, value: str) -> None:
    """As everywhere: in any case of letters, and not at all where it is none."""
    host.environment["TL_PLATFORM"] = value
    assert look(host).platform == ("A2" if value == "a2" else "A3")
    assert table(host)["simulator"].state is State.NONE


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


def test_two_accelerators(host: standins.Host) -> None:
    host.torch()
    host.package("torch_npu", "2.8.0", standins.TWO_ACCELERATORS)
    found = table(host)
    assert found["torch_npu"].state is State.WRONG and "no CUDA" in found["torch_npu"].step


def test_no_device(host: standins.Host) -> None:
    host.torch()
    host.torch_npu(count=0)
    host.cann()
    found = table(host)
    assert found["torch_npu"].state is State.OK
    assert (found["devices"].state, found["devices"].found) == (State.MISSING, "no NPU")


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


def test_where_nothing_can_look_for_devices(host: standins.Host) -> None:
    host.torch()
    host.package("torch_npu", "2.8.0", standins.NO_LIBRARIES)
    assert table(host)["devices"].state is State.SKIPPED


def test_a_pair_that_is_not_in_the_table(host: standins.Host) -> None:
    host.package("torch", "2.14.0", "")
    host.package("torch_npu", "2.14.0", "")
    host.cann()
    row = table(host)["versions"]
    assert row.state is State.OK and "not in the published table" in row.found


CALLS = ("is_available", "device_count", "get_device_properties")


def with_call(host: standins.Host, name: str, does: str) -> None:
    """A torch_npu of which one function does something else."""
    host.torch()
    host.torch_npu()
    file = host.packages / "torch_npu/__init__.py"
    lines = file.read_text("utf-8").splitlines()
    at = next(n for n, line in enumerate(lines) if line.startswith(f"    {name} ="))
    lines[at] = f"    {name} = staticmethod(lambda *_: {does})"
    file.write_text("\n".join(lines), "utf-8")


@pytest.mark.parametrize("listed", [True, False])
@pytest.mark.parametrize("name", CALLS)
def test_torch_npu_that_crashes_or_hangs_when_it_is_asked(
    host: standins.Host, name: str, listed: bool
) -> None:
    with_call(host, name, "__import__('os').kill(__import__('os').getpid(), 11)")
    if listed:
        host.npu_smi()
    machine = look(host)
    why = f"ended by SIGSEGV while calling torch.npu.{name}"
    assert doctor.rows(machine)[7].found == f"torch.npu ends the interpreter: {why}"
    late = f"no answer within 60 s while calling torch.npu.{name}"
    asked = dataclasses.replace(machine.python, why=late)
    for each in (machine, dataclasses.replace(machine, python=asked)):
        row = {row.name: row for row in doctor.rows(each)}["devices"]
        assert row.state is State.WRONG and each.python.why in row.found
        assert "container" not in row.step and "npu-smi info" in row.step
        assert not doctor.can_run(each)


@pytest.mark.parametrize("name", CALLS)
def test_torch_npu_that_raises_when_it_is_asked(host: standins.Host, name: str) -> None:
    with_call(host, name, "[][0]")
    machine = look(host)
    row = {row.name: row for row in doctor.rows(machine)}["devices"]
    assert row.state is State.WRONG and row.found.startswith("IndexError")
    assert not doctor.can_run(machine)


def test_devices_that_are_counted_and_not_available(host: standins.Host) -> None:
    with_call(host, "is_available", "False")
    host.npu_smi()
    machine = look(host)
    row = {row.name: row for row in doctor.rows(machine)}["devices"]
    assert row.state is State.WRONG and "counts 2 and says that none is available" in row.found
    assert not doctor.can_run(machine)


def test_what_comes_after_the_devices_costs_them_nothing(host: standins.Host) -> None:
    """The version of CANN is asked for last."""
    host.torch()
    host.torch_npu()
    utilities = host.packages / "torch_npu/npu"
    utilities.mkdir()
    (utilities / "__init__.py").write_text("")
    (utilities / "utils.py").write_text("import os; os.abort()")
    machine = look(host)
    assert "while calling get_cann_version" in machine.python.why
    assert doctor.can_run(machine) and table(host)["devices"].state is State.OK


def test_what_can_be_done_without_a_device(host: standins.Host) -> None:
    """The simulator is offered only where it is, with a compiler."""
    assert table(host)["devices"].step == ""
    host.torch()
    host.torch_npu(count=0)
    assert table(host)["devices"].step == "Run on another host (--remote)."
    root = host.cann()
    assert table(host)["devices"].step == "Build here and run on another host (--remote)."
    host.simulator(root)
    assert "--camodel" in table(host)["devices"].step
    (root / "bin/bisheng").unlink()
    assert table(host)["devices"].step == "Run on another host (--remote)."


def test_devices_that_a_container_does_not_have(host: standins.Host) -> None:
    host.torch()
    host.torch_npu(count=0)
    host.npu_smi()
    found = table(host)
    assert found["devices"].state is State.WRONG and "/dev/davinci" in found["devices"].step


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


def test_versions_that_do_not_belong_together(host: standins.Host) -> None:
    host.torch("2.7.1")
    host.torch_npu("2.8.0")
    host.cann("8.3.RC1")
    assert "needs torch 2.8.0" in table(host)["versions"].found


def test_cann_of_another_release(host: standins.Host) -> None:
    host.torch("2.8.0")
    host.torch_npu("2.8.0")
    host.cann("8.1.RC1")
    found = table(host)["versions"]
    assert found.state is State.WRONG and "CANN 8.1.RC1 goes with torch_npu 2.5.1" in found.found


def test_cann_without_a_compiler(host: standins.Host) -> None:
    host.cann(bisheng=False)
    found = table(host)["bisheng"]
    assert found.state is State.MISSING and "toolkit" in found.step


def test_two_packages_named_tilelang(host: standins.Host) -> None:
    host.package("tilelang", "0.1.15", "")
    host.package("tilelang", "0.1.4", "", owner="tilelang-ascend")
    found = table(host)["tilelang"]
    assert found.state is State.WRONG
    assert "tilelang 0.1.15 and tilelang-ascend 0.1.4" in found.found


@pytest.mark.parametrize(
    ("script", "why"),
    [("echo cannot execute >&2; exit 126", "cannot execute"), ("kill -9 $$", "ended by SIGKILL")],
)
def test_a_compiler_that_does_not_run(host: standins.Host, script: str, why: str) -> None:
    root = host.cann()
    (root / "bin/bisheng").write_text(f"#!/bin/sh\n{script}\n")
    machine = look(host)
    found = {row.name: row for row in doctor.rows(machine)}["bisheng"]
    assert found.state is State.WRONG and why in found.found
    assert not doctor.can_build(machine)


@pytest.mark.parametrize("text", ["dcmi module initialize failed. ret is -8005\n", "", "\xff"])
def test_a_driver_that_does_not_answer(host: standins.Host, text: str) -> None:
    host.npu_smi(text)
    found = table(host)["npu-smi"]
    assert found.state is State.WRONG and (text.strip() or "nothing") in found.found


def test_chips_of_a3(host: standins.Host) -> None:
    """All of them are called Ascend910 there, and have two numbers."""
    host.npu_smi(standins.NPU_SMI_A3)
    machine = look(host)
    assert machine.platform == "A3"
    assert [(d.index, d.chip, d.used) for d in machine.devices.devices] == [
        (0, 0, 3412),
        (0, 1, 3196),
    ]


def test_a_tilelang_that_hides_another(host: standins.Host, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout/tilelang"
    checkout.mkdir(parents=True)
    (checkout / "__init__.py").write_text("")
    host.package("tilelang", "0.1.15", "")
    assert table(host)["tilelang"].state is State.OK
    host.environment["PYTHONPATH"] = f"{checkout.parent}:{host.packages}"
    found = table(host)["tilelang"]
    assert found.state is State.WRONG and str(checkout) in found.found and "0.1.15" in found.found


def test_a_simulator(host: standins.Host) -> None:
    folder = host.cann() / "tools/simulator/Ascend910B1/lib"
    folder.mkdir(parents=True)
    assert table(host)["simulator"].state is State.NONE
    (folder / "libruntime_camodel.so").write_text("")
    assert table(host)["simulator"].state is State.OK


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


def test_devices_are_read() -> None:
    found = devices.parse(standins.NPU_SMI)
    first, second = found.devices
    assert (first.index, first.name, first.busy, first.used, first.memory) == (
        0,
        "910B3",
        12,
        3304,
        65536,
    )
    assert (second.index, second.health, second.busy) == (3, "Warning", 0)
    assert devices.parse("anything else") == devices.Devices((), "")


@pytest.mark.parametrize(
    ("name", "platform"),
    [
        ("Ascend910B3", "A2"),
        ("Ascend910_9392", "A3"),
        ("Ascend910C", "A3"),
        ("Ascend950PR_9599", "A5"),
        ("Ascend910_9599", "A5"),
        ("Ascend910A", "A2"),
        ("", "A3"),
    ],
)
def test_platform_of_a_device(name: str, platform: str) -> None:
    assert devices.platform_of(name) == platform


@pytest.mark.parametrize(
    ("torch", "torch_npu"),
    [
        *(("2.7.1", "2.7.1rc1"), ("2.7.1", "2.7.1.rc1"), ("2.7.1rc2", "2.7.1")),
        *(("2.6.0a0+git1a2b3c", "2.6.0"), ("2.6.0", "2.6.0a0+git9"), ("2.6", "2.6.0.post3")),
        *(("2.7.1.dev20250601+cpu", "2.7.1.post2.dev1"), ("v2.7.1", "2.7.1"), ("?", "2.7.1")),
        *(("2.1.0", "2.1.0.post17"), ("2.7.1", "2.7.1-1"), ("2.7.1", "2.7.1b1.post2")),
    ],
)
def test_releases_that_are_the_same(torch: str, torch_npu: str) -> None:
    assert pairing.torch_pair(torch, torch_npu) == ""


@pytest.mark.parametrize(
    ("torch", "torch_npu"), [("2.7.1", "2.7.0rc1"), ("2.7.1", "2.7"), ("2.7.1", "2.7.10")]
)
def test_releases_that_are_not_the_same(torch: str, torch_npu: str) -> None:
    assert "needs torch" in pairing.torch_pair(torch, torch_npu)


@pytest.mark.parametrize(
    ("torch", "version", "step"),
    [
        ("2.8.0", "8.5.0", "torch_npu==2.8.0.post2 "),
        ("2.8.0+cpu", "8.3.RC1", "torch_npu==2.8.0 "),
        ("2.1.0", "8.3.RC1", "torch_npu==2.1.0.post17 "),
        ("2.1.0", "8.2.RC1.alpha003", "torch_npu==2.1.0.post13 "),
        ("2.1.0", "", "the 2.1.0.post release of torch_npu for your CANN"),
        ("2.1.0", "7.0.0", "2.1.0.post17 for CANN 8.3.RC1"),
        ("2.14.0", "", "torch_npu==2.14.0 (the release of torch)."),
        ("2.14.0", "8.5.0", "CANN 8.5.0 goes with torch_npu 2.9.0, 2.8.0.post2,"),
        ("2.8.0", "", "2.8.0.post2 for CANN 8.5.0"),
    ],
)
def test_the_torch_npu_to_install(host: standins.Host, torch: str, version: str, step: str) -> None:
    host.torch(torch)
    if version:
        host.cann(version)
    row = table(host)["torch_npu"]
    assert row.state is State.MISSING and step in row.step


@pytest.mark.parametrize("row", pairing.CANN_TO_TORCH_NPU)
def test_what_is_to_be_installed_fits(row: str) -> None:
    """Following the step ends at versions that belong together."""
    for version in pairing.CANN_TO_TORCH_NPU[row]:
        torch = pairing.release(version)
        assert f"torch_npu=={version} " in pairing.to_install(torch, row)
        assert not pairing.torch_pair(torch, version) and not pairing.cann_pair(row, version)


def test_pairs() -> None:
    assert pairing.torch_pair("2.8.0+cpu", "2.8.0.post2") == ""
    assert pairing.cann_pair("8.5.0", "2.9.0") == ""
    assert pairing.cann_pair("8.5.0", "2.14.0") == ""  # newer than the table
    assert "8.5.0 goes with" in pairing.cann_pair("8.5.0", "2.6.0")


def test_the_command(host: standins.Host) -> None:
    host.torch()
    environment = {**host.environment, "PYTHONPATH": os.pathsep.join([*sys.path])}
    command = [sys.executable, "-m", "tl_ascend.cli.main", "doctor", "--format", "json"]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and done.stderr == ""
    answer = json.loads(done.stdout)
    assert (answer["can_build"], answer["can_run"]) == (False, False)
    assert [row["name"] for row in answer["rows"]][:3] == ["Python", "torch", "torch_npu"]
