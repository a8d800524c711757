"""Devices, their driver, and torch_npu when it is asked for them."""

from __future__ import annotations

import dataclasses

import pytest
from tests.toolchain import standins
from tests.toolchain.doctor.looks import look, table

from tl_ascend.toolchain import devices, doctor
from tl_ascend.toolchain.doctor import State


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


def test_where_nothing_can_look_for_devices(host: standins.Host) -> None:
    host.torch()
    host.package("torch_npu", "2.8.0", standins.NO_LIBRARIES)
    assert table(host)["devices"].state is State.SKIPPED


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
