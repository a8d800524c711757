"""From written lines to a program with its map and report."""

from __future__ import annotations

from collections.abc import Iterable
from types import MappingProxyType

from tl_ascend.backends.common.abi import Abi
from tl_ascend.backends.common.emission import Emission
from tl_ascend.backends.manifest import Emitted, Launch
from tl_ascend.passes.summary import memory_use, operations, sync_counts


def finished(
    emission: Emission, abi: Abi, launch: Launch, preamble: list[str], tail: Iterable[str]
) -> Emitted:
    """The program between what stands before and behind it."""
    lines = [*preamble, *emission.out.lines, "", *tail]
    sync = sync_counts(emission.kernel)
    for name, count in emission.barriers.items():
        sync[name] += count
    used = memory_use(emission.kernel)
    return Emitted(
        "\n".join(lines) + "\n",
        emission.out.source_map(len(preamble)),
        abi.symbol,
        launch,
        MappingProxyType({memory.value: size for memory, size in used.items()}),
        MappingProxyType(sync),
        tuple(operations(emission.kernel)),
    )
