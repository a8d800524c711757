"""Executions of a lowered kernel: which pairs of accesses nothing orders, in whichever execution."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

from tl_ascend.checks.sync.boxes import Boxes
from tl_ascend.checks.sync.branches import MOST, ways_of
from tl_ascend.checks.sync.engine import Engine
from tl_ascend.checks.sync.events import Event, Kind, Program, joined, owned
from tl_ascend.checks.sync.fresh import followed_tensors
from tl_ascend.checks.sync.outcome import Outcome, Pair, Stuck
from tl_ascend.checks.sync.places import Asking, Place
from tl_ascend.checks.sync.sizes import policies_of
from tl_ascend.checks.sync.trace import AMONG, MAX_EVENTS, Tracer, Undecided
from tl_ascend.checks.sync.turns import Turns
from tl_ascend.checks.sync.values import POLICIES, Guesses, Policy, first_values
from tl_ascend.ir.effects import effect_of
from tl_ascend.ir.expr import Expr
from tl_ascend.ir.nodes import CoreScope, Kernel, TileOp, walk_stmts
from tl_ascend.ir.storage import root
from tl_ascend.ops.table import TABLE
from tl_ascend.target.hardware import Core

CHEAP = 600  # events of executions that may be followed by more of them


@dataclass(slots=True)
class Run:
    """One execution of one core, or of a cube core with its vector cores. `programs`: what was
    executed; `place`: where; `size`: what was taken for symbolic dimensions."""

    core: Core
    programs: list[Program]
    outcome: Outcome
    place: Place
    size: int = 0

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
        """True where each core waits for another one; the cube core may have come to its end, where the
        vector cores wait for each other."""
        halted = {stuck.core for stuck in self.halts}
        ended = not any(stuck.core == 0 for stuck in self.outcome.stuck)
        mutual = ended and {s.event.flag for s in self.halts} <= joined(self.programs)
        return halted | ({0} if mutual and halted else set()) == set(range(len(self.programs)))

    @property
    def settled(self) -> bool:
        """True where the cores came to their ends together."""
        out = self.outcome
        followed = not out.unbalanced or all(p.exact for p in self.programs)
        return all(p.whole for p in self.programs) and not out.stuck and followed


@dataclass(slots=True)
class Followed:
    """The executions of a place. `cores`: of each of its cores alone; `together`: of all of them, where
    the flags between them could be followed; then there are no others. `programs`: of each execution,
    with what was taken for `sizes`; `jams`: those of all cores in which they stop each other, by the
    number of the execution."""

    place: Place
    cores: dict[_Side, list[Run]] = field(default_factory=dict)
    together: list[Run] = field(default_factory=list)
    programs: list[Programs] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)
    jams: dict[int, Run] = field(default_factory=dict)

    @property
    def groups(self) -> tuple[list[Run], ...]:
        """Executions of the same programs."""
        return (self.together, *self.cores.values())

    @property
    def sized(self) -> bool:
        """True where sizes alone decide what was not known."""
        every = [program for programs in self.programs for program in programs.values()]
        return any(p.sized for p in every) and all(p.whole and not p.open for p in every)

    @property
    def of_sizes(self) -> bool:
        """True where something depends on a symbolic dimension."""
        return any(p.sized for programs in self.programs for p in programs.values())

    @property
    def short(self) -> bool:
        """True where one more execution costs little."""
        return all(sum(len(p.events) for p in each.values()) <= CHEAP for each in self.programs)

    @property
    def uneven(self) -> bool:
        """True where flags between the cores do not match, or stop them."""
        return bool(self.cores) or any(run.outcome.unbalanced for run in self.together)

    @property
    def odd(self) -> bool:
        """True where accesses have no order, or cores do not come to their ends."""
        every = [run for runs in self.groups for run in runs]
        return bool(self.jams) or any(
            run.outcome.loose or run.outcome.unbalanced or _halves(run) or not run.settled
            for run in every
        )


@dataclass(slots=True)
class Executions:
    """Those of all places; `crosses`: there are flags between the cores."""

    crosses: bool = False
    places: list[Followed] = field(default_factory=list)

    @property
    def groups(self) -> list[list[Run]]:
        """Executions of the same programs."""
        return [runs for followed in self.places for runs in followed.groups]


_Side = tuple[Core, int]
Programs = dict[_Side, Program]


def execute(kernel: Kernel) -> Executions:
    """All executions that are looked at."""
    scopes = {s.core for s in walk_stmts(kernel.body) if isinstance(s, CoreScope)}
    if not scopes and _mixed(kernel):
        return Executions()
    found = Executions(bool(scopes) and crosses(kernel))
    asking, runner = Asking(kernel), _Runner(kernel, found.crosses)
    if found.crosses:
        every = [(Core.CUBE, 0), (Core.VECTOR, 0), (Core.VECTOR, 1)]
        join = _joins(kernel)
        _go(asking.together(), lambda p: every[: 3 if p.both or join else 2], runner, found)
        both = join or any(followed.place.both for followed in found.places)
        _take_ways(every[: 3 if both else 2], runner, found)
        return found
    cores = sorted(scopes, key=lambda c: c.value) or [Core.ANY]
    first = Place()
    found.places.append(runner.follow(first, [(core, 0) for core in cores]))
    for core in cores:
        others = asking.alone(core)[1:]
        _go(others, partial(_alone, core), runner, found)
    _take_ways([(core, 0) for core in cores], runner, found)
    return found


def _take_ways(sides: list[_Side], runner: _Runner, found: Executions) -> None:
    """Follow the branches that the device decides both ways, in the places that come to them."""
    asked = [followed for followed in found.places if any(map(_asked, followed.programs))]
    ways = ways_of(runner.kernel) if asked else []
    new = [
        replace(followed.place, given=given)
        for given in ways
        for followed in asked
        if given.new_to([list(each.values()) for each in followed.programs])
    ]
    for place in new[:MOST]:
        found.places.append(runner.follow(place, sides))


def _asked(programs: Programs) -> bool:
    return any(program.taken for program in programs.values())


def with_sizes(
    kernel: Kernel, found: Followed, sizes: dict[Expr, int], cross: bool = True
) -> Followed:
    """All cores of a place with these sizes."""
    return _Runner(kernel, cross, sizes).follow(found.place, list(found.programs[0]))


def at_size(kernel: Kernel, found: Followed, size: int, cross: bool) -> Followed:
    """All cores of a place with one size for all symbolic dimensions."""
    policies = (replace(policies_of(kernel)[0], size=size),)
    return _Runner(kernel, cross, policies=policies).follow(found.place, list(found.programs[0]))


def whole(kernel: Kernel, run: Run) -> Outcome | None:
    """An execution of all cores once more, with all iterations; None where that cannot be."""
    return _Runner(kernel, True, policies=(replace(POLICIES[0], size=run.size),)).whole(run)


def _alone(core: Core, place: Place) -> list[_Side]:
    return [(core, place.vector)]


def _go(
    places: list[Place],
    sides_of: Callable[[Place], list[_Side]],
    runner: _Runner,
    found: Executions,
) -> None:
    """Follow the places; those that are not new, while it costs little."""
    spent = 0
    for place in places:
        if place.new or spent < CHEAP:
            followed = runner.follow(place, sides_of(place))
            found.places.append(followed)
            spent += sum(len(p.events) for each in followed.programs for p in each.values())


@dataclass(slots=True)
class _Runner:
    """Executes a kernel at one place after the other. `cross`: all cores of a block together;
    `sizes`: of symbolic dimensions, where they are not those of the executions."""

    kernel: Kernel
    cross: bool
    sizes: dict[Expr, int] = field(default_factory=dict)
    policies: tuple[Policy, ...] = ()
    boxes: Boxes = field(init=False)
    turns: Turns = field(init=False)
    fresh: frozenset[int] = field(init=False)

    def __post_init__(self) -> None:
        self.boxes, self.turns = Boxes(self.kernel), Turns(self.kernel)
        writes = self.boxes.writes if self.cross else ()
        self.fresh = followed_tensors(self.kernel, writes) if writes else frozenset()
        self.policies = self.policies or policies_of(self.kernel)

    def follow(self, place: Place, sides: list[_Side]) -> Followed:
        """All executions of a place: one, where the first place has had all that are needed, and
        nothing is odd."""
        found, turns = Followed(place), self.turns
        if place.given is not None:
            turns = Turns(self.kernel)  # what it remembers goes by names alone
        self.boxes.restrict(None)
        for number, policy in enumerate(self.policies):
            programs = self._trace(place, sides, policy, turns)
            if not self._repeats(programs, found):
                found.programs.append(programs)
                found.sizes.append(policy.size)
                turns = self._execute(programs, sides, policy, turns, found)
            if not any(program.open or program.sized for program in programs.values()):
                break
            if not place.first and not found.odd:
                break
            if number:
                doubtful = {pair.first.uid for runs in found.groups for pair in loose_pairs(runs)}
                between = self.cross and found.uneven and found.sized
                halves = any if found.sized else all
                odd = any(runs and halves(map(_halves, runs)) for runs in found.groups)
                if not (between or doubtful or odd):
                    break  # the others could only confirm
                self.boxes.restrict(doubtful)
                sides = sides[:2] if _of_one_vector(found) else sides
        return found

    def _repeats(self, programs: Programs, found: Followed) -> bool:
        """True where an earlier execution has shown all that this one would. Each counts where sizes
        decide: of how many of them something holds."""
        if any(program.sized for program in programs.values()):
            return False
        kept = self.boxes.kept
        return any(
            earlier.keys() == programs.keys()
            and all(kept(earlier[side]).does(program) for side, program in programs.items())
            for earlier in found.programs
        )

    def _execute(
        self,
        programs: Programs,
        sides: list[_Side],
        policy: Policy,
        turns: Turns,
        found: Followed,
    ) -> Turns:
        """All cores together, or each alone; how the loops of the next execution are followed."""
        run = self._together(programs, sides, policy, found.place) if self.cross else None
        if self.cross and not (run and (run.settled or run.jammed)) and _affordable(programs):
            # What was left out may be why flags do not match.
            exact = Turns(self.kernel, exact=True)
            longer = self._trace(found.place, sides, policy, exact)
            run = self._together(longer, sides, policy, found.place)
            turns = exact if run and run.settled else turns
        if run and run.settled:
            found.together.append(run)
        else:
            if run and run.jammed:
                found.jams[len(found.programs) - 1] = run
            for side in _shown(sides, programs):
                if side in programs:
                    run = self._apart(side, programs[side], policy, found.place)
                    found.cores.setdefault(side, []).append(run)
        return turns

    def _trace(self, place: Place, sides: list[_Side], policy: Policy, turns: Turns) -> Programs:
        """The program of each core, as far as it can be followed."""
        programs: Programs = {}
        guesses: Guesses = {}
        closed = self.boxes.closed
        for core, vector in sides:
            key = core, vector, place.block, place.given
            known = closed.get(key) if not turns.exact else None
            if known is not None:
                programs[core, vector] = self.boxes.kept(known)
                continue
            values = first_values(self.kernel, policy, guesses, vector, place.block)
            values.env.update(self.sizes)
            if place.given is not None:
                values.give(place.given.what, place.given.value)
            try:
                program = Tracer(core, values, self.boxes, turns).run(self.kernel.body)
            except Undecided:
                continue
            programs[core, vector] = program
            if not turns.exact and not program.open and not program.sized:
                closed[key] = program  # the same in all executions
        return programs

    def _together(
        self, programs: Programs, sides: list[_Side], policy: Policy, place: Place
    ) -> Run | None:
        """All cores together; None where one of them could not be followed."""
        shown = _shown(sides, programs)
        if not all(side in programs for side in shown):
            return None
        every = [programs[side] for side in shown]
        if _of_two_kinds(every):
            return None  # a wait for both of them
        outcome = self._engine(every).run()
        return Run(Core.ANY, every, outcome, place, policy.size)

    def whole(self, run: Run) -> Outcome | None:
        """An execution of all cores once more, with all iterations; None where that cannot be."""
        (policy,) = self.policies
        sides = [(Core.CUBE, 0), (Core.VECTOR, 0), (Core.VECTOR, 1)]
        programs = self._trace(run.place, sides, policy, Turns(self.kernel, exact=True))
        every = list(programs.values())
        if len(every) < len(sides) or any(p.open or not p.whole for p in every):
            return None
        outcome = self._engine(every).run()
        outcome.unset = [one for one in outcome.unset if one.access.uid not in self.boxes.vague]
        return outcome if not outcome.stuck else None

    def _engine(self, every: list[Program]) -> Engine:
        return Engine(every, True, self.boxes.overlaps, self.boxes.watched, self.fresh)

    def _apart(self, side: _Side, program: Program, policy: Policy, place: Place) -> Run:
        """One core alone."""
        outcome = Engine([program], False, self.boxes.overlaps, self.boxes.watched).run()
        odd = outcome.stuck or (program.whole and (outcome.left or outcome.doubled))
        if odd and not program.exact and not (program.whole and program.faithful):
            exact = Turns(self.kernel, exact=True)
            program = self._trace(place, [side], policy, exact)[side]
            outcome = Engine([program], False, self.boxes.overlaps, self.boxes.watched).run()
        return Run(side[0], [program], outcome, replace(place, vector=side[1]), policy.size)


def _of_two_kinds(programs: Sequence[Program]) -> bool:
    """True where cores of one kind set a flag together that those of the other kind set, too."""
    joins, owns = joined(programs), owned(programs)
    signals = [
        {e.flag for e in program.events if e.kind is Kind.SIGNAL}
        for program in (programs if joins or owns else ())
    ]
    return bool(signals) and bool(joins & signals[0] or owns & set().union(*signals[1:]))


def _shown(sides: list[_Side], programs: Programs) -> list[_Side]:
    """The sides that an execution needs: one vector core shows what both do where they take the same
    way, as in kernels in which nothing asks which of them it is."""
    first, second = (programs.get((Core.VECTOR, vector)) for vector in (0, 1))
    if joined(programs.values()):
        return sides
    if first is None or second is None or len(first.events) != len(second.events):
        return sides
    same = first.repeats == second.repeats and all(
        a.stmt is b.stmt and a.kind is b.kind and a.flag == b.flag
        for a, b in zip(first.events, second.events, strict=True)
    )
    return sides[:2] if same else sides


def _halves(run: Run) -> bool:
    """True where flags within cores do not match."""
    out = run.outcome
    return bool(out.stuck or out.left or out.doubled)


def _of_one_vector(found: Followed) -> bool:
    """True where one vector core shows all that was found."""
    return (Core.VECTOR, 1) not in found.cores and not any(
        2 in pair.cores for runs in found.groups for pair in loose_pairs(runs)
    )


def _affordable(programs: Programs) -> bool:
    """True where iterations were left out, and there are not too many of them to be run."""
    every = programs.values()
    return not all(p.exact for p in every) and all(
        p.whole and sum(p.times) <= MAX_EVENTS for p in every
    )


def crosses(kernel: Kernel) -> bool:
    """True for a kernel with flags between the cores, or whose cores hand each other tensors without
    any."""
    return flagged(kernel) or _shares(kernel)


def flagged(kernel: Kernel) -> bool:
    """True for a kernel with flags between the cores."""
    return any(isinstance(s, TileOp) and "cross_flag" in s.op for s in walk_stmts(kernel.body))


def _shares(kernel: Kernel) -> bool:
    """True where one half of the core writes what the other one touches."""
    tensors = {tensor.uid for tensor in kernel.tensors}
    touched: dict[Core, tuple[set[int], set[int]]] = {}
    for scope in walk_stmts(kernel.body):
        if isinstance(scope, CoreScope):
            every, written = touched.setdefault(scope.core, (set(), set()))
            for stmt in walk_stmts(scope.body):
                effect = effect_of(stmt)
                written |= {root(r.buffer).uid for r in effect.writes} & tensors
                every |= {root(r.buffer).uid for r in (*effect.reads, *effect.writes)} & tensors
    cube, vector = (touched.get(core, (set(), set())) for core in (Core.CUBE, Core.VECTOR))
    return bool(cube[1] & vector[0] or vector[1] & cube[0])


def _joins(kernel: Kernel) -> bool:
    """True where the vector cores set flags together."""
    return any(
        isinstance(s, TileOp) and s.op == "set_cross_flag" and s.args[2] in AMONG
        for s in walk_stmts(kernel.body)
    )


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
