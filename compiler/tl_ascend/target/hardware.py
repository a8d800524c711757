"""Memories, pipes, cores and platforms of the Ascend A2, A3 and 950 (A5) AI cores.

Source: CANN documentation, NPU architecture 2201 and 3510; the planner's limits are upstream's.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Memory(Enum):
    """The memories of one AI core, by their Ascend names."""

    GM = "GM"
    L1 = "L1"
    L0A = "L0A"
    L0B = "L0B"
    L0C = "L0C"
    UB = "UB"
    REGISTER = "REG"

    __hash__ = object.__hash__  # members are single; Enum's own hash is a Python call


class Core(Enum):
    """Which half of an AI core runs an operation. `ANY`: either; `BOTH`: scalar control on both."""

    CUBE = "C"
    VECTOR = "V"
    ANY = "any"

    __hash__ = object.__hash__

    @property
    def other(self) -> Core:
        """The other half of the cube or the vector core."""
        return Core.VECTOR if self is Core.CUBE else Core.CUBE


class Pipe(Enum):
    """The instruction queues of a core. Calls of one pipe start in order, pipes run in parallel.

    A call may start before the one ahead of it has ended; what stands behind a barrier starts when all
    reads and writes before it are done (CANN: PipeBarrier, and the overview of synchronisation in a
    core). No page says that a call of V has read its operands before the next one writes, so a write
    after a read needs a barrier there like a read after a write; a flag that the pipe sets in between
    is none, for it does not keep back the call behind it (CANN: SetFlag)."""

    S = "S"
    V = "V"
    M = "M"
    MTE1 = "MTE1"
    MTE2 = "MTE2"
    MTE3 = "MTE3"
    FIX = "FIX"
    ALL = "ALL"

    __hash__ = object.__hash__


_P = Pipe
# The pairs of pipes that a flag can join (HardEvent of the CANN documentation).
FLAG_PAIRS: frozenset[tuple[Pipe, Pipe]] = frozenset(
    {
        *((a, b) for a in (_P.MTE2, _P.M) for b in (_P.MTE1,)),
        *((_P.MTE1, b) for b in (_P.MTE2, _P.M, _P.V, _P.MTE3)),
        *((a, _P.V) for a in (_P.MTE2, _P.MTE3, _P.M, _P.S)),
        *((_P.V, b) for b in (_P.MTE2, _P.MTE3, _P.M, _P.MTE1, _P.S)),
        *((_P.MTE2, b) for b in (_P.M, _P.MTE3, _P.FIX, _P.S)),
        *((_P.MTE3, b) for b in (_P.MTE1, _P.MTE2, _P.S)),
        *((_P.M, b) for b in (_P.MTE2, _P.FIX, _P.S)),
        *((_P.FIX, b) for b in (_P.M, _P.MTE2, _P.S, _P.MTE3)),
        *((_P.S, b) for b in (_P.MTE2, _P.MTE3)),
    }
)
FLAG_IDS = 8


@dataclass(frozen=True, slots=True)
class Capacity:
    """Unit: bytes. `plannable` is what a plan may use, the rest is reserved by the runtime."""

    physical: int
    plannable: int
    alignment: int


@dataclass(frozen=True, slots=True)
class Platform:
    """One generation. `paths` are the data paths that exist between two memories of a core."""

    name: str
    npu_arch: str
    memories: dict[Memory, Capacity]
    paths: frozenset[tuple[Memory, Memory]]
    cube_cores: int
    vector_cores: int


_M = Memory
_PATHS_2201 = frozenset(
    {
        (_M.GM, _M.UB),
        (_M.UB, _M.GM),
        (_M.GM, _M.L1),
        (_M.L1, _M.L0A),
        (_M.L1, _M.L0B),
        (_M.L0C, _M.GM),
        (_M.L0C, _M.L1),
        (_M.UB, _M.UB),
    }
)
_MEMORIES_2201 = {
    _M.L1: Capacity(524288, 524032, 32),
    _M.L0A: Capacity(65536, 65536, 512),
    _M.L0B: Capacity(65536, 65536, 512),
    _M.L0C: Capacity(131072, 131072, 64),
    _M.UB: Capacity(196608, 196352, 32),
}
_MEMORIES_3510 = {
    **_MEMORIES_2201,
    _M.L0C: Capacity(262144, 262144, 64),
    _M.UB: Capacity(262144, 262144, 32),
}

A2 = Platform("A2", "2201", _MEMORIES_2201, _PATHS_2201, 24, 48)
A3 = Platform("A3", "2201", _MEMORIES_2201, _PATHS_2201, 24, 48)
A5 = Platform(
    "A5",
    "3510",
    _MEMORIES_3510,
    _PATHS_2201 | {(_M.L0C, _M.UB), (_M.UB, _M.L1), (_M.L1, _M.UB)},
    32,
    64,
)

PLATFORMS: dict[str, Platform] = {p.name: p for p in (A2, A3, A5)}
DEFAULT_PLATFORM = A3
