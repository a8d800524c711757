"""The pages of the diagnostics: as text, as a file, and on the web where the project is there."""

from __future__ import annotations

from functools import lru_cache
from importlib import metadata
from pathlib import Path

_FOLDER = Path(__file__).with_name("pages")
DISTRIBUTION, LABEL = "tl-ascend", "documentation"


def page_path(code: str) -> Path:
    """The file of a page."""
    return _FOLDER / f"{code}.md"


def page(code: str) -> str:
    """The Markdown page of a code."""
    return page_path(code).read_text("utf-8")


def page_url(code: str) -> str:
    """The address of a page; empty where the metadata of the package name none for its documentation
    (`Documentation` under `[project.urls]` in pyproject.toml)."""
    base = _documentation()
    return f"{base}/diagnostics/{code}.md" if base else ""


def page_link(code: str) -> str:
    """Where an editor opens a page: its address, else the file that is installed with this package."""
    return page_url(code) or page_path(code).as_uri()


@lru_cache(maxsize=1)
def _documentation() -> str:
    try:
        known = metadata.metadata(DISTRIBUTION).get_all("Project-URL") or ()
    except metadata.PackageNotFoundError:
        return ""
    for entry in known:
        label, _, address = str(entry).partition(",")
        if label.strip().lower() == LABEL:
            return address.strip().rstrip("/")
    return ""
