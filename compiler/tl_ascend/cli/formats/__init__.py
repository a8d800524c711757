"""How findings are written, one file a format. To add one: write its file, add it to `WRITERS`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TextIO

from tl_ascend.cli.formats import github, gitlab, json_text, junit, sarif, text
from tl_ascend.cli.formats.run_data import Run

Writer = Callable[[Run, TextIO], None]
WRITERS: dict[str, Writer] = {
    "full": text.full,
    "concise": text.concise,
    "statistics": text.statistics,
    "json": json_text.write,
    "sarif": sarif.write,
    "github": github.write,
    "gitlab": gitlab.write,
    "junit": junit.write,
}
