"""What the doctor finds on a machine."""

from __future__ import annotations

from tests.toolchain import standins

from tl_ascend.driver import site
from tl_ascend.toolchain import doctor


def look(host: standins.Host, python: str = "") -> doctor.Machine:
    """All of it."""
    place = site.here(host.environment, python)
    with place.place() as work:
        return doctor.look(work, place.cann, place.environment, place.python)


def table(host: standins.Host, python: str = "") -> dict[str, doctor.Row]:
    """As rows of the table, by name."""
    return {row.name: row for row in doctor.rows(look(host, python))}
