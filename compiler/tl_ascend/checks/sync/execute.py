"""Executions of a lowered kernel: which pairs of accesses nothing orders, in whichever execution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tl_ascend.checks.sync.boxes import Boxes
from tl_ascend.checks.sync.engine import Engine, Outcome, Pair
from tl_ascend.checks.sync.events import Event, Program
from tl_ascend.checks.sync.trace import MAX_EVENTS, Tracer, Undecided
from tl_ascend.checks.sync.turns import Turns
from tl_ascend.checks.sync.values import POLICIES, Guesses, Policy, first_values
from tl_ascend.ir.expr import Expr, free_vars
from tl_ascend.ir.nodes import (
    CoreScope,
    For,
    If,
    Kernel,
    Let,
    TileOp,
    While,
    exprs_of,
    walk_stmts,
)
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Core


@dataclass(slots=True)
class Run:
    """One execution of one core, or of a cube core with its vector cores. `programs`: what was
    executed."""

    core: Core
    programs: list[Program]
    outcome: Outcome

    @property
    def certain(self) -> bool:
        """True where the programs were followed to their ends, without a guess."""
        return all(program.whole and not program.open for program in self.programs)

    @property
    def settled(self) -> bool:
        """True where the cores came to their ends together."""
        out = self.outcome
        followed = not out.unbalanced or all(p.exact for p in self.programs)
        return all(p.whole for p in self.programs) and not out.stuck and followed


@dataclass(slots=True)
class Executions:
    """`cores`: by core, the executions of that core alone. `together`: of all cores, where the flags
    between them could be followed; then there are no others."""

    cores: dict[Core, list[Run]] = field(default_factory=dict)
    together: list[Run] = field(default_factory=list)


_Side = tuple[Core, int]
_Programs = dict[_Side, Program]


def execute(kernel: Kernel) -> Executions:
    """All executions that are looked at."""
    found = Executions()
    scopes = {s.core for s in walk_stmts(kernel.body) if isinstance(s, CoreScope)}
    if not scopes and _mixed(kernel):
        return found
    boxes, turns = Boxes(kernel), Turns(kernel)
    cross = len(scopes) > 1 and _crosses(kernel)
    sides = [(core, 0) for core in sorted(scopes, key=lambda c: c.value) or [Core.ANY]]
    if cross and _differ(kernel):
        sides.append((Core.VECTOR, 1))
    for number, policy in enumerate(POLICIES):
        programs = _trace(kernel, sides, policy, boxes, turns)
        together = cross and _execute(programs, sides, found)
        if cross and not together and _affordable(programs):
            # What was left out may be why flags do not match.
            exact = Turns(kernel, exact=True)
            together = _execute(_trace(kernel, sides, policy, boxes, exact), sides, found)
            turns = exact if together else turns
        if not together:
            _execute_apart(programs, found)
        if not any(program.open or program.sized for program in programs.values()):
            break
        if number:
            loose = _loose(found)
            if not loose:
                break  # the others could only confirm
            boxes.restrict(loose)
    return found


def _affordable(programs: _Programs) -> bool:
    """True where iterations were left out, and there are not too many of them to be run."""
    every = programs.values()
    return not all(p.exact for p in every) and all(
        p.whole and p.length <= MAX_EVENTS for p in every
    )


def _trace(
    kernel: Kernel, sides: list[_Side], policy: Policy, boxes: Boxes, turns: Turns
) -> _Programs:
    """The program of each core, as far as it can be followed."""
    programs: _Programs = {}
    guesses: Guesses = {}
    for core, vector in sides:
        values = first_values(kernel, policy, guesses, vector)
        try:
            programs[core, vector] = Tracer(core, values, boxes, turns).run(kernel.body)
        except Undecided:
            continue
    return programs


def _execute(programs: _Programs, sides: list[_Side], found: Executions) -> bool:
    """All cores together; False where they do not come to their ends."""
    if not all(side in programs for side in sides):
        return False
    every = [programs[side] for side in sides]
    run = Run(Core.ANY, every, Engine([p.events for p in every], cross=True).run())
    if run.settled:
        found.together.append(run)
    return run.settled


def _execute_apart(programs: _Programs, found: Executions) -> None:
    for (core, vector), program in programs.items():
        if vector == 0:
            outcome = Engine([program.events], cross=False).run()
            found.cores.setdefault(core, []).append(Run(core, [program], outcome))


def _loose(found: Executions) -> set[int]:
    """The buffers of the pairs that nothing orders."""
    runs = [run for runs in (found.together, *found.cores.values()) for run in runs]
    return {pair.first.uid for run in runs for pair in run.outcome.loose.values()}


def _differ(kernel: Kernel) -> bool:
    """True where the vector cores of a block may take different ways, or use different flags."""
    assert kernel.launch is not None
    names: set[Expr] = {kernel.launch.subblock}
    for stmt in walk_stmts(kernel.body):
        flag = isinstance(stmt, TileOp) and TABLE[stmt.op].kind == "sync"
        used = any(v in names for e in exprs_of(stmt) for v in free_vars(e))
        if isinstance(stmt, Let) and used:
            names.add(stmt.var)
        elif used and (flag or isinstance(stmt, (If, For, While))):
            return True
    return False


def _crosses(kernel: Kernel) -> bool:
    return any(isinstance(s, TileOp) and "cross_flag" in s.op for s in walk_stmts(kernel.body))


def _mixed(kernel: Kernel) -> bool:
    """Code of both halves in one program, of which each half runs its own part."""
    cores = set()
    for stmt in walk_stmts(kernel.body):
        row = TABLE.get(stmt.op) if isinstance(stmt, TileOp) else None
        if row is not None and isinstance(stmt, TileOp) and row.kind == "tile":
            cores.add(row.form(stmt.form).core if stmt.form else row.core)
    return {Core.CUBE, Core.VECTOR} <= cores


def loose_pairs(runs: Iterable[Run]) -> Iterator[Pair]:
    """Pairs that are loose in each execution in which they meet."""
    runs = list(runs)
    told = set()
    for run in runs:
        for key, pair in run.outcome.loose.items():
            if key in told or not _together(pair.before, pair.after):
                continue
            told.add(key)
            if all(key in other.outcome.loose or key not in other.outcome.met for other in runs):
                yield pair


def _together(one: Event, other: Event) -> bool:
    """True where no unknown branch may keep the two from happening in one execution."""
    a, b = one.branches, other.branches
    shorter = min(len(a), len(b))
    return a[:shorter] == b[:shorter]
