"""The pages of the diagnostics, taken apart."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import tl_ascend.diagnostics

FOLDER = Path(tl_ascend.diagnostics.__file__).parent / "pages"
HEADINGS = ("What", "Why", "Wrong", "Right", "Source")
NO_EXAMPLE = re.compile(r"^No example: \S.*\.$", re.M)
_BLOCK = re.compile(r"```(?:python|toml)\n(.*?)```", re.S)


@dataclass(frozen=True)
class Page:
    """One page: its first line, and the text under each heading."""

    code: str
    title: str
    sections: dict[str, str]
    text: str

    @property
    def has_example(self) -> bool:
        return NO_EXAMPLE.search(self.text) is None

    @property
    def of_settings(self) -> bool:
        """True where the examples are the settings of a project, not kernels."""
        return "```toml" in self.sections["Wrong"]

    def example(self, heading: str) -> str:
        """The program under a heading."""
        (block,) = _BLOCK.findall(self.sections[heading])
        return str(block)


def read(code: str) -> Page:
    """The page of a code. Errors: OSError."""
    text = (FOLDER / f"{code}.md").read_text(encoding="utf-8")
    title, *rest = re.split(r"^## (.+)$", text, flags=re.M)
    sections = dict(zip(rest[::2], (s.strip() for s in rest[1::2]), strict=True))
    return Page(code, title.strip(), sections, text)
