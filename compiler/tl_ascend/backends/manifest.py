"""What a back end is, and what it yields.

A back end is a manifest: a name, what it serves, and one function from a lowered kernel to source.
Everything else that it needs (rules, headers) lies in its own folder.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Any, TypeAlias

from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.nodes import Kernel
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import PLATFORMS, Platform


@dataclass(frozen=True, slots=True)
class SourceMap:
    """Which statement each emitted line comes from; rows count from 1, other lines are absent."""

    lines: tuple[tuple[int, Span], ...]

    def span(self, row: int) -> Span | None:
        """The statement behind an emitted line; None for a line of our own."""
        return next((span for at, span in self.lines if at == row), None)


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument of the host function. `kind`: tensor, scalar, dimension (a symbolic size), or
    drawn (a number that the kernel's Python draws at random)."""

    name: str
    kind: str
    c_type: str


@dataclass(frozen=True, slots=True)
class Launch:
    """How a program is started: the host function, its arguments in order (a stream follows them),
    and how many blocks it launches: a number, or C text over the arguments."""

    function: str
    kernel: str
    arguments: tuple[Argument, ...]
    blocks: int | str
    vector_cores: int


@dataclass(frozen=True, slots=True)
class Emitted:
    """A program. `memory`: bytes of each memory up to its last buffer; `sync`: how many of each
    synchronisation call; `operations`: the other device calls in source order."""

    text: str
    source_map: SourceMap
    symbol: str
    launch: Launch
    memory: Mapping[str, int]
    sync: Mapping[str, int]
    operations: tuple[str, ...]

    @property
    def report(self) -> dict[str, Any]:
        """What the program amounts to, as plain data."""
        return {
            "memory": dict(self.memory),
            "sync": dict(self.sync),
            "operations": list(self.operations),
            "blocks": self.launch.blocks,
        }


Emit: TypeAlias = Callable[[Kernel, Platform, Report], "Emitted | None"]


@dataclass(frozen=True, slots=True)
class Backend:
    """`name`: as `--target` says it. `architectures`: those that it serves, of platforms (`npu_arch`).
    `suffix`: of its files. `include`: header folders, the second one for host compilers only.
    `emit` reports what it cannot express and then yields None; it never raises for it."""

    name: str
    title: str
    architectures: frozenset[str]
    suffix: str
    include: Mapping[str, Path]
    emit: Emit

    def __post_init__(self) -> None:
        """Errors: ValueError, so that a wrong manifest fails where it is written."""
        if not self.name.isidentifier() or self.name != self.name.lower():
            raise ValueError(f"back end {self.name!r}: the name must be a lower-case identifier")
        if not self.title or not self.architectures:
            raise ValueError(f"back end {self.name}: title and architectures must not be empty")
        known = {platform.npu_arch for platform in PLATFORMS.values()}
        if not self.architectures <= known:
            text = f"back end {self.name}: architectures are {', '.join(sorted(known))}"
            raise ValueError(f"{text}, not {', '.join(sorted(self.architectures - known))}")
        if not self.suffix.startswith(".") or len(self.suffix) < 2:
            raise ValueError(f"back end {self.name}: {self.suffix!r} is no file suffix")
        for role, folder in self.include.items():
            if role not in ("device", "host"):
                raise ValueError(f"back end {self.name}: include folder for {role!r}")
            if not folder.is_dir():
                raise ValueError(f"back end {self.name}: {folder.name} is no folder")
        object.__setattr__(self, "include", MappingProxyType(dict(self.include)))

    def serves(self, platform: Platform) -> bool:
        """True where programs of this back end run on the platform."""
        return platform.npu_arch in self.architectures
