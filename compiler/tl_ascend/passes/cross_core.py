"""Order the hand-overs of tensors in GM between the cores (`tl.ascend_auto_cross_core_sync`).

Where both cores have their code from one text, they take turns on each tensor in its order (`turns`).
Where each has a text of its own, accesses that happen equally often belong together (`matches`).

Each direction of each tensor gets a flag of its own while there are enough (`cross_flag_ids`). Where
there are not, tensors are handed on together. Every flag is left as it was found. Flags that the
author sets stay; their numbers are not used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

from tl_ascend.ir.affine import interval
from tl_ascend.ir.nodes import AUTO_CV_SYNC, Kernel, TileOp, walk_stmts
from tl_ascend.passes.context import PassContext
from tl_ascend.passes.cross_core_pipeline import VERSIONS
from tl_ascend.passes.cross_core_slots import with_slots
from tl_ascend.passes.cross_flag_ids import numbered
from tl_ascend.passes.exchange import SIDES, Exchange, exchanges
from tl_ascend.passes.matches import Apart, match, match_apart
from tl_ascend.passes.places import Places, places_of
from tl_ascend.passes.signals import Insertions, Signal
from tl_ascend.passes.split_cores import SEQUENCE
from tl_ascend.passes.turns import NoTurns, take_turns
from tl_ascend.source.span import Span

FLAGS = (*range(11), 15)  # the others belong to the runtime


def cross_core_sync(kernel: Kernel, context: PassContext) -> Kernel:
    """The kernel with the flags that its author left to the compiler."""
    if kernel.options.on(AUTO_CV_SYNC):
        plan = Insertions()
        for signal, flag in _signals(kernel, context):
            plan.add(signal, flag)
        kernel = replace(kernel, body=plan.applied(kernel.body))
    attrs = {name: value for name, value in kernel.attrs.items() if name != SEQUENCE}
    return replace(kernel, attrs=MappingProxyType(attrs))


_Found = list[tuple[Exchange, list[Signal]]]


def _signals(kernel: Kernel, context: PassContext) -> list[tuple[Signal, int]]:
    """All signals with their numbers. What cannot be ordered is reported."""
    found = _Finder(kernel, context, places_of(kernel)).all()
    free = [flag for flag in FLAGS if flag not in _taken(kernel)]
    ahead = _in_turn([(exchange, with_slots(kernel, exchange, own)) for exchange, own in found])
    if (flags := numbered(ahead, free)) is not None:
        return list(zip(ahead, flags, strict=True))
    while (flags := numbered(_in_turn(found), free)) is None:
        fewer = _fewer(found, kernel)
        if fewer is None:
            _report(found[-1][0], context, f"all {len(FLAGS)} flags between the cores are taken")
        found = fewer or found[:-1]
    return list(zip(_in_turn(found), flags, strict=True))


def _in_turn(found: _Found) -> list[Signal]:
    """First the ways forth, then those back."""
    most = max((len(signals) for _, signals in found), default=0)
    return [signals[n] for n in range(most) for _, signals in found if n < len(signals)]


def _fewer(found: _Found, kernel: Kernel) -> _Found | None:
    """Two tensors as one: they are handed on together. None where that cannot be."""
    places = places_of(kernel)
    turns = [at for at, (_, signals) in enumerate(found) if all(s.in_text for s in signals)]
    if places is None or len(turns) < 2:
        return None
    one, two = turns[-2:]
    both = found[one][0].joined(found[two][0])
    assert kernel.launch is not None
    try:
        together = both, take_turns(both, places, kernel.launch.subblock)
    except NoTurns:
        return None
    return [together if at == one else entry for at, entry in enumerate(found) if at != two]


@dataclass(frozen=True, slots=True)
class _Finder:
    """Signals of all exchanges. `places` is None where each core has a text of its own."""

    kernel: Kernel
    context: PassContext
    places: Places | None

    def all(self) -> _Found:
        every = exchanges(self.kernel)
        found: dict[int, list[Signal] | None] = {}
        apart: list[Apart] = []
        for at, exchange in enumerate(every):
            known = self._matched(exchange)
            if known is not None:
                found[at] = known[0]
                apart += known[1]
        for at, exchange in enumerate(every):
            if at not in found:
                found[at] = self._in_turns(exchange, apart)
        return [(exchange, found[at] or []) for at, exchange in enumerate(every) if found[at]]

    def _matched(self, exchange: Exchange) -> tuple[list[Signal], list[Apart]] | None:
        """Where the cores do not take turns in one text; no signals where nothing matches."""
        versions = self.kernel.attrs.get(VERSIONS, {}).get(exchange.buffers[0].uid)
        if self.places is not None and versions is None:
            known = match_apart(self.kernel, exchange)
            if known is None and exchange.read_first:
                signals = match(self.kernel, exchange, None)
                known = None if signals is None else (signals, [])
            return known
        signals = match(self.kernel, exchange, versions)
        if signals is None:
            why = "not in turns, so that no read certainly belongs to a write"
            _report(exchange, self.context, why)
        return signals or [], []

    def _in_turns(self, exchange: Exchange, apart: Sequence[Apart]) -> list[Signal]:
        launch = self.kernel.launch
        assert launch is not None and self.places is not None
        points = {core: [site.point for site in exchange.of(core)] for core in SIDES}
        for pair in apart:
            inside = zip(pair, (points[core] for core in SIDES), strict=True)
            if all(any(p[: len(loop)] == loop for p in own) for loop, own in inside):
                why = "not once an iteration, as others, of the two loops that run side by side"
                _report(exchange, self.context, why)
                return []
        try:
            return take_turns(exchange, self.places, launch.subblock)
        except NoTurns as reason:
            _report(exchange, self.context, str(reason), reason.span)
            return []


def _taken(kernel: Kernel) -> set[int]:
    """The flags that the author uses."""
    taken: set[int] = set()
    for stmt in walk_stmts(kernel.body):
        if isinstance(stmt, TileOp) and stmt.op in ("set_cross_flag", "wait_cross_flag"):
            low, high = interval(stmt.args[1 if stmt.op == "set_cross_flag" else 0])
            taken.update(range(max(low or 0, 0), min(FLAGS[-1] if high is None else high, 15) + 1))
    return taken


def _report(exchange: Exchange, context: PassContext, why: str, span: Span | None = None) -> None:
    many = len(exchange.buffers) > 1
    what = "lead from core to core" if many else "is written by one core and read by the other"
    text = f"{exchange.name} {what}, but tl-ascend inserts no flags for it: {why}"
    context.report.add("not-lowered", span or exchange.sites[0].stmt.span, text)
