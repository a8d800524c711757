"""The back ends that exist, in one list. CONTRIBUTING.md ("Add a back end") shows how one joins it."""

from __future__ import annotations

from importlib.metadata import EntryPoint, entry_points

from tl_ascend.backends import ascendc, pto
from tl_ascend.backends.manifest import Backend

_BACKENDS: dict[str, Backend] = {}


# The group of entry points under which installed packages name their manifests.
GROUP = "tl_ascend.backends"


class BadBackend(Exception):
    """There is no such back end, or an installed package names one and has none; the text says why."""


def register(backend: Backend) -> Backend:
    """Add a back end: from then on `--target NAME` finds it.

    Errors: ValueError where the name is taken.
    """
    if backend.name in _BACKENDS:
        raise ValueError(f"there are two back ends {backend.name!r}")
    _BACKENDS[backend.name] = backend
    return backend


def backends() -> tuple[Backend, ...]:
    """Those that are registered, in that order."""
    return tuple(_BACKENDS.values())


def is_ours(backend: Backend) -> bool:
    """True for those of this package."""
    return any(backend is own for own in (ascendc.BACKEND, pto.BACKEND))


def names() -> list[str]:
    """What `--target` takes: registered back ends, then those of installed packages."""
    return [*_BACKENDS, *sorted({p.name for p in _installed()} - {*_BACKENDS})]


def backend(name: str) -> Backend:
    """A back end; one of an installed package is loaded now, and only if it is meant.

    Errors: KeyError where there is none of that name, BadBackend.
    """
    if name not in _BACKENDS:
        found = [p for p in _installed() if p.name == name]
        if found:
            register(_loaded(found[0]))
    return _BACKENDS[name]


def meant(name: str) -> Backend:
    """The back end that a user names. Errors: BadBackend, also where there is none of that name."""
    try:
        return backend(name)
    except KeyError:
        raise BadBackend(f"no route {name!r}; there are: {', '.join(names())}") from None


def _installed() -> tuple[EntryPoint, ...]:
    return tuple(entry_points(group=GROUP))


def _loaded(point: EntryPoint) -> Backend:
    where = f"the back end {point.name!r} of an installed package ({point.value})"
    try:
        found = point.load()
    except Exception as error:  # code of others
        raise BadBackend(f"{where} cannot be loaded: {type(error).__name__}: {error}") from error
    if not isinstance(found, Backend) or found.name != point.name:
        raise BadBackend(f"{where} is no manifest of that name")
    return found


for _backend in (ascendc.BACKEND, pto.BACKEND):
    register(_backend)
