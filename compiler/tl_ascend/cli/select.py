"""`FILE[:FACTORY]` and `--instance N` on the command line: which kernels a command means."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

from tl_ascend.driver.check import Checker, FileReport, options_for
from tl_ascend.driver.files import Files
from tl_ascend.driver.select import BadSelection, Selected, numbered, select
from tl_ascend.source.span import Span

__all__ = ("BadSelection", "Selected", "label", "load", "locator", "numbered", "select")


def split_target(target: str) -> tuple[str, str]:
    """`FILE:FACTORY`; a path that exists as it stands has no factory, whatever colons it holds."""
    if os.path.exists(target) or ":" not in target:
        return target, ""
    path, factory = target.rsplit(":", 1)
    return path, factory


def load(target: str, platform: str, upstream: str) -> tuple[FileReport, str]:
    """Check the file of a target. Errors: OSError."""
    path, factory = split_target(target)
    options = options_for(path, platform, upstream)
    return Checker(Files()).check(os.path.normpath(path), options), factory


def label(item: Selected, total: Sequence[Selected]) -> str:
    """A heading for one of several kernels."""
    place = item.report.range_of(item.kernel.span)
    where = f"{place.path}:{place.start.row}" if place is not None else item.name
    shown = f" ({item.kernel.instance})" if item.kernel.instance else ""
    return f"{where} {item.name}.{item.number}{shown}"


def locator(item: Selected) -> Callable[[Span], str]:
    """The row and column of a span, `?` where it has none in the file."""

    def locate(span: Span) -> str:
        place = item.report.range_of(span)
        return f"{place.start.row}:{place.start.column + 1}" if place is not None else "?"

    return locate
