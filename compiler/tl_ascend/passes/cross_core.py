"""Order the hand-overs of tensors in GM between the cores (`tl.ascend_auto_cross_core_sync`).

Each tensor that one core hands to the other gets a flag that the writer sets behind its writes and
the reader waits for. Where that happens more than once, a second flag leads back: the reader sets it
when it is done, and the writer waits for it before it writes again. That one is set once at the
start, since the first write has nothing to wait for, and waited for once at the end, so that every
flag is left as it was found. So at most one hand-over is on its way, and no counter runs over.

Flags that the author sets stay; their numbers are not used.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

from tl_ascend.ir.affine import interval
from tl_ascend.ir.nodes import (
    AUTO_CV_SYNC,
    Block,
    CoreScope,
    For,
    Kernel,
    Stmt,
    TileOp,
    blocks_of,
    walk_stmts,
    with_blocks,
)
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.cross_core_pipeline import VERSIONS
from tl_ascend.passes.exchange import Address, Exchange, HandOver, Site, exchanges
from tl_ascend.target.hardware import Core, Pipe

FLAGS = (*range(11), 15)  # the others belong to the runtime
_MODE = 2  # between a cube core and its vector cores


def cross_core_sync(kernel: Kernel, context: PassContext) -> Kernel:
    """The kernel with the flags that its author left to the compiler."""
    if not kernel.options.on(AUTO_CV_SYNC):
        return kernel
    plan = _Plan()
    free = [flag for flag in FLAGS if flag not in _taken(kernel)]
    wishes = list(_wishes(kernel, context))
    both = [(wish, False) for wish in wishes]
    both += [(wish, True) for wish in wishes if wish.needs_way_back]
    for wish, back in both:
        if not free:
            _report_no_flag(wish, context)
            return kernel
        wish.add(plan, free.pop(0), back)
    return replace(kernel, body=_ends(_inserted(kernel.body, plan, ()), plan))


def _wishes(kernel: Kernel, context: PassContext) -> Iterator[_Wish]:
    """Each direction of each exchange; one whose sides do not match is reported."""
    versions = kernel.attrs.get(VERSIONS, {})
    for exchange in exchanges(kernel):
        if exchange.hand_overs is None:
            _report_unmatched(exchange, context)
        for writer in _writers(exchange):
            yield _Wish(exchange, writer, versions.get(exchange.buffer.uid))


@dataclass(slots=True)
class _Plan:
    """What is put where. `start`, `end`: by core."""

    before: dict[Address, list[TileOp]] = field(default_factory=dict)
    after: dict[Address, list[TileOp]] = field(default_factory=dict)
    start: dict[Core, list[TileOp]] = field(default_factory=dict)
    end: dict[Core, list[TileOp]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class _Wish:
    """One direction of an exchange. `versions`: how many, and of which loop."""

    exchange: Exchange
    writer: Core
    versions: tuple[int, int] | None

    @property
    def hand_overs(self) -> list[HandOver]:
        return [h for h in self.exchange.hand_overs or () if h.writer.first.core is self.writer]

    @property
    def needs_way_back(self) -> bool:
        """Not where each write answers one of the other core, which came after its own read."""
        every = self.exchange.hand_overs or ()
        answers = [a.writer.first.core is not b.writer.first.core for a, b in _neighbours(every)]
        return not all(answers) if len(every) > 1 else every[0].often

    def add(self, plan: _Plan, flag: int, back: bool) -> None:
        name = self.exchange.buffer.name
        for hand_over in self.hand_overs:
            given, taken = hand_over.writer, hand_over.reader
            if back:
                given, taken = taken, given
            what = f"{name} is {'read' if back else 'written'}"
            address = given.last.address(given.depth)
            pipe = given.last.pipe
            if len(given.pipes) > 1:
                plan.after.setdefault(address, []).append(_barrier(given.last.stmt, what))
            plan.after.setdefault(address, []).append(_set(given.last.stmt, pipe, flag, what))
            address = taken.first.address(taken.depth)
            wait = _wait(taken.first.stmt, taken.first.pipe, flag, f"{what} by the other core")
            plan.before.setdefault(address, []).append(wait)
        if back:
            self._lend(plan, flag)

    def _lend(self, plan: _Plan, flag: int) -> None:
        """One write is free at the start, so one flag is left at the end. Of a workspace with
        versions as many writes are free as it has versions, each time that its loop begins."""
        reader, writer = self.hand_overs[0].reader.first, self.hand_overs[-1].writer.last
        name = self.exchange.buffer.name
        ready = _set(reader.stmt, reader.pipe, flag, f"{name} may be written for the first time")
        done = _wait(writer.stmt, writer.pipe, flag, f"the last read of {name} sets it")
        if self.versions is None:
            plan.start.setdefault(reader.core, []).append(ready)
            plan.end.setdefault(writer.core, []).append(done)
            return
        count, loop = self.versions
        start, end = _around(reader, loop), _around(writer, loop)
        plan.before.setdefault(start, []).extend([ready] * count)
        plan.after.setdefault(end, []).extend([done] * count)


def _around(site: Site, loop: int) -> Address:
    """The loop over groups that an access is in."""
    depth = next(
        at
        for at, around in enumerate(site.trail)
        if isinstance(around.stmt, For) and around.stmt.var.uid == loop
    )
    return site.address(depth)


def _neighbours(every: Sequence[HandOver]) -> Iterator[tuple[HandOver, HandOver]]:
    yield from zip(every, every[1:], strict=False)
    if any(hand_over.often for hand_over in every):
        yield every[-1], every[0]


def _writers(exchange: Exchange) -> list[Core]:
    return list(dict.fromkeys(h.writer.first.core for h in exchange.hand_overs or ()))


def _taken(kernel: Kernel) -> set[int]:
    """The flags that the author uses."""
    taken: set[int] = set()
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, TileOp) and stmt.op in ("set_cross_flag", "wait_cross_flag"):
            low, high = interval(stmt.args[1 if stmt.op == "set_cross_flag" else 0])
            taken.update(range(max(low or 0, 0), min(FLAGS[-1] if high is None else high, 15) + 1))
    return taken


def _inserted(block: Block, plan: _Plan, prefix: Address) -> Block:
    done: list[Stmt] = []
    for index, stmt in enumerate(block):
        here = (*prefix, index)
        inner = tuple(
            _inserted(nested, plan, (*here, branch))
            for branch, nested in enumerate(blocks_of(stmt))
        )
        done.extend(plan.before.get(here, ()))
        done.append(with_blocks(stmt, inner) if inner else stmt)
        done.extend(plan.after.get(here, ()))
    return tuple(done)


def _ends(body: Block, plan: _Plan) -> Block:
    """What stands at the start and at the end of each core's code."""
    for core, calls in plan.start.items():
        body = _first(body, core, tuple(calls))
    for core, calls in plan.end.items():
        body = _first(body[::-1], core, tuple(calls), backwards=True)[::-1]
    return body


