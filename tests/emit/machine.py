"""The machine of the CPU twin as an object file, compiled once for all tests of a process."""

from __future__ import annotations

import atexit
import shutil
import tempfile
from functools import lru_cache
from pathlib import Path

from tests.emit import support

SOURCES = support.INCLUDE / "cpu_twin" / "src"


@lru_cache
def machine_object() -> Path:
    """Where it lies until the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="twin-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    source = folder / "machine.cpp"
    parts = [f'#include "{part}"\n' for part in sorted(SOURCES.glob("*.cpp"))]
    source.write_text("".join(parts), encoding="utf-8")
    built = support.compile_cpp("-O2", "-c", source, "-o", source.with_suffix(".o"))
    assert built.returncode == 0, built.stderr
    return source.with_suffix(".o")
