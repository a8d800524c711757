"""Empty the scalar unit's cache where it would show (CANN, DataCacheCleanAndInvalid).

The scalar unit reads and writes GM through a cache of its own, in lines of 64 bytes; transfers go past
it, and the hardware keeps the two no further in step. So between a transfer that writes a tensor and an
element of it that the scalar unit touches, and between an element that it writes and a transfer that
touches the tensor, the cache is cleaned and forgets the tensor. Whole tensors are compared, for a line
holds more than the element. At the end of a program the cache is cleaned anyway.

The author's flags to other cores and meetings of all cores count: others may have written behind them,
and see what was written before. Between the halves of a core the compiler's own flags see to it
(`signals`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.nodes import (
    AUTO_SYNC,
    Block,
    Break,
    Buffer,
    CoreScope,
    For,
    Kernel,
    Region,
    Stmt,
    Store,
    TileOp,
    While,
    blocks_of,
    walk_stmts,
    with_blocks,
)
from tl_ascend.ir.storage import root
from tl_ascend.passes.context import PassContext
from tl_ascend.source.span import Span
from tl_ascend.target.hardware import Core, Memory, Pipe

CACHE = "tile.datacachecleanandinvalid_experiment"
_TELLS = ("set_cross_flag", "sync_all")
_HEARS = ("wait_cross_flag", "sync_all")
_CORES = (Core.CUBE, Core.VECTOR, Core.ANY)


def scalar_cache(kernel: Kernel, context: PassContext) -> Kernel:
    """The kernel with its elements in GM as all pipes see them."""
    if not kernel.options.on(AUTO_SYNC):
        return kernel
    walk = _Walk(kernel)
    touched = {uid for touch in walk.all(kernel.body) for uid in touch.elements}
    if not touched & walk.moved(kernel.body):
        return kernel
    return replace(kernel, body=walk.block(kernel.body, _State())[0])


def emptied(buffer: Buffer, span: Span, why: str) -> TileOp:
    """Bring what the scalar unit's cache holds of a tensor to GM, and forget it."""
    whole = Region(buffer, (0,) * buffer.rank, buffer.shape, "whole", span)
    args = (whole, "ENTIRE_DATA_CACHE", "CACHELINE_OUT")
    form = "DataCacheCleanAndInvalid"
    return TileOp(CACHE, args, span, (span,) * len(args), form=form, reason=why)


@dataclass(frozen=True, slots=True)
class _Touch:
    """What a statement itself does to tensors in GM, by number: `elements` that the scalar unit reads
    and `stored` ones that it writes, both `stored` and read in `elements`; transfers that read or write
    in `used`, those that write in `written`. `forgotten`: a tensor that the cache is emptied of."""

    elements: frozenset[int] = frozenset()
    stored: frozenset[int] = frozenset()
    used: frozenset[int] = frozenset()
    written: frozenset[int] = frozenset()
    forgotten: frozenset[int] = frozenset()


_Fact = tuple[Core, int]  # a core, and a tensor by number


@dataclass(frozen=True, slots=True)
class _State:
    """Tensors that were written past the cache, and those of which it may hold what is not in GM."""

    stale: frozenset[_Fact] = frozenset()
    dirty: frozenset[_Fact] = frozenset()

    def join(self, other: _State) -> _State:
        return _State(self.stale | other.stale, self.dirty | other.dirty)

    def without(self, facts: Iterable[_Fact]) -> _State:
        gone = frozenset(facts)
        return _State(self.stale - gone, self.dirty - gone)