def _first(body: Block, core: Core, calls: Block, backwards: bool = False) -> Block:
    """Calls in the first scope of a core; in one of their own where its scopes stand in loops."""
    for at, stmt in enumerate(body):
        if isinstance(stmt, CoreScope) and stmt.core is core:
            inner = (*stmt.body, *calls) if backwards else (*calls, *stmt.body)
            return (*body[:at], replace(stmt, body=inner), *body[at + 1 :])
        if blocks_of(stmt) and not isinstance(stmt, CoreScope):
            break
    return (CoreScope(core, calls, calls[0].span, inferred=True), *body)


def _report_unmatched(exchange: Exchange, context: PassContext) -> None:
    context.report.add(
        "not-lowered",
        exchange.first.stmt.span,
        f"{exchange.buffer.name} is written by one core and read by the other, but not in turns: "
        "tl-ascend cannot tell which read belongs to which write, and inserts no flags for it",
    )


def _report_no_flag(wish: _Wish, context: PassContext) -> None:
    context.report.add(
        "not-lowered",
        wish.exchange.first.stmt.span,
        f"the cores hand {wish.exchange.buffer.name} to each other, but all {len(FLAGS)} flags "
        "between them are taken: no flags are inserted",
    )


def _set(at: TileOp, pipe: Pipe, flag: int, why: str) -> TileOp:
    return _call("set_cross_flag", (pipe.value, flag, _MODE), at, why)


def _wait(at: TileOp, pipe: Pipe, flag: int, why: str) -> TileOp:
    return _call("wait_cross_flag", (flag, pipe.value), at, why)


def _barrier(at: TileOp, why: str) -> TileOp:
    return _call("barrier_all", (), at, f"{why} on several pipes")


def _call(name: str, args: tuple[str | int, ...], at: TileOp, why: str) -> TileOp:
    return TileOp(name, args, at.span, (at.span,) * len(args), form=name, reason=why)
