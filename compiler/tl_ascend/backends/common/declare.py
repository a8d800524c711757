"""Which tiles and variables a program declares, whatever it writes for them."""

from __future__ import annotations

from collections.abc import Iterator

from tl_ascend.backends.common.emission import Emission
from tl_ascend.backends.common.rules import Refusal
from tl_ascend.backends.common.types import c_type
from tl_ascend.ir.expr import Load, walk
from tl_ascend.ir.nodes import Alloc, Buffer, Kernel, Store, exprs_of, regions_of, walk_stmts
from tl_ascend.ir.storage import ON_CHIP, buffers, elements, root
from tl_ascend.ir.text import show_shape


def placed_tiles(kernel: Kernel) -> Iterator[tuple[Buffer, int, int]]:
    """The tiles on chip that a statement names, with their elements and addresses. Errors: Refusal."""
    used = _used(kernel)
    for buffer in buffers(kernel):
        place = kernel.placements[buffer.uid]
        if place.memory not in ON_CHIP or buffer.uid not in used:
            continue
        count = elements(place.shape)
        if count is None or place.address is None:
            raise Refusal(
                "dynamic-shape",
                buffer.span,
                f"{buffer.name} [{show_shape(place.shape)}] has no fixed size, so it gets no "
                f"address in {place.memory.value}",
            )
        yield buffer, count, place.address


def _used(kernel: Kernel) -> set[int]:
    """The buffers that a statement names. Planning gives the others no address, rightly."""
    found: set[int] = set()
    for stmt in walk_stmts(kernel.body):
        found.update(root(region.buffer).uid for region in regions_of(stmt))
        if isinstance(stmt, Store):
            found.add(root(stmt.buffer).uid)
        for value in exprs_of(stmt):
            loads = (node for node in walk(value) if isinstance(node, Load))
            found.update(root(load.buffer).uid for load in loads)
    return found


def scalar_views(kernel: Kernel) -> Iterator[Buffer]:
    """Views of another type in which single elements are read or written, each once."""
    found: dict[int, Buffer] = {}
    for stmt in walk_stmts(kernel.body):
        reached = [stmt.buffer] if isinstance(stmt, Store) else []
        for value in exprs_of(stmt):
            reached += [node.buffer for node in walk(value) if isinstance(node, Load)]
        for buffer in reached:
            if buffer.alias_of is not None and buffer.dtype != root(buffer).dtype:
                found.setdefault(buffer.uid, buffer)
    yield from found.values()


def declare_variables(emission: Emission) -> None:
    """All scalar variables, with 0 in them."""
    for stmt in walk_stmts(emission.kernel.body):
        if isinstance(stmt, Alloc) and stmt.buffer.scope == "var":
            kind = stmt.buffer.dtype
            if stmt.buffer.uid in emission.buffers:
                continue
            name = emission.buffers[stmt.buffer.uid] = emission.names.fresh(stmt.buffer.name)
            zero = emission.values.typed(0, kind)
            emission.out.line(f"{c_type(kind)} {name} = {zero};", stmt.span)
