"""How findings are written, one file a format. To add one: write its file, add it to `FORMATS`."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import TYPE_CHECKING, TextIO, cast

if TYPE_CHECKING:
    from tl_ascend.cli.formats.run_data import Run

    Writer = Callable[[Run, TextIO], None]

# Module and function of each; only those that are asked for are loaded.
FORMATS = {
    "full": ("text", "full"),
    "concise": ("text", "concise"),
    "statistics": ("text", "statistics"),
    "json": ("json_text", "write"),
    "sarif": ("sarif", "write"),
    "github": ("github", "write"),
    "gitlab": ("gitlab", "write"),
    "junit": ("junit", "write"),
}


def writer(name: str) -> Writer:
    """The function that writes a run in a format."""
    module, function = FORMATS[name]
    found = getattr(importlib.import_module(f"{__name__}.{module}"), function)
    return cast("Writer", found)
