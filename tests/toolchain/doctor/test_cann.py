"""CANN: where it is, whether it is active, and what is wrong with it."""

from __future__ import annotations

import pytest
from tests.toolchain import standins
from tests.toolchain.doctor.looks import look, table

from tl_ascend.toolchain import cann, doctor
from tl_ascend.toolchain.doctor import State


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


def test_cann_without_a_compiler(host: standins.Host) -> None:
    host.cann(bisheng=False)
    found = table(host)["bisheng"]
    assert found.state is State.MISSING and "toolkit" in found.step


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


def test_a_simulator(host: standins.Host) -> None:
    folder = host.cann() / "tools/simulator/Ascend910B1/lib"
    folder.mkdir(parents=True)
    assert table(host)["simulator"].state is State.NONE
    (folder / "libruntime_camodel.so").write_text("")
    assert table(host)["simulator"].state is State.OK
