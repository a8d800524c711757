"""The tool of AscendNPU IR, out of its wheel: downloaded once, used by this check only, never part of
what we publish."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

from platformdirs import user_cache_dir

WHEEL = "ascendnpu-ir==1.2.0"
TOOL = "ascendnpuir/bin/bishengir-opt"
# A plain program for x86-64 lies in the wheel of one version of Python; any interpreter can run it.
ORDER = (
    *("-m", "pip", "download", WHEEL, "--no-deps", "--only-binary=:all:", "--quiet"),
    *("--platform", "manylinux_2_28_x86_64", "--python-version", "311", "--dest"),
)
SECONDS = 600


def tool() -> Path | str:
    """The tool, or in one line why there is none."""
    folder = Path(user_cache_dir("tl-ascend-tests")) / WHEEL.replace("==", "-")
    found = folder / TOOL
    if not found.exists() and (problem := _fetch(folder)):
        return f"{WHEEL} cannot be downloaded: {problem}"
    try:
        subprocess.run([found, "--version"], capture_output=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError) as error:
        return f"{TOOL} of {WHEEL} does not run here: {error}"
    return found


def _fetch(folder: Path) -> str:
    with tempfile.TemporaryDirectory() as place:
        order = [sys.executable, *ORDER, place]
        try:
            ran = subprocess.run(
                order, capture_output=True, text=True, timeout=SECONDS, check=False
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        wheels = list(Path(place).glob("*.whl"))
        if ran.returncode or not wheels:
            lines = ran.stderr.strip().splitlines()
            return lines[-1] if lines else "pip says nothing"
        with zipfile.ZipFile(wheels[0]) as archive:
            archive.extract(TOOL, place)
        unpacked = Path(place) / TOOL
        unpacked.chmod(0o755)
        (folder / TOOL).parent.mkdir(parents=True, exist_ok=True)
        shutil.move(unpacked, folder / TOOL)
    return ""
