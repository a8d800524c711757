"""The public headers of PTO and upstream's template header, out of upstream's wheel.

They are used by tests only: downloaded once, kept in the cache folder of the user, never part of what we
publish. Their licence allows use for developing software for Ascend processors.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from platformdirs import user_cache_dir

WHEEL = "tilelang-ascend==0.1.4"
# The wheel has no file for this machine; headers do not care.
ORDER = (
    *("-m", "pip", "download", WHEEL, "--no-deps", "--only-binary=:all:", "--quiet"),
    *("--platform", "manylinux2014_aarch64", "--python-version", "311", "--dest"),
)
SIMULATOR, TEMPLATES = "tilelang/3rdparty/pto-isa/include/", "tilelang/src/tl_templates/pto/"
SECONDS = 120


@dataclass(frozen=True)
class Headers:
    """Folders for the include path. `templates` holds `tl_templates/pto` of upstream."""

    simulator: Path
    templates: Path


def headers() -> Headers | str:
    """The headers, or in one line why there are none."""
    folder = Path(user_cache_dir("tl-ascend-tests")) / WHEEL.replace("==", "-")
    found = Headers(folder / SIMULATOR, folder / TEMPLATES.removesuffix("tl_templates/pto/"))
    if not (folder / "complete").exists():
        problem = _fetch(folder)
        if problem:
            return f"{WHEEL} cannot be downloaded: {problem}"
    return found


def _fetch(folder: Path) -> str:
    with tempfile.TemporaryDirectory() as place:
        try:
            ran = subprocess.run(
                [sys.executable, *ORDER, place], capture_output=True, text=True, timeout=SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            return str(error)
        wheels = list(Path(place).glob("*.whl"))
        if ran.returncode or not wheels:
            lines = ran.stderr.strip().splitlines()
            return lines[-1] if lines else "pip says nothing"
        with zipfile.ZipFile(wheels[0]) as archive:
            for name in archive.namelist():
                if name.startswith((SIMULATOR, TEMPLATES)):
                    archive.extract(name, folder)
    (folder / "complete").write_text("", encoding="utf-8")
    return ""
