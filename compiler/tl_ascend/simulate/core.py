"""Cores: what each remembers, and how it reaches memory."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import TYPE_CHECKING, Any, TypeAlias

import numpy as np

from tl_ascend.ir.nodes import Buffer
from tl_ascend.simulate.elements import Array
from tl_ascend.simulate.errors import (
    EvaluationError,
    OutOfBounds,
    UnsupportedOperation,
    UnwrittenMemory,
)
from tl_ascend.simulate.memory import Storage, View, gather, scatter
from tl_ascend.target.hardware import Core as Half
from tl_ascend.target.hardware import Memory

if TYPE_CHECKING:
    from tl_ascend.simulate.machine import Machine

# Block, half, number within it.
Place: TypeAlias = tuple[int, Half, int]
CUBE_MEMORIES = (Memory.L1, Memory.L0A, Memory.L0B, Memory.L0C)


@dataclass(slots=True)
class BlockOfCores:
    """One block of the launch: a cube core and its vector cores."""

    number: int
    cube: Core
    vectors: list[Core]

    @property
    def cores(self) -> list[Core]:
        return [self.cube, *self.vectors]


@dataclass(slots=True, eq=False)
class Core:
    """`values`: of variables, by uid, arrays inside of vectorised loops; `tainted`: which of them are
    poison. `taint` collects the poison of what is read while an expression is evaluated; `mask`: the
    elements of a vectorised loop that take part."""

    machine: Machine
    half: Half
    block: int
    index: int
    values: dict[int, Any] = field(default_factory=dict)
    tainted: dict[int, Any] = field(default_factory=dict)
    variables: dict[int, Any] = field(default_factory=dict)
    space: dict[int, Storage] = field(default_factory=dict)
    views: dict[int, View] = field(default_factory=dict)
    peers: BlockOfCores | None = None
    taint: Any = None
    mask: Any = None
    deq_scale: float = 1.0

    @property
    def place(self) -> Place:
        """Which core of the launch it is."""
        return self.block, self.half, self.index

    def __str__(self) -> str:
        name = "cube core" if self.half is Half.CUBE else f"vector core {self.index}"
        return f"{name} of block {self.block}"

    def view(self, buffer: Buffer) -> View:
        """A buffer as this core sees it. Tiles of the other half are those of its first core."""
        known = self.views.get(buffer.uid)
        if known is None:
            known = self.views[buffer.uid] = self._view(buffer)
        return known

    def _view(self, buffer: Buffer) -> View:
        memory = self.machine.memory(buffer)
        if memory is Memory.GM:
            return self.machine.tensor(buffer)
        holder = self._holder(memory)
        if holder is not self:
            return holder.view(buffer)
        storage = self.machine.storage(buffer, self.space)
        kind, shape = self.machine.kind(buffer), self.machine.shape(buffer)
        storage.grow(prod(shape) * kind.size)
        return View.of(buffer.name, storage, kind, shape)

    def _holder(self, memory: Memory) -> Core:
        assert self.peers is not None
        if memory in CUBE_MEMORIES:
            return self.peers.cube
        if self.half is Half.CUBE and self.peers.vectors:
            return self.peers.vectors[0]
        return self

    # --- single elements ----------------------------------------------------------------------

    def load(self, buffer: Buffer, indices: list[Any]) -> Any:
        """One element as a number, or one for each element of the loop. Elements of tensors that do
        not exist are 0, as upstream's safe accesses make them; what is poison adds to `taint`."""
        if buffer.scope == "var":
            return self._variable(buffer)
        view = self.view(buffer)
        if any(isinstance(index, np.ndarray) for index in indices):
            return self._load_many(buffer, view, indices)
        offset = self._offset(buffer, view, indices)
        if offset is None:
            return 0
        found = gather(view, np.intp(offset))
        if found.poison is not None:
            self.spoil(True)
        return found.values.item()

    def _variable(self, buffer: Buffer) -> Any:
        if buffer.uid not in self.variables:
            self.spoil(True)
            return 0
        if buffer.uid in self.tainted:
            self.spoil(self.tainted[buffer.uid])
        return self.variables[buffer.uid]

    def spoil(self, poison: Any) -> None:
        """The value that is being computed depends on poison."""
        self.taint = poison if self.taint is None else self.taint | poison

    def _offset(self, buffer: Buffer, view: View, indices: list[Any]) -> int | None:
        if len(indices) != len(view.shape):
            raise UnsupportedOperation(f"{buffer.name} with {len(indices)} indices")
        offset = 0
        for index, size, step in zip(indices, view.shape, view.strides, strict=True):
            index = int(index)
            if not 0 <= index < size:
                if self.machine.memory(buffer) is Memory.GM:
                    return None
                text = f"{buffer.name}{[int(i) for i in indices]} is outside of"
                raise OutOfBounds(f"{text} {buffer.name}{list(view.shape)}")
            offset += index * step
        return offset

    def _load_many(self, buffer: Buffer, view: View, indices: list[Any]) -> Array:
        flat, outside = offsets(view, indices)
        found = gather(view, flat)
        values = found.values
        values = values.astype(np.int64) if values.dtype.kind in "iu" else values
        if outside is not None:
            values = np.where(outside, values.dtype.type(0), values)
        if found.poison is not None:
            inside = found.poison if outside is None else found.poison & ~outside
            self.spoil(inside)
        if outside is not None and self.machine.memory(buffer) is not Memory.GM:
            self.spoil(outside)
        return values

    def store(self, buffer: Buffer, indices: list[Any], value: Any, poison: Any) -> None:
        """Set one element, or one for each element of a loop; of tensors, only those that exist."""
        if buffer.scope == "var":
            self.variables[buffer.uid] = value
            self.set_taint(buffer.uid, poison)
            return
        view = self.view(buffer)
        if self.mask is None and not any(isinstance(index, np.ndarray) for index in indices):
            offset = self._offset(buffer, view, indices)
            if offset is not None:
                scatter(view, np.asarray([offset]), [value], None if poison is None else [True])
                self.machine.note_poison(view.storage, poison)
            return
        self._store_many(buffer, view, indices, value, poison)

    def set_taint(self, uid: int, poison: Any) -> None:
        if poison is None:
            self.tainted.pop(uid, None)
        else:
            self.tainted[uid] = poison

    def _store_many(
        self, buffer: Buffer, view: View, indices: list[Any], value: Any, poison: Any
    ) -> None:
        flat, outside = offsets(view, indices)
        taken = self.mask
        if outside is not None:
            taken = ~outside if taken is None else taken & ~outside
            lost = outside if self.mask is None else outside & self.mask
            if lost.any() and self.machine.memory(buffer) is not Memory.GM:
                raise OutOfBounds(f"a store to {buffer.name}{list(view.shape)} outside of it")
        lanes = np.broadcast_shapes(flat.shape, np.shape(value), np.shape(taken))
        flat, value = np.broadcast_to(flat, lanes), np.broadcast_to(value, lanes)
        marks = None if poison is None else np.broadcast_to(poison, lanes)
        if taken is not None:
            chosen = np.broadcast_to(taken, lanes)
            flat, value = flat[chosen], value[chosen]
            marks = None if marks is None else marks[chosen]
        scatter(view, flat, value, marks)
        self.machine.note_poison(view.storage, marks)

    # --- expressions --------------------------------------------------------------------------

    def evaluate(self, value: Any) -> tuple[Any, Any]:
        """The value of an expression, and its poison."""
        self.taint = None
        found = self.machine.compiled(value)(self)
        return found, self.taint

    def decide(self, value: Any, what: str) -> Any:
        """A value that decides what the core does. Errors: UnwrittenMemory."""
        found, poison = self.evaluate(value)
        if poison is not None and np.any(poison):
            raise UnwrittenMemory(f"{what} depends on memory that nothing wrote")
        return found

    def integer(self, value: Any, what: str) -> int:
        """An integer that is the same for all elements. Errors: UnwrittenMemory, EvaluationError."""
        if type(value) is int:
            return value
        found = self.decide(value, what)
        if isinstance(found, np.ndarray):
            raise EvaluationError(f"{what} differs between the elements of a T.Parallel loop")
        return int(found)


def offsets(view: View, indices: list[Any]) -> tuple[Array, Array | None]:
    """Offsets of many elements, and which of them are outside (their offsets are 0)."""
    if len(indices) != len(view.shape):
        raise UnsupportedOperation(f"{view.name} with {len(indices)} indices")
    flat: Any = 0
    outside: Any = None
    for index, size, step in zip(indices, view.shape, view.strides, strict=True):
        wrong = (index < 0) | (index >= size)
        if np.any(wrong):
            outside = wrong if outside is None else outside | wrong
        flat = flat + index * step
    flat = np.asarray(flat, np.int64)
    if outside is None:
        return flat, None
    outside = np.broadcast_to(outside, flat.shape)
    return np.where(outside, 0, flat), outside
