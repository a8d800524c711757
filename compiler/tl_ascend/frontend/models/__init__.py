"""What we know of the world outside the user's files: builtins, tilelang, argparse, torch."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tl_ascend.frontend.models import (
    classes,
    collections,
    host,
    outcomes,
    python,
    testing,
    tilelang,
    torch,
)

if TYPE_CHECKING:
    from tl_ascend.frontend.modules import Program


def install(program: Program) -> None:
    """Make every model known to a program."""
    python.install(program)
    classes.install(program)
    collections.install(program)
    host.install(program)
    tilelang.install(program)
    torch.install(program)
    outcomes.install(program)
    testing.install(program)
