"""The NPUs of this machine, as npu-smi shows them.

Source: the npu-smi reference; tile-ai/tilelang-ascend 95acbd7f, tilelang/utils/target.py for platforms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace

from tl_ascend.toolchain import child

SECONDS = 20
COMMAND = ("npu-smi", "info")


@dataclass(frozen=True, slots=True)
class Device:
    """One chip. `busy`: per cent of its AI cores, None where it is not said; `used`, `memory`: MB."""

    index: int
    chip: int
    name: str
    health: str
    busy: int | None
    used: int | None
    memory: int | None


@dataclass(frozen=True, slots=True)
class Devices:
    """`driver` is empty, and `why` says what went wrong, where npu-smi gives no answer; `there`: it was
    started; `platform`: of the first device, empty where there is none."""

    devices: tuple[Device, ...]
    driver: str
    why: str = ""
    there: bool = True
    platform: str = ""


def find(environment: Mapping[str, str]) -> Devices:
    """Ask npu-smi of this machine."""
    return answered(child.run(COMMAND, SECONDS, environment))


def answered(answer: child.Outcome) -> Devices:
    """What `COMMAND` has said."""
    text = (answer.err or answer.out).strip().splitlines()
    if not answer.ok:
        why = answer.why or (text[0] if text else "npu-smi fails")
        return Devices((), "", why, answer.status is not None)
    found = parse(answer.out)
    if not found.driver:
        return replace(found, why=text[0] if text else "npu-smi says nothing")
    return found


_PHYSICAL = re.compile(r"^\|\s*Chip\s+Phy-ID\b", re.MULTILINE)
_HEAD = re.compile(r"Version:\s*(\S+)")
_FIRST = re.compile(r"^\|\s*(\d+)\s+(\S+)\s*\|\s*(\S+)\s*\|")
_SECOND = re.compile(
    r"^\|\s*(\d+)(?:\s+\d+)?\s*\|\s*[\w:.]+\s*\|\s*(\d+|NA|-)\s+\d+\s*/\s*\d+(?:\s+(\d+)\s*/\s*(\d+))?"
)


def parse(text: str) -> Devices:
    """The table of `npu-smi info`: two lines a chip."""
    head = _HEAD.search(text)
    found: list[Device] = []
    first: re.Match[str] | None = None
    for line in text.splitlines():
        second = _SECOND.match(line) if first is not None else None
        if first is not None and second is not None:
            busy, used, memory = (_number(second[at]) for at in (2, 3, 4))
            found.append(
                Device(int(first[1]), int(second[1]), first[2], first[3], busy, used, memory)
            )
            first = None
        else:
            first = _FIRST.match(line) or first
    platform = ""
    if found:  # A3 calls all of its chips Ascend910, and numbers them physically as well
        platform = "A3" if found[0].name == "Ascend910" and _PHYSICAL.search(text) else ""
        platform = platform or platform_of(found[0].name)
    return Devices(tuple(found), head[1] if head else "", platform=platform)


def _number(text: str | None) -> int | None:
    return int(text) if text is not None and text.isdigit() else None


def platform_of(name: str) -> str:
    """A2, A3 or A5 for the name of a device."""
    for part, platform in (("910B", "A2"), ("910_93", "A3"), ("910C", "A3")):
        if part in name:
            return platform
    if "950" in name or "910_95" in name:
        return "A5"
    return "A2" if "910" in name else "A3"
