"""Debian packages that a bare machine lacks; on other systems, says what to install."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from devtool.run import StepFailed, step

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FONT_FOLDERS = (Path("/usr/share/fonts/truetype/dejavu"), Path("/usr/share/fonts/dejavu"))
# There, installing a server would start it for all to reach; tests that need one are skipped.
SERVICES = Path("/run/systemd/system")
SYSTEM_PATH = f"{os.environ.get('PATH', os.defpath)}{os.pathsep}/usr/sbin"


def chromium() -> str | None:
    """The browser's path, if there is one."""
    return next((path for name in CHROMIUM if (path := shutil.which(name))), None)


def missing_packages(editors: bool) -> list[str]:
    """What the tests need and this machine has not."""
    tools = [("g++", "g++"), *([("make", "make")] if editors else [])]
    missing = [package for command, package in tools if shutil.which(command) is None]
    if not SERVICES.exists() and shutil.which("sshd", path=SYSTEM_PATH) is None:
        missing.append("openssh-server")
    if editors and chromium() is None:
        missing.append("chromium")
    if editors and not any(folder.is_dir() for folder in FONT_FOLDERS):
        missing.append("fonts-dejavu-core")
    return missing


def install(packages: list[str]) -> None:
    """Installs Debian packages, as root or through sudo."""
    if not packages:
        return
    names = " ".join(packages)
    as_root = [] if os.geteuid() == 0 else [shutil.which("sudo") or ""]
    if shutil.which("apt-get") is None or "" in as_root:
        raise StepFailed(f"please install by hand: {names}")
    apt = [*as_root, "env", "DEBIAN_FRONTEND=noninteractive", "apt-get"]
    try:
        step("update the list of Debian packages", [*apt, "update"])
    except StepFailed:
        print("going on with the list as it was")
    wanted = [*apt, "install", "-y", "--no-install-recommends", *packages]
    step(f"install {names}", wanted)
