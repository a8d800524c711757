"""Where kernels are built and run: what is there, and how to get there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tl_ascend.driver.check import FileReport
from tl_ascend.toolchain import cann, devices, interpreter, remote
from tl_ascend.toolchain.cann import Cann
from tl_ascend.toolchain.launch import least_busy, with_simulator
from tl_ascend.toolchain.place import Here, Open
from tl_ascend.toolchain.remote import Host, There

NONE = "none"
VISIBLE = "ASCEND_RT_VISIBLE_DEVICES"


@dataclass(frozen=True, slots=True)
class Site:
    """`name`: of another host, empty for this machine; `python`: the interpreter with torch_npu, empty
    where none is known; `environment`: of processes there, `local` of those here."""

    name: str
    place: Open
    cann: Cann
    environment: Mapping[str, str]
    python: str
    local: Mapping[str, str]


def here(environment: Mapping[str, str], python: str = "") -> Site:
    """This machine, with the environment of CANN."""
    active, found = cann.active(environment)
    named = interpreter.named(python, environment) if python else ""
    python = named or interpreter.default(environment)
    return Site("", lambda: Here(active), found, active, python, active)


def there(host: Host, environment: Mapping[str, str]) -> Site:
    """Another host. `environment`: of `ssh` here. Errors: Unreachable."""
    with There(host, environment) as work:
        found = work.look()
    return Site(
        host.name,
        lambda: There(host, environment, found.environment),
        remote.cann_of(found),
        found.environment,
        found.python,
        environment,
    )


def host_of(project: Mapping[str, str], host: str) -> str:
    """The host that `chosen` takes; empty for this machine."""
    name = host or project.get("host", "")
    return "" if name == NONE else name


def chosen(
    project: Mapping[str, str], host: str, python: str, environment: Mapping[str, str]
) -> Site:
    """What the user says, else what the project says (`[tool.tl-ascend.remote]`), else this machine.
    `host`: `none` for this machine. Errors: Unreachable."""
    name = host_of(project, host)
    if not name:
        return here(environment, python)
    known = project if name == project.get("host") else {}
    asked = Host(name, python or known.get("python") or "python3", known.get("folder", ""))
    return there(asked, environment)


def unfit(report: FileReport) -> str:
    """Why nothing of a file is built, although there are kernels in it; empty where something is."""
    if report.project.problem:
        return f"nothing is built by settings with a mistake: {report.project.problem}"
    return report.broken


def least_busy_at(site: Site) -> int:
    """The device with the least work; 0 where nothing is known. Errors: Unreachable."""
    with site.place() as work:
        answer = work.run(devices.COMMAND, devices.SECONDS)
    return least_busy(devices.answered(answer), site.environment.get(VISIBLE, "")) or 0


def simulating(site: Site, folder: Path | None) -> Mapping[str, str]:
    """The environment in which programs for a device or, from its folder, the simulator run."""
    return site.environment if folder is None else with_simulator(site.environment, folder)
