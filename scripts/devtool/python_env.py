"""The project's virtual environment: made, filled, kept up to date."""

from __future__ import annotations

import platform
import sys
from pathlib import Path

from devtool import stamps
from devtool.paths import PYTHON, ROOT, VENV
from devtool.run import quiet, step
from devtool.system import install

PIP = "pip>=25.1"  # the first that knows --group
CONSTRAINTS = ("constraints.txt", "requirements.lock")


def _base_python() -> str:
    """The interpreter behind a virtual environment, so that ours never depends on another one."""
    base: str = getattr(sys, "_base_executable", sys.executable)
    return base


def _make_venv() -> None:
    if quiet([PYTHON, "-m", "pip", "--version"]):
        return
    base = _base_python()
    if not quiet([base, "-c", "import ensurepip, venv"]):
        install([f"python3.{sys.version_info.minor}-venv"])
    stamps.forget("package", "package-dev")
    step("make .venv", [base, "-m", "venv", "--clear", VENV])


def _constraints() -> list[Path]:
    return [ROOT / name for name in CONSTRAINTS if (ROOT / name).exists()]


def _key(kind: str) -> str:
    files = [ROOT / "pyproject.toml", *_constraints()]
    return stamps.digest(files, kind, platform.python_version(), str(ROOT))


def _install_project(kind: str, extra: list[str]) -> None:
    pip = [str(PYTHON), "-m", "pip", "install"]
    step("update pip", [*pip, "--upgrade", PIP])
    limits = [word for file in _constraints() for word in ("-c", str(file))]
    step(f"install tl-ascend ({kind})", [*pip, *limits, "-e", ".", *extra])
    stamps.set_fresh(kind, _key(kind))


def set_up(dev: bool) -> None:
    """Makes `.venv` have the project, and if asked the development tools."""
    have_venv = quiet([PYTHON, "-c", ""])
    fresh = [kind for kind in ("package", "package-dev") if stamps.is_fresh(kind, _key(kind))]
    if have_venv and ("package-dev" in fresh or (fresh and not dev)):
        return
    _make_venv()
    if dev:
        _install_project("package-dev", ["--group", "dev"])
    else:
        _install_project("package", [])
