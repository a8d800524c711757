"""`tl-ascend doctor`: what of the way from a kernel to a device is there, and what to do next."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from tl_ascend.toolchain import cann, child, devices, imports, interpreter, pairing
from tl_ascend.toolchain.place import (
    NAME_FOLDER,
    NAME_PYTHON,
    NoFolder,
    NoHost,
    NoPython,
    Unreachable,
    Work,
)

VERSION_SECONDS = 20


class State(Enum):
    """`MISSING`: needed and not there. `WRONG`: there, and does not work. `SKIPPED`: cannot be
    looked at before something else is there. `NONE`: not there, and not needed to build or run."""

    OK = "ok"
    MISSING = "missing"
    WRONG = "wrong"
    SKIPPED = "skipped"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. `step`: the next thing to do; empty where there is nothing."""

    name: str
    state: State
    found: str
    step: str = ""


@dataclass(frozen=True, slots=True)
class Machine:
    """Everything that was asked. `host`: empty for this machine; `compiler`: how its compiler answers
    when it is asked for its version."""

    python: interpreter.Interpreter
    cann: cann.Cann
    compiler: child.Outcome | None
    devices: devices.Devices
    platform: str
    host: str = ""


def look(
    work: Work,
    found: cann.Cann,
    environment: Mapping[str, str],
    python: str,
    platform: str = "",
    host: str = "",
) -> Machine:
    """Ask the interpreter, the compiler and npu-smi of a place. Never raises for what they answer.
    Errors: OSError, Unreachable."""
    asked = interpreter.ask(python, work, environment)
    compiler = None
    if found.bisheng is not None:
        compiler = work.run([str(found.bisheng), "--version"], VERSION_SECONDS, environment)
    smi = devices.answered(work.run(devices.COMMAND, devices.SECONDS, environment))
    names = [str(name) for name in asked.said.get("names", ())]
    said = environment.get("TL_PLATFORM", "").upper()
    where = platform or (said if said in cann.SIMULATORS else "")
    seen = devices.platform_of(names[0]) if names else smi.platform
    return Machine(asked, found, compiler, smi, where or seen or "A3", host)


def rows(machine: Machine) -> tuple[Row, ...]:
    """The table, top down: each row assumes those above."""
    first = (Row("host", State.OK, machine.host),) if machine.host else ()
    return (*first, *(check(machine) for check in _CHECKS))


def unreachable(host: str, why: Unreachable) -> Row:
    """The table of a host that cannot be reached has one line."""
    if isinstance(why, NoPython):
        step = f"{NAME_PYTHON[0].upper()}{NAME_PYTHON[1:]}."
        return Row("Python", State.WRONG, why.found, step)
    if isinstance(why, NoFolder):
        return Row("folder", State.WRONG, why.why, f"{NAME_FOLDER}.")
    if isinstance(why, NoHost):
        return Row("host", State.WRONG, str(why), "Name it as ssh takes it: --remote USER@HOST.")
    step = f"This has to work without a password: ssh -o BatchMode=yes {shlex.quote(host)} true"
    return Row("host", State.WRONG, str(why), step)


def _python(machine: Machine) -> Row:
    asked = machine.python
    if not asked.path:
        return Row("Python", State.MISSING, asked.why, "Give one: --python PATH.")
    version = asked.text("python")
    if not version:
        return Row(
            "Python",
            State.WRONG,
            f"{asked.path}: {asked.why}",
            "Name the interpreter that has torch_npu: --python PATH.",
        )
    return Row("Python", State.OK, f"{version} ({asked.path})")


def _torch(machine: Machine) -> Row:
    asked = machine.python
    if not asked.text("python"):
        return Row("torch", State.SKIPPED, "no interpreter")
    if not asked.said.get("has_torch"):
        wanted = "the version that your torch_npu needs"
        return Row("torch", State.MISSING, "not installed", f"pip install torch: {wanted}.")
    error = asked.text("torch_error")
    if error:
        return Row("torch", State.WRONG, error, "Reinstall torch in that environment.")
    if "torch_imported" not in asked.said:
        step = f"Try it by hand: {asked.path} -c 'import torch'"
        return Row("torch", State.WRONG, _not_imported(asked), step)
    return Row("torch", State.OK, asked.version("torch"))


