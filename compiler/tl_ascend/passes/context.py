"""What a pass may know beside the kernel."""

from __future__ import annotations

from dataclasses import dataclass

from tl_ascend.diagnostics.report import Report
from tl_ascend.target.hardware import DEFAULT_PLATFORM, Platform


@dataclass(frozen=True, slots=True)
class LowerOptions:
    """`upstream`: `snapshot` where the kernel must also be right for upstream's compiler, `none`
    where ours alone matters."""

    platform: Platform = DEFAULT_PLATFORM
    upstream: str = "snapshot"


@dataclass(frozen=True, slots=True)
class PassContext:
    """Passes report what the author should know; they never raise for it."""

    platform: Platform
    report: Report
    upstream: str = "snapshot"
