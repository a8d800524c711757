"""Executions of a lowered kernel: which pairs of accesses nothing orders, in whichever execution."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tl_ascend.checks.sync.boxes import Boxes
from tl_ascend.checks.sync.engine import Engine
from tl_ascend.checks.sync.events import Event, Kind, Program
from tl_ascend.checks.sync.outcome import Outcome, Pair, Stuck
from tl_ascend.checks.sync.sizes import policies_of
from tl_ascend.checks.sync.trace import MAX_EVENTS, Tracer, Undecided
from tl_ascend.checks.sync.turns import Turns
from tl_ascend.checks.sync.values import Guesses, Policy, first_values
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
        """True where the programs were followed to their ends, without a guess or a size that was
        chosen."""
        return all(p.whole and not p.open and not p.sized for p in self.programs)

    @property
    def halts(self) -> list[Stuck]:
        """The waits between the cores at which these stand still, whatever they would do later."""
        return [
            stuck
            for stuck in self.outcome.stuck
            if stuck.event.kind is Kind.AWAIT and stuck.order < self.programs[stuck.core].followed
        ]

    @property
    def jammed(self) -> bool:
        """True where each core waits for another one."""
        return len(self.halts) == len(self.programs)

    @property
    def settled(self) -> bool:
        """True where the cores came to their ends together."""
        out = self.outcome
        followed = not out.unbalanced or all(p.exact for p in self.programs)
        return all(p.whole for p in self.programs) and not out.stuck and followed


@dataclass(slots=True)
class Executions:
    """`cores`: by core, the executions of that core alone. `together`: of all cores, where the flags
    between them could be followed; then there are no others. `programs`: of the first execution;
    `crosses`: there are flags between the cores; `jams`: the executions of all cores in which they stop
    each other; `rounds`: how many executions were tried."""

    cores: dict[Core, list[Run]] = field(default_factory=dict)
    together: list[Run] = field(default_factory=list)
    programs: Programs = field(default_factory=dict)
    crosses: bool = False
    jams: list[Run] = field(default_factory=list)
    rounds: int = 0

    @property
    def groups(self) -> tuple[list[Run], ...]:
        """Executions of the same programs."""
        return (self.together, *self.cores.values())


_Side = tuple[Core, int]
Programs = dict[_Side, Program]


def execute(kernel: Kernel) -> Executions:
    """All executions that are looked at."""
    found = Executions()
    scopes = {s.core for s in walk_stmts(kernel.body) if isinstance(s, CoreScope)}
    if not scopes and _mixed(kernel):
        return found
    boxes, turns = Boxes(kernel), Turns(kernel)
    found.crosses = cross = bool(scopes) and crosses(kernel)
    sides = _sides(kernel, scopes, cross)
    for number, policy in enumerate(policies_of(kernel)):
        programs = _trace(kernel, sides, policy, boxes, turns)
        found.programs = found.programs or programs
        found.rounds += 1
        run = _execute(programs, _shown(sides, programs), boxes) if cross else None
        if cross and not (run and (run.settled or run.jammed)) and _affordable(programs):
            # What was left out may be why flags do not match.
            exact = Turns(kernel, exact=True)
            longer = _trace(kernel, sides, policy, boxes, exact)
            run = _execute(longer, _shown(sides, longer), boxes)
            turns = exact if run and run.settled else turns
        if run and run.settled:
            found.together.append(run)
        else:
            found.jams += [run] if run and run.jammed else []
            _execute_apart(programs, kernel, policy, boxes, found)
        if not any(program.open or program.sized for program in programs.values()):
            break
        if number:
            doubtful = {pair.first.uid for runs in found.groups for pair in loose_pairs(runs)}
            if not doubtful and not any(map(_unmatched, found.groups)):
                break  # the others could only confirm
            boxes.restrict(doubtful)
            if not any(2 in pair.cores for runs in found.groups for pair in loose_pairs(runs)):
                sides = sides[:2]  # one vector core shows them all
    return found


def _sides(kernel: Kernel, scopes: set[Core], cross: bool) -> list[_Side]:
    """The cores whose programs differ."""
    if not cross:
        return [(core, 0) for core in sorted(scopes, key=lambda c: c.value) or [Core.ANY]]
    both = [(Core.CUBE, 0), (Core.VECTOR, 0)]
    return [*both, (Core.VECTOR, 1)] if _differ(kernel) else both


def _shown(sides: list[_Side], programs: Programs) -> list[_Side]:
    """The sides that an execution needs: one vector core shows what both do where they take the same
    way, as in kernels in which nothing asks which of them it is."""
    first, second = (programs.get((Core.VECTOR, vector)) for vector in (0, 1))
    if first is None or second is None or len(first.events) != len(second.events):
        return sides
    same = first.repeats == second.repeats and all(
        a.stmt is b.stmt and a.kind is b.kind and a.flag == b.flag
        for a, b in zip(first.events, second.events, strict=True)
    )
    return sides[:2] if same else sides


def _unmatched(runs: list[Run]) -> bool:
    """True where flags within cores do not match in any execution."""
    return bool(runs) and all(
        run.outcome.stuck or run.outcome.left or run.outcome.doubled for run in runs
    )


def _affordable(programs: Programs) -> bool:
    """True where iterations were left out, and there are not too many of them to be run."""
    every = programs.values()
    return not all(p.exact for p in every) and all(
        p.whole and sum(p.times) <= MAX_EVENTS for p in every
    )


def _trace(
    kernel: Kernel, sides: list[_Side], policy: Policy, boxes: Boxes, turns: Turns
) -> Programs:
    """The program of each core, as far as it can be followed."""
    programs: Programs = {}
    guesses: Guesses = {}
    for core, vector in sides:
        known = boxes.closed.get((core, vector)) if not turns.exact else None
        if known is not None:
            programs[core, vector] = boxes.kept(known)
            continue
        values = first_values(kernel, policy, guesses, vector)
        try:
            programs[core, vector] = Tracer(core, values, boxes, turns).run(kernel.body)
        except Undecided:
            continue
        program = programs[core, vector]
        if not turns.exact and not program.open and not program.sized:
            boxes.closed[core, vector] = program  # the same in all executions
    return programs


def _execute(programs: Programs, sides: list[_Side], boxes: Boxes) -> Run | None:
    """All cores together; None where one of them could not be followed."""
    if not all(side in programs for side in sides):
        return None
    every = [programs[side] for side in sides]
    return Run(Core.ANY, every, Engine(every, True, boxes.overlaps).run())


def _execute_apart(
    programs: Programs, kernel: Kernel, policy: Policy, boxes: Boxes, found: Executions
) -> None:
    for (core, vector), program in programs.items():
        if vector:
            continue
        outcome = Engine([program], False, boxes.overlaps).run()
        odd = outcome.stuck or (program.whole and (outcome.left or outcome.doubled))
        if odd and not program.exact and not (program.whole and program.faithful):
            exact = Turns(kernel, exact=True)
            program = _trace(kernel, [(core, 0)], policy, boxes, exact)[core, 0]
            outcome = Engine([program], False, boxes.overlaps).run()
        found.cores.setdefault(core, []).append(Run(core, [program], outcome))


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


def crosses(kernel: Kernel) -> bool:
    """True for a kernel with flags between the cores."""
    return any(isinstance(s, TileOp) and "cross_flag" in s.op for s in walk_stmts(kernel.body))


def _mixed(kernel: Kernel) -> bool:
    """Code of both halves in one program, of which each half runs its own part."""
    cores = set()
    for stmt in walk_stmts(kernel.body):
        row = TABLE.get(stmt.op) if isinstance(stmt, TileOp) else None
        if row is not None and isinstance(stmt, TileOp) and row.kind == "tile":
            cores.add(row.form(stmt.form).core if stmt.form else row.core)
    return {Core.CUBE, Core.VECTOR} <= cores


def program_of(event: Event, runs: Iterable[Run]) -> Program | None:
    """The program that an event stands in."""
    programs = (program for run in runs for program in run.programs)
    return next((p for p in programs if any(e is event for e in p.events)), None)


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
