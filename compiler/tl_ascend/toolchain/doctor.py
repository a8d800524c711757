"""`tl-ascend doctor`: what of the way from a kernel to a device is there, and what to do next."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from tl_ascend.toolchain import cann, devices, interpreter, pairing


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
    """Everything that was asked."""

    python: interpreter.Interpreter
    cann: cann.Cann
    devices: devices.Devices
    platform: str


def look(environment: Mapping[str, str], python: str = "", platform: str = "") -> Machine:
    """Ask the interpreter, CANN and npu-smi. Never raises for what they answer."""
    asked = interpreter.ask(python or interpreter.default(environment), environment)
    found = devices.find(environment)
    names = [str(name) for name in asked.said.get("names", ())] or [
        device.name for device in found.devices
    ]
    where = platform or environment.get("TL_PLATFORM", "")
    return Machine(
        asked,
        cann.find(environment),
        found,
        where or (devices.platform_of(names[0]) if names else "A3"),
    )


def rows(machine: Machine) -> tuple[Row, ...]:
    """The table, top down: each row assumes those above."""
    return tuple(check(machine) for check in _CHECKS)


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
        return Row("torch", State.WRONG, f"the import does not end: {asked.why}", "Try it by hand.")
    return Row("torch", State.OK, asked.text("torch_imported") or asked.text("torch"))


def _torch_npu(machine: Machine) -> Row:
    asked = machine.python
    if "torch_imported" not in asked.said:
        return Row("torch_npu", State.SKIPPED, "needs torch")
    if not asked.said.get("has_torch_npu"):
        wanted = pairing.release(asked.text("torch"))
        step = f"pip install torch_npu=={wanted} (the same version as torch)."
        return Row("torch_npu", State.MISSING, "not installed", step)
    error = asked.text("torch_npu_error")
    if "ERR00007" in error or "Two accelerators" in error:
        step = "Use an environment whose torch has no CUDA: torch_npu does not share it."
        return Row("torch_npu", State.WRONG, error, step)
    if ".so" in error:
        return Row("torch_npu", State.WRONG, error, _libraries(machine))
    if error:
        return Row("torch_npu", State.WRONG, error, "Reinstall torch_npu for your torch.")
    if "torch_npu_imported" not in asked.said:
        return Row("torch_npu", State.WRONG, f"the import does not end: {asked.why}", "")
    return Row("torch_npu", State.OK, asked.text("torch_npu_imported") or asked.text("torch_npu"))


def _libraries(machine: Machine) -> str:
    """What to do where a library of CANN is not found."""
    script = machine.cann.source
    if script is not None:
        return f"CANN is there, but not in this environment: source {script}"
    return "These libraries come with CANN: install it and source its set_env.sh."


def _cann(machine: Machine) -> Row:
    found = machine.cann
    if found.root is None:
        looked = "; ".join(found.looked)
        step = "Install CANN (toolkit and kernels), then source its set_env.sh."
        return Row("CANN", State.MISSING, f"looked at {looked}", step)
    text = f"{found.version or 'unknown version'} in {found.root}"
    if not found.by_environment and found.source is not None:
        return Row("CANN", State.WRONG, f"{text}, not active", f"source {found.source}")
    return Row("CANN", State.OK, text)


def _pairing(machine: Machine) -> Row:
    asked, found = machine.python, machine.cann
    torch, torch_npu = asked.text("torch"), asked.text("torch_npu")
    version = found.version or asked.text("cann")
    if not torch or not torch_npu:
        return Row("versions", State.SKIPPED, "needs torch and torch_npu")
    wrong = pairing.torch_pair(torch, torch_npu) or pairing.cann_pair(version, torch_npu)
    if wrong:
        return Row("versions", State.WRONG, wrong, "Install versions that belong together.")
    known = bool(pairing.cann_release(version))
    text = f"torch {torch}, torch_npu {torch_npu}, CANN {version or 'unknown'}"
    return Row("versions", State.OK, text if known else f"{text} (not in the published table)")


def _bisheng(machine: Machine) -> Row:
    if machine.cann.bisheng is not None:
        return Row("bisheng", State.OK, str(machine.cann.bisheng))
    where = (
        "no compiler in CANN's folder or on the path" if machine.cann.root else "comes with CANN"
    )
    step = "Install the CANN toolkit: the runtime alone (nnrt) has no compiler."
    return Row("bisheng", State.MISSING, where, step if machine.cann.root else "")


def _npu_smi(machine: Machine) -> Row:
    found = machine.devices
    if found.why:
        step = "Install the NPU driver and firmware; in a container, mount npu-smi and the devices."
        return Row("npu-smi", State.MISSING, found.why, step)
    return Row("npu-smi", State.OK, f"driver {found.driver or 'unknown'}")


def _devices(machine: Machine) -> Row:
    asked, listed = machine.python, machine.devices.devices
    error = asked.text("npu_error")
    if error:
        return Row("devices", State.WRONG, error, "Look at the driver's log: dmesg, npu-smi info.")
    count = int(asked.said.get("count", 0) or 0)
    if count and asked.said.get("available"):
        names = ", ".join(str(name) for name in asked.said.get("names", ())) or f"{count}"
        return Row("devices", State.OK, f"{names} ({machine.platform})")
    if listed:
        names = ", ".join(f"{d.name} {d.index}/{d.chip}" for d in listed)
        if "torch_npu_imported" not in asked.said:
            return Row("devices", State.SKIPPED, f"{names}; torch_npu does not see them yet")
        step = "Map them into the container (/dev/davinci*, /dev/davinci_manager), or free them."
        return Row("devices", State.WRONG, f"{names}, but torch.npu has none", step)
    return Row("devices", State.MISSING, "no NPU", "Build here, run on another host: see remote.")


def _simulator(machine: Machine) -> Row:
    folder = machine.cann.simulator(machine.platform)
    if folder is None:
        return Row("simulator", State.NONE, f"no simulator library for {machine.platform}")
    return Row("simulator", State.OK, str(folder))


def _tilelang(machine: Machine) -> Row:
    owners = [str(name) for name in machine.python.said.get("tilelang", ())]
    if len(owners) > 1:
        step = "Uninstall all of them and install one: they overwrite each other's files."
        return Row("tilelang", State.WRONG, f"from {' and '.join(owners)}", step)
    if owners:
        return Row("tilelang", State.OK, owners[0])
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
    return machine.cann.bisheng is not None and machine.cann.root is not None


def can_run(machine: Machine) -> bool:
    """True where a compiled kernel can be launched here."""
    return bool(machine.python.said.get("available")) and bool(machine.python.said.get("count"))
