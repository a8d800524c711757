"""Where CANN is, what version, and what of it a build needs.

Source: CANN's installation guide; tile-ai/tilelang-ascend 95acbd7f, tilelang/jit/adapter/libgen.py.
"""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from tl_ascend.toolchain.agent import sourced

VARIABLES = ("ASCEND_HOME_PATH", "ASCEND_HOME")
FOLDERS = ("cann", "ascend-toolkit/latest")
SYSTEM = "/usr/local/Ascend"
NOT_SET = f"it does not set {VARIABLES[0]} to a folder"
NO_FOLDER = ", which is no folder"
COMPILERS = (
    "bin/bisheng",
    "*-linux/ccec_compiler/bin/bisheng",
    "compiler/ccec_compiler/bin/bisheng",
    "ccec_compiler/bin/bisheng",
)
INFO = "*-linux/ascend_toolkit_install.info"
RUNTIME = "libruntime_camodel.so"
SIMULATOR = f"tools/simulator/*/lib/{RUNTIME}"
# The simulators that upstream tries, by generation.
SIMULATORS = {
    "A2": ("Ascend910B1", "Ascend910_9599"),
    "A3": ("Ascend910B1", "Ascend910_9599"),
    "A5": ("Ascend950PR_9599", "Ascend910_9599"),
}


@dataclass(frozen=True, slots=True)
class Cann:
    """An installation. `looked`: the places that were looked at, in order; `source`: the script that
    sets the environment, None where there is none; `by_environment`: it was named there, so its script
    need not be sourced; `simulators`: the names of those that are there; `problem`: why the script could
    not be sourced."""

    root: Path | None
    version: str
    looked: tuple[str, ...]
    bisheng: Path | None
    source: Path | None
    by_environment: bool
    simulators: tuple[str, ...] = ()
    problem: str = ""

    def simulator(self, platform: str) -> Path | None:
        """The folder of the simulator's library for a platform."""
        found = next(
            (name for name in SIMULATORS.get(platform, ()) if name in self.simulators), None
        )
        if self.root is None or found is None:
            return None
        return self.root / "tools/simulator" / found / "lib"


def find(environment: Mapping[str, str]) -> Cann:
    """Look where the environment says, then where installers put it."""
    looked: list[str] = []
    for name in VARIABLES:
        value = environment.get(name, "")
        is_folder = bool(value) and os.path.isdir(value)
        state = "" if is_folder else NO_FOLDER
        looked.append(f"${name}" + (f" = {value[:200]}{state}" if value else " (not set)"))
        if is_folder:
            return _of(Path(os.path.abspath(value)), looked, environment, True)
    for base in _bases(environment):
        for folder in FOLDERS:
            looked.append(str(base / folder))
            if os.path.isdir(base / folder):
                return _of(base / folder, looked, environment, False)
    return Cann(None, "", tuple(looked), _on_path("bisheng", environment), None, False)


def active(environment: Mapping[str, str]) -> tuple[Mapping[str, str], Cann]:
    """The environment in which CANN works, and CANN: its script is sourced where it was not yet."""
    found = find(environment)
    if found.source is None or found.by_environment:
        return environment, found
    after, problem = sourced(str(found.source), dict(environment))
    again = find(after) if not problem else found
    if not problem and not again.by_environment:
        problem = NOT_SET
    return after, replace(
        again, by_environment=False, source=found.source, looked=found.looked, problem=problem
    )


def _bases(environment: Mapping[str, str]) -> tuple[Path, ...]:
    home = environment.get("HOME", "")
    folders = [Path(SYSTEM)]
    return (*folders, Path(home) / "Ascend") if home else tuple(folders)


def _of(root: Path, looked: list[str], environment: Mapping[str, str], named: bool) -> Cann:
    places = [place for pattern in COMPILERS for place in sorted(root.glob(pattern))]
    found = next((p for p in places if os.access(p, os.X_OK) and p.is_file()), None)
    script = next(
        (p for p in (root / "set_env.sh", root.parent / "set_env.sh") if p.exists()), None
    )
    bisheng = _on_path("bisheng", environment) or found
    simulators = sorted(p.parent.parent.name for p in root.glob(SIMULATOR))
    return Cann(root, version(root), tuple(looked), bisheng, script, named, tuple(simulators))


def version(root: Path) -> str:
    """The version that an installation says it has; empty where it says none."""
    for info in sorted(root.glob(INFO)):
        try:
            found = version_in(info.read_text("utf-8", "replace"))
        except OSError:
            continue
        if found:
            return found
    return ""


def version_in(text: str) -> str:
    """The version in the text of an `INFO` file."""
    found = re.search(r"^version=(\S+)", text, re.MULTILINE)
    return found[1] if found else ""


def _on_path(name: str, environment: Mapping[str, str]) -> Path | None:
    found = shutil.which(name, path=environment.get("PATH", ""))
    return Path(os.path.abspath(found)) if found else None