@dataclass(slots=True)
class _Walk:
    """`left`: the states at the breaks of each loop around."""

    kernel: Kernel
    buffers: dict[int, Buffer] = field(default_factory=dict)
    left: list[list[_State]] = field(default_factory=list)
    cores: tuple[Core, ...] = _CORES
    _others: tuple[frozenset[int], frozenset[int]] | None = None

    def block(self, block: Block, state: _State) -> tuple[Block, _State]:
        done: list[Stmt] = []
        for stmt in block:
            made, state = self._stmt(stmt, state)
            done += made
        return tuple(done), state

    def _stmt(self, stmt: Stmt, state: _State) -> tuple[list[Stmt], _State]:
        if isinstance(stmt, (For, While)):
            return self._loop(stmt, state)
        touch = self._touch(stmt)
        told = self._authors(stmt, _TELLS)
        calls, state = self._emptied(touch, state, stmt.span, self._seen() if told else frozenset())
        state = self._after(touch, state)
        if self._authors(stmt, _HEARS):
            state = state.join(_State(stale=self._facts(self._changed())))
        if isinstance(stmt, Break):
            for states in self.left[-1:]:
                states.append(state)
            state = _State()
        if not blocks_of(stmt):
            return [*calls, stmt], state
        around, self.cores = self.cores, (stmt.core,) if isinstance(stmt, CoreScope) else self.cores
        branches = [self.block(inner, state) for inner in blocks_of(stmt)]
        self.cores = around
        outcome = _State() if len(branches) > 1 else state.without(self._own(stmt, state))
        for _, end in branches:
            outcome = outcome.join(end)
        return [*calls, with_blocks(stmt, tuple(inner for inner, _ in branches))], outcome

    def _own(self, stmt: Stmt, state: _State) -> list[_Fact]:
        """The facts that the only block of a statement decides about."""
        cores = (stmt.core,) if isinstance(stmt, CoreScope) else self.cores
        return [fact for fact in (*state.stale, *state.dirty) if fact[0] in cores]

    def _loop(self, loop: For | While, state: _State) -> tuple[list[Stmt], _State]:
        head = self._touch(loop)
        before, state = self._emptied(self._once(loop, head), state, loop.span)
        entry = state
        while True:
            self.left.append([])
            body, out = self.block(loop.body, entry)
            tail: list[TileOp] = []
            if isinstance(loop, While):
                tail, out = self._emptied(head, out, loop.span)
            breaks = self.left.pop()
            if entry.join(out) == entry:
                break
            entry = entry.join(out)
        certain = isinstance(loop, For) and isinstance(loop.extent, int) and loop.extent > 0
        end = out if certain else entry
        for state in breaks:
            end = end.join(state)
        return [*before, with_blocks(loop, ((*body, *tail),))], end

    def _once(self, loop: For | While, head: _Touch) -> _Touch:
        """What is looked after before a loop: what it evaluates itself, and what its iterations only
        find done."""
        inside = list(self.all(loop.body))
        if any(isinstance(s, CoreScope) or self._authors(s, _HEARS) for s in walk_stmts(loop.body)):
            return head
        elements, stored, used, written = (
            frozenset[int]().union(*(getattr(touch, name) for touch in inside))
            for name in ("elements", "stored", "used", "written")
        )
        return _Touch(head.elements | (elements - written), used=used - stored)

    def _emptied(
        self, touch: _Touch, state: _State, span: Span, told: frozenset[int] = frozenset()
    ) -> tuple[list[TileOp], _State]:
        """The cache is emptied of what it holds of what comes."""
        calls = []
        for uid in sorted(touch.elements | touch.used | told):
            facts, name = self._facts((uid,)), self.buffers[uid].name
            why = ""
            if uid in touch.elements and facts & state.stale:
                why = f"the scalar unit may have {name} in its cache as it was before"
            elif (uid in touch.used or uid in told) and facts & state.dirty:
                why = f"what the scalar unit wrote to {name} is in its cache"
            if why:
                calls.append(emptied(self.buffers[uid], span, why))
                state = state.without(facts)
        return calls, state

    def _after(self, touch: _Touch, state: _State) -> _State:
        state = state.without(self._facts(touch.forgotten))
        stored, written = self._facts(touch.stored), self._facts(touch.written)
        return state.join(_State(stale=written, dirty=stored))

    def _facts(self, uids: Iterable[int]) -> frozenset[_Fact]:
        return frozenset((core, uid) for core in self.cores for uid in uids)

    def all(self, block: Block) -> Iterator[_Touch]:
        """What the statements of a block do, nested ones too."""
        return (self._touch(stmt) for stmt in walk_stmts(block))

    def moved(self, block: Block) -> set[int]:
        """The tensors that transfers reach."""
        return {uid for touch in self.all(block) for uid in touch.used}

    def _touch(self, stmt: Stmt) -> _Touch:
        effect = effect_of(stmt)
        elements = self._numbers(effect.scalars)
        if isinstance(stmt, TileOp) and stmt.op == CACHE:
            return _Touch(elements, forgotten=self._numbers(effect.writes))
        if isinstance(stmt, Store):
            stored = self._numbers(effect.writes)
            return _Touch(elements | stored, stored)
        steps = [step for step in effect.steps if step.pipe is not Pipe.S]
        written = self._numbers([region for step in steps for region in step.writes])
        read = self._numbers([region for step in steps for region in step.reads])
        return _Touch(elements, used=read | written, written=written)

    def _numbers(self, regions: Sequence[Region]) -> frozenset[int]:
        found = set()
        for region in regions:
            if self.kernel.memory(region.buffer) is Memory.GM:
                buffer = root(region.buffer)
                self.buffers[buffer.uid] = buffer
                found.add(buffer.uid)
        return frozenset(found)

    def _authors(self, stmt: Stmt, names: tuple[str, ...]) -> bool:
        return isinstance(stmt, TileOp) and stmt.op in names and not stmt.reason

    def _seen(self) -> frozenset[int]:
        """The tensors that anybody reads, or that transfers write."""
        return self._shared()[0]

    def _changed(self) -> frozenset[int]:
        """The tensors that anybody writes."""
        return self._shared()[1]

    def _shared(self) -> tuple[frozenset[int], frozenset[int]]:
        if self._others is None:
            seen, changed = frozenset[int](), frozenset[int]()
            for touch in self.all(self.kernel.body):
                seen |= touch.used | (touch.elements - touch.stored)
                changed |= touch.written | touch.stored
            self._others = seen, changed
        return self._others
