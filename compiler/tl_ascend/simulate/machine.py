"""What all cores of one evaluation share: the kernel, its tensors, sizes, and what was printed."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import prod
from typing import Any

from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.clears import with_clears
from tl_ascend.ir.expr import Expr, free_vars
from tl_ascend.ir.nodes import Alloc, Buffer, Kernel, Region, Stmt, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.infer_scopes import infer_scopes
from tl_ascend.simulate import expressions
from tl_ascend.simulate.core import BlockOfCores, Core
from tl_ascend.simulate.elements import Element, element
from tl_ascend.simulate.errors import BadArgument, UnsupportedOperation
from tl_ascend.simulate.memory import Box, Storage, View
from tl_ascend.target.hardware import DEFAULT_PLATFORM, Memory
from tl_ascend.target.hardware import Core as Half


@dataclass(frozen=True, slots=True)
class Printed:
    """What a core sent to the host: text of T.printf, or elements of T.dump_tensor with their mark."""

    core: str
    text: str = ""
    mark: int | None = None
    elements: Any = None


@dataclass
class Machine:
    """`sizes`: symbolic dimensions and scalar parameters, by uid. `current`: the statement that runs."""

    kernel: Kernel
    sizes: dict[int, Any] = field(default_factory=dict)
    tensors: dict[int, View] = field(default_factory=dict)
    printed: list[Printed] = field(default_factory=list)
    current: Stmt | None = None
    barrier: Any = None

    def __post_init__(self) -> None:
        if self.kernel.launch is None:
            raise BadArgument("the function has no T.Kernel", self.kernel.span)
        if not self.kernel.placements:
            self.kernel = infer_scopes(self.kernel, PassContext(DEFAULT_PLATFORM, Report(), "none"))
        self.kernel = with_clears(self.kernel)
        self._functions: dict[Any, expressions.Run] = {}
        self._shapes: dict[int, tuple[int, ...]] = {}
        self._memories: dict[int, Memory] = {}
        self._host = Core(self, Half.CUBE, 0, 0, self.sizes)
        self._rooms: dict[int, int] = {}

    # --- buffers ------------------------------------------------------------------------------

    def memory(self, buffer: Buffer) -> Memory:
        found = self._memories.get(buffer.uid)
        if found is None:
            found = self._memories[buffer.uid] = self.kernel.memory(buffer)
        return found

    def kind(self, buffer: Buffer) -> Element:
        try:
            return element(buffer.dtype)
        except UnsupportedOperation as error:
            raise UnsupportedOperation(f"{buffer.name}: {error}", buffer.span) from None

    def shape(self, buffer: Buffer) -> tuple[int, ...]:
        """The shape in numbers. Errors: BadArgument where a size is not known."""
        found = self._shapes.get(buffer.uid)
        if found is None:
            found = self._shapes[buffer.uid] = tuple(map(self.size, buffer.shape))
        return found

    def size(self, value: Any) -> int:
        """A number that is known before the launch. Errors: BadArgument."""
        if isinstance(value, int):
            return value
        missing = [n.name for n in free_vars(value) if n.uid not in self.sizes]
        if missing:
            text = f"the size {missing[0]} is not the whole of any tensor's dimension"
            raise BadArgument(f"{text}, so it is not known", self.kernel.span)
        return int(self.compiled(value)(self._host))

    def storage(self, buffer: Buffer, space: dict[int, Storage]) -> Storage:
        """The bytes of a tile, made on first use; wide enough for every view of it."""
        own = root(buffer)
        found = space.get(own.uid)
        if found is None:
            if not self._rooms:
                self._measure()
            size = self._rooms.get(own.uid) or self._bytes(own)
            found = space[own.uid] = Storage(own.name, size)
        return found

    def _bytes(self, buffer: Buffer) -> int:
        return prod(self.shape(buffer)) * self.kind(buffer).size

    def _measure(self) -> None:
        for stmt in walk_stmts(self.kernel.body):
            if isinstance(stmt, Alloc) and stmt.buffer.scope != "var":
                uid = root(stmt.buffer).uid
                self._rooms[uid] = max(self._rooms.get(uid, 0), self._bytes(stmt.buffer))

    def tensor(self, buffer: Buffer) -> View:
        """A tensor in GM, or a view of one."""
        known = self.tensors.get(buffer.uid)
        if known is None:
            source = self.tensors[root(buffer).uid]
            known = View.of(buffer.name, source.storage, self.kind(buffer), self.shape(buffer))
            self.tensors[buffer.uid] = known
        return known

    def note_poison(self, storage: Storage, poison: Any) -> None:
        """Remember which statement first wrote poison to a buffer."""
        if poison is not None and storage.origin is None:
            storage.origin = self.current

    # --- expressions --------------------------------------------------------------------------

    def compiled(self, value: Any) -> expressions.Run:
        """The function of an expression."""
        if not isinstance(value, Expr):
            return expressions.build(value, self.compiled)
        found = self._functions.get(value)
        if found is None:
            found = self._functions[value] = expressions.build(value, self.compiled)
        return found

    def box(self, core: Core, region: Region) -> Box:
        """A region in numbers."""
        view = core.view(region.buffer)
        if len(region.starts) != len(view.shape):
            text = f"{region.buffer.name} has {len(view.shape)} dimensions"
            raise UnsupportedOperation(f"{text}, and {len(region.starts)} indices are given")
        starts = tuple(core.integer(s, "an index") for s in region.starts)
        extents = tuple(core.integer(e, "an extent") for e in region.extents)
        return Box(view, starts, extents)

    # --- cores --------------------------------------------------------------------------------

    def block(self, number: int) -> BlockOfCores:
        """The cores of one block. With threads=2 the two vector cores divide every tile between
        them; what they do together is what one core does to whole tiles, and that is what runs."""
        launch = self.kernel.launch
        assert launch is not None
        count = 2 if launch.threads is None else 1
        cube = Core(self, Half.CUBE, number, 0)
        vectors = [Core(self, Half.VECTOR, number, at) for at in range(count)]
        made = BlockOfCores(number, cube, vectors)
        for core in made.cores:
            core.peers = made
            core.values = {
                **self.sizes,
                launch.block.uid: number,
                launch.subblock.uid: core.index,
            }
        return made
