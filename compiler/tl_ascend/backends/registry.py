"""The back ends that exist, in one list."""

from __future__ import annotations

from tl_ascend.backends import ascendc, pto
from tl_ascend.backends.manifest import Backend

_BACKENDS: dict[str, Backend] = {}


def register(backend: Backend) -> Backend:
    """Add a back end. One from outside this package calls this when it is imported; from then on
    `--target NAME` finds it.

    Errors: ValueError where the name is taken.
    """
    if backend.name in _BACKENDS:
        raise ValueError(f"there are two back ends {backend.name!r}")
    _BACKENDS[backend.name] = backend
    return backend


def backends() -> tuple[Backend, ...]:
    """All of them, in order of registration."""
    return tuple(_BACKENDS.values())


def backend(name: str) -> Backend:
    """Errors: KeyError where there is none of that name."""
    return _BACKENDS[name]


for _backend in (ascendc.BACKEND, pto.BACKEND):
    register(_backend)