def _not_imported(asked: interpreter.Interpreter) -> str:
    how = "does not end" if asked.late else "ends the interpreter"
    return f"the import {how}: {asked.why}"


def _torch_npu(machine: Machine) -> Row:
    asked = machine.python
    if "torch_imported" not in asked.said:
        return Row("torch_npu", State.SKIPPED, "needs torch")
    if not asked.said.get("has_torch_npu"):
        step = pairing.to_install(asked.version("torch"), machine.cann.version)
        return Row("torch_npu", State.MISSING, "not installed", step)
    error = asked.text("torch_npu_error")
    if error:
        return Row("torch_npu", State.WRONG, error, imports.step(error, machine.cann))
    if "torch_npu_imported" not in asked.said:
        step = f"Try it by hand: {asked.path} -c 'import torch_npu'"
        return Row("torch_npu", State.WRONG, _not_imported(asked), step)
    return Row("torch_npu", State.OK, asked.version("torch_npu"))


def _cann(machine: Machine) -> Row:
    found = machine.cann
    if found.root is None:
        looked = "; ".join(found.looked)
        step = "Install CANN (toolkit and kernels), then source its set_env.sh."
        return Row("CANN", State.MISSING, f"looked at {looked}", step)
    wrong = [text for text in found.looked if text.endswith(cann.NO_FOLDER)]
    text = "; ".join((f"{found.version or 'unknown version'} in {found.root}", *wrong))
    if found.by_environment:
        return Row("CANN", State.OK, text)
    if found.source is None:
        step = f"It has no set_env.sh: set {cann.VARIABLES[0]} to it, and LD_LIBRARY_PATH to its lib64."
        return Row("CANN", State.WRONG, f"{text}, not active", step)
    if found.problem:
        step = "Repair or reinstall CANN, or source the script that belongs to it yourself."
        return Row("CANN", State.WRONG, f"{text}, {found.source}: {found.problem}", step)
    step = f"For programs of your own: source {found.source}"
    return Row("CANN", State.OK, f"{text}, sourced for what tl-ascend runs", step)


def _pairing(machine: Machine) -> Row:
    asked, found = machine.python, machine.cann
    torch, torch_npu = asked.version("torch"), asked.version("torch_npu")
    version = found.version or asked.text("cann")
    if not torch or not torch_npu:
        return Row("versions", State.SKIPPED, "needs torch and torch_npu")
    wrong = pairing.torch_pair(torch, torch_npu) or pairing.cann_pair(version, torch_npu)
    if wrong:
        return Row("versions", State.WRONG, wrong, "Install versions that belong together.")
    known = bool(pairing.cann_release(version)) and pairing.is_known(torch_npu)
    text = f"torch {torch}, torch_npu {torch_npu}, CANN {version or 'unknown'}"
    return Row("versions", State.OK, text if known else f"{text} (not in the published table)")


def _bisheng(machine: Machine) -> Row:
    path, answer = machine.cann.bisheng, machine.compiler
    if path is None or answer is None:
        there = machine.cann.root is not None
        where = "no compiler in CANN's folder or on the path" if there else "comes with CANN"
        step = "Install the CANN toolkit: the runtime alone (nnrt) has no compiler."
        return Row("bisheng", State.MISSING, where, step if there else "")
    if not answer.ok:
        lines = (answer.err or answer.out).strip().splitlines()
        why = answer.why or (lines[-1] if lines else f"exit status {answer.status}")
        step = "It does not run here: install the CANN toolkit for this processor, whole."
        return Row("bisheng", State.WRONG, f"{path}: {why}", step)
    version = answer.out.strip().splitlines()
    return Row("bisheng", State.OK, f"{path}{f' ({version[0]})' if version else ''}")


