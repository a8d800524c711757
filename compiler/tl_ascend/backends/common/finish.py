"""From written lines to a program with its map and report."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from types import MappingProxyType

from tl_ascend.backends.common.abi import Abi, launch, signature
from tl_ascend.backends.common.emission import Emission
from tl_ascend.backends.common.rules import Refusal
from tl_ascend.backends.manifest import Emitted, Launch
from tl_ascend.passes.summary import memory_use, operations, sync_counts


def program(
    emission: Emission,
    head: Callable[[Abi], str],
    declare: Callable[[Abi], None],
    preamble: Callable[[], Iterable[str]],
    tail: Callable[[Abi, Launch], Iterable[str]],
) -> Emitted | None:
    """The program of a lowered kernel; None where something in it was reported. What a route spells:
    the `head` of the device function, what it can `declare` before the first statement, what stands
    before all (`preamble`) and the host function (`tail`)."""
    kernel = emission.kernel
    assert kernel.launch is not None, "a kernel without T.Kernel is not lowered"
    emission.values.at = kernel.span
    try:
        abi = signature(emission)
        with emission.out.block(head(abi), kernel.span):
            declare(abi)
            emission.statements(kernel.body)
        emission.values.at = kernel.launch.span
        start = launch(emission, abi, kernel.launch)
    except Refusal as refusal:
        emission.refuse(refusal)
    if emission.failed:
        return None
    return _finished(emission, abi, start, list(preamble()), tail(abi, start))


def _finished(
    emission: Emission, abi: Abi, start: Launch, preamble: list[str], tail: Iterable[str]
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
        start,
        MappingProxyType({memory.value: size for memory, size in used.items()}),
        MappingProxyType(sync),
        tuple(operations(emission.kernel)),
    )
