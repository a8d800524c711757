"""Settings that every entry point shares."""

from __future__ import annotations

import os

from tl_ascend.target.hardware import DEFAULT_PLATFORM, PLATFORMS, Platform


def platform_named(name: str) -> Platform:
    """`auto`: the environment variable TL_PLATFORM, else A3 (as upstream without a device)."""
    if name in PLATFORMS:
        return PLATFORMS[name]
    return PLATFORMS.get(os.environ.get("TL_PLATFORM", "").upper(), DEFAULT_PLATFORM)