def _npu_smi(machine: Machine) -> Row:
    found = machine.devices
    if found.why:
        step = "Install the NPU driver and firmware; in a container, mount npu-smi and the devices."
        state = State.WRONG if found.there else State.MISSING
        return Row("npu-smi", state, found.why, step)
    return Row("npu-smi", State.OK, f"driver {found.driver or 'unknown'}")


_DRIVER = "Look at the driver's log: dmesg, npu-smi info."


def _devices(machine: Machine) -> Row:
    asked, listed = machine.python, machine.devices.devices
    names = ", ".join(f"{d.name} {d.index}/{d.chip}" for d in listed)
    if error := asked.text("npu_error"):
        return Row("devices", State.WRONG, error, _DRIVER)
    if asked.sees_devices:
        seen = ", ".join(str(name) for name in asked.said["names"])
        return Row("devices", State.OK, f"{seen} ({machine.platform})")
    imported = "torch_npu_imported" in asked.said
    if imported and "names" not in asked.said:
        how = "does not answer" if asked.late else "ends the interpreter"
        return Row("devices", State.WRONG, f"torch.npu {how}: {asked.why}", _DRIVER)
    if listed and not imported:
        return Row("devices", State.SKIPPED, f"{names}; torch_npu does not see them yet")
    if count := int(asked.said.get("count", 0)):
        found = f"torch.npu counts {count} and says that none is available"
        return Row("devices", State.WRONG, found, _DRIVER)
    if listed:
        step = "Map them into the container (/dev/davinci*, /dev/davinci_manager), or free them."
        return Row("devices", State.WRONG, f"{names}, but torch.npu has none", step)
    if not imported and machine.devices.why:
        return Row("devices", State.SKIPPED, "neither npu-smi nor torch_npu can look for them")
    return Row("devices", State.MISSING, "no NPU", _elsewhere(machine))


def _elsewhere(machine: Machine) -> str:
    """What can be done without a device."""
    simulator = machine.cann.simulator(machine.platform) if can_build(machine) else None
    step = "run on another host (--remote)" + (
        ", or on CANN's simulator (--camodel)." if simulator is not None else "."
    )
    return f"Build here and {step}" if can_build(machine) else f"{step[0].upper()}{step[1:]}"


def _simulator(machine: Machine) -> Row:
    folder = machine.cann.simulator(machine.platform)
    if folder is None:
        return Row("simulator", State.NONE, f"no simulator library for {machine.platform}")
    return Row("simulator", State.OK, str(folder))


def _tilelang(machine: Machine) -> Row:
    asked = machine.python
    owners = [str(name) for name in asked.said.get("tilelang", ())]
    if len(owners) > 1:
        step = "Uninstall all of them and install one: they overwrite each other's files."
        return Row("tilelang", State.WRONG, f"from {' and '.join(owners)}", step)
    where = asked.text("tilelang_at")
    if owners and where and not asked.said.get("tilelang_installed"):
        step = (
            f"Uninstall {owners[0]}, or take {where} off PYTHONPATH: the first one hides the other."
        )
        text = f"imported from {where}, and {owners[0]} is installed"
        return Row("tilelang", State.WRONG, text, step)
    if owners or where:
        return Row("tilelang", State.OK, " in ".join(filter(None, (*owners, where))))
    return Row("tilelang", State.NONE, "not installed; tl-ascend brings headers of its own")


_CHECKS: tuple[Callable[[Machine], Row], ...] = (
    _python,
    _torch,
    _torch_npu,
    _cann,
    _pairing,
    _bisheng,
    _npu_smi,
    _devices,
    _simulator,
    _tilelang,
)


def can_build(machine: Machine) -> bool:
    """True where a kernel can be compiled here."""
    works = machine.compiler is not None and machine.compiler.ok
    return works and machine.cann.root is not None


def can_run(machine: Machine) -> bool:
    """True where a compiled kernel can be launched here."""
    return machine.python.sees_devices
