"""What a statement waits for, what waits for it, and the flags beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from tl_ascend.ide.facts import Facts
from tl_ascend.ir.hazards import Hazard
from tl_ascend.ir.nodes import Stmt, TileOp
from tl_ascend.ir.reasons import Place, Reason
from tl_ascend.ir.text import op_text, show
from tl_ascend.ops.table import TABLE
from tl_ascend.passes.sync_tree import AGAIN, FIRST, LAST
from tl_ascend.source.span import Span

MAX_SHOWN = 8  # lowered statements of one that the author wrote, flags it waits for, and so on
_JOINING = ("set_flag", "wait_flag", "pipe_barrier", "barrier_all")
_WORDS = {"R": "read", "W": "written"}  # RAW: a read after a write


def is_sync(stmt: Stmt) -> bool:
    """True for a call that only orders others."""
    return isinstance(stmt, TileOp) and TABLE[stmt.op].kind == "sync"


def orders(facts: Facts, span: Span, own: Sequence[int]) -> Iterator[Reason]:
    """What a call of the author keeps in order."""
    for number in own:
        stmt = facts.statements[number]
        if not isinstance(stmt, TileOp) or not is_sync(stmt):
            continue
        found = facts.hazards.get(number, ())
        yield from (_ordered(facts, "orders", span, stmt, *pair) for pair in _merged(found))
        ours = bool(stmt.reason)  # what it is for stands beside it
        if not ours and not found and stmt.op in _JOINING:
            why = "no work that it joins was found to touch the same bytes"
            yield Reason("orders", span, _call(stmt), why)


def waits(facts: Facts, span: Span, own: Sequence[int]) -> Iterator[Reason]:
    """What a statement waits for, and what later work waits for it by."""
    mine = set(own)
    seen: dict[Reason, None] = {}
    for number, found in sorted(facts.hazards.items()):
        stmt = facts.statements[number]
        assert isinstance(stmt, TileOp)
        if AGAIN in stmt.reason:
            continue  # what it joins, others keep in order: it is for another flag
        sides = [] if stmt.op == "set_flag" else [("waits for", [h.after in mine for h in found])]
        if stmt.op != "wait_flag":
            sides.append(("is awaited by", [h.before in mine for h in found]))
        for topic, chosen in sides:
            near = [h for h, taken in zip(found, chosen, strict=True) if taken]
            for pair in _merged(near):
                seen[_ordered(facts, topic, span, stmt, *pair)] = None
    for topic in ("waits for", "is awaited by"):
        yield from [reason for reason in seen if reason.topic == topic][:MAX_SHOWN]


def across(facts: Facts, span: Span, calls: Sequence[int]) -> Iterator[Reason]:
    """Calls that lowering put here for what is not within this core, with its reason."""
    seen: dict[Reason, None] = {}
    for number in calls:
        stmt = facts.statements[number]
        assert isinstance(stmt, TileOp)
        if stmt.reason and (AGAIN in stmt.reason or not facts.hazards.get(number)):
            seen[Reason("order", span, _call(stmt), stmt.reason)] = None
    yield from seen


def added_beside(facts: Facts, own: Sequence[int]) -> dict[int, str]:
    """The calls that lowering put directly before and behind a loop or a branch for what is in it;
    of each where it stands. Those that the loop or branch itself needs are not among them."""
    found: dict[int, str] = {}
    for number in own:
        before, behind = facts.beside.get(number, ((), ()))
        first, last = facts.handed.get(number, ((), ()))
        found.update(dict.fromkeys((*_own_before(facts, before), *first), "before it"))
        found.update(dict.fromkeys((*_own_behind(facts, behind), *last), "behind it"))
    mine = set(own)
    for call in [*found]:
        if any(mine & {h.before, h.after} for h in facts.hazards.get(call, ())):
            del found[call]
    return found


def beside(facts: Facts, span: Span, near: Mapping[int, str]) -> Iterator[Reason]:
    """The same as reasons."""
    seen: dict[Reason, None] = {}
    for number, where in near.items():
        stmt = facts.statements[number]
        assert isinstance(stmt, TileOp)
        seen[Reason(where, span, _call(stmt), stmt.reason)] = None
    for topic in ("before it", "behind it"):
        yield from [reason for reason in seen if reason.topic == topic][:MAX_SHOWN]


def _own_before(facts: Facts, calls: Sequence[int]) -> Sequence[int]:
    """Those of calls before a statement that belong to it, not to the statement before it."""
    return calls[len(_own_behind(facts, calls)) :]


def _own_behind(facts: Facts, calls: Sequence[int]) -> Sequence[int]:
    """Those of calls behind a statement that belong to it: the waits that follow its last iteration,
    and sets whose wait does not come next."""
    for at, number in enumerate(calls):
        stmt, following = (facts.statements[n] for n in (number, [*calls, number][at + 1]))
        assert isinstance(stmt, TileOp) and isinstance(following, TileOp)
        last = stmt.op == "wait_flag" and stmt.reason.startswith(LAST)
        early = stmt.op == "set_flag" and not stmt.reason.startswith(FIRST)
        if not last and not (early and (following.op, following.args) != ("wait_flag", stmt.args)):
            return calls[:at]
    return calls


def _merged(found: Sequence[Hazard]) -> Iterator[tuple[str, Hazard]]:
    """Hazards of the same two statements and buffers as one, with all kinds."""
    kinds: dict[tuple[object, ...], list[Hazard]] = {}
    for hazard in found:
        key = hazard.before, hazard.after, hazard.first.uid, hazard.second.uid, hazard.source
        kinds.setdefault(key, []).append(hazard)
    for alike in kinds.values():
        yield ", ".join(dict.fromkeys(h.kind for h in alike)), alike[0]


def _ordered(
    facts: Facts, topic: str, span: Span, call: TileOp, kinds: str, hazard: Hazard
) -> Reason:
    first, second = (facts.statements[n] for n in (hazard.before, hazard.after))
    names = hazard.first.name
    if hazard.first.uid != hazard.second.uid:
        names = f"bytes that {names} and {hazard.second.name} share"
    why = f"{kinds} on {names}, {hazard.source.value} before {hazard.target.value}"
    if hazard.carried:
        why += ", from an earlier iteration"
    places = (
        Place(f"{_WORDS[hazard.kind[2]]} by {_short(first)}", first.span),
        Place(f"{_WORDS[hazard.kind[0]]} by {_short(second)}", second.span),
    )
    return Reason(topic, span, f"{_call(call)}{'' if call.reason else ' (yours)'}", why, places)


def _short(stmt: Stmt) -> str:
    return stmt.form or stmt.op if isinstance(stmt, TileOp) else "the scalar unit"


def _call(op: TileOp) -> str:
    """`flag MTE2 -> MTE1, event 1`."""
    if op.op in ("set_flag", "wait_flag"):
        source, target = (str(arg).upper() for arg in op.args[:2])
        return f"flag {source} -> {target}, event {show(op.args[2])}"
    if op.op == "pipe_barrier":
        return f"barrier of {str(op.args[0]).upper()}"
    return "barrier of all pipes" if op.op == "barrier_all" else op_text(op)
