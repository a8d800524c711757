"""Where tile-ai/tilelang-ascend is installed, for its device headers and those that it brings.

Source: tile-ai/tilelang-ascend 95acbd7f, tilelang/jit/adapter/libgen.py.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from tl_ascend.toolchain import child

SECONDS = 20
_SCRIPT = """
import importlib.util as util, os
found = util.find_spec("tilelang")
print(os.path.dirname(found.origin or "") if found else "")
"""
_LIBRARIES = {
    "ascendc": ("catlass/include", "shmem/include", "shmem/src/device"),
    "pto": ("pto-isa/include",),
}


@dataclass(frozen=True, slots=True)
class Folders:
    """Folders of headers: those of upstream's own templates, and those of other libraries."""

    templates: tuple[Path, ...]
    libraries: tuple[Path, ...]


def find(environment: Mapping[str, str], python: str) -> Path | None:
    """The folder above `src` and `3rdparty`: TL_ROOT, else that of the package in an interpreter, which
    is in a checkout the one above it."""
    places = [Path(environment["TL_ROOT"])] if environment.get("TL_ROOT") else []
    if not places and python:
        answer = child.run([python, "-c", _SCRIPT], SECONDS, environment, "/")
        where = answer.out.strip() if answer.ok else ""
        places = [Path(where), Path(where).parent] if where else []
    return next((place for place in places if (place / "3rdparty").is_dir()), None)


def folders(root: Path | None, route: str) -> Folders | None:
    """The folders that exist for a route; None where upstream is not installed."""
    if root is None:
        return None
    libraries = tuple(root / "3rdparty" / part for part in _LIBRARIES.get(route, ()))
    templates = (root / "src",)
    return Folders(
        tuple(f.absolute() for f in templates if f.is_dir()),
        tuple(f.absolute() for f in libraries if f.is_dir()),
    )
