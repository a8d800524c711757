"""The stages of lowering, in order. This list is the documentation of the compiler's middle.

Stages that only widen what is accepted are separate files too, so that each can be read, shown and
tested alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.nodes import Kernel
from tl_ascend.passes.context import LowerOptions, PassContext
from tl_ascend.passes.count_turns import count_turns
from tl_ascend.passes.cross_core import cross_core_sync
from tl_ascend.passes.cross_core_pipeline import cross_core_pipeline
from tl_ascend.passes.cross_core_spare import cross_core_spare
from tl_ascend.passes.infer_layouts import infer_layouts
from tl_ascend.passes.infer_scopes import infer_scopes
from tl_ascend.passes.insert_sync import insert_sync
from tl_ascend.passes.lower_tile_ops import lower_tile_ops
from tl_ascend.passes.order_loops import order_loops
from tl_ascend.passes.part_loops import part_loops
from tl_ascend.passes.plan_memory import plan_memory
from tl_ascend.passes.scalar_cache import scalar_cache
from tl_ascend.passes.simplify import simplify
from tl_ascend.passes.software_pipeline import software_pipeline
from tl_ascend.passes.split_cores import split_cores
from tl_ascend.passes.split_vector_cores import split_vector_cores
from tl_ascend.passes.vectorise_parallel import vectorise_parallel
from tl_ascend.passes.workspace_copies import workspace_copies


@dataclass(frozen=True, slots=True)
class Stage:
    """`establishes`: what the IR checker may demand from here on (scoped, lowered, planned).
    `by_route`: what it makes is another program on another route; no other stage may ask for it."""

    name: str
    reason: str
    run: Callable[[Kernel, PassContext], Kernel]
    establishes: str = ""
    by_route: bool = False


STAGES: tuple[Stage, ...] = (
    Stage(
        "drop-dead-code",
        "What never runs needs no memory and no synchronisation.",
        simplify,
    ),
    Stage(
        "count-turns",
        "A slot that a variable chooses is taken in turns where the variable counts iterations.",
        count_turns,
    ),
    Stage(
        "infer-scopes",
        "Everything after asks in which memory a buffer lies.",
        infer_scopes,
        "scoped",
    ),
    Stage(
        "split-vector-cores",
        "With threads=2 each vector core has half of every UB tile: all sizes after depend on it.",
        split_vector_cores,
    ),
    Stage(
        "vectorise-parallel",
        "Element-wise loops become tile operations, so that all later stages see only those.",
        vectorise_parallel,
    ),
    Stage(
        "infer-layouts",
        "Moves between GM, L1 and L0 change the order of elements: both sides must be known.",
        infer_layouts,
    ),
    Stage(
        "lower-tile-ops",
        "Memories and operands choose the device call, its extents and its hidden scratch.",
        lower_tile_ops,
        "lowered",
        by_route=True,
    ),
    Stage(
        "workspace-copies",
        "Copies between the cores lead through GM: they become two, one on each core.",
        workspace_copies,
    ),
    Stage(
        "cross-core-pipeline",
        "Where the cores take turns in a loop, each can be at another iteration than the other.",
        cross_core_pipeline,
    ),
    Stage(
        "split-cores",
        "Cube and vector cores run different programs; each statement goes to its own.",
        split_cores,
    ),
    Stage(
        "cross-core-sync",
        "Only now is it known which core writes and which one reads a tile in GM.",
        cross_core_sync,
    ),
    Stage(
        "software-pipeline",
        "Within one core, the copies of later iterations can run during this one.",
        software_pipeline,
    ),
    Stage(
        "plan-memory",
        "All buffers exist now, scratch included: lives are known, addresses can be given.",
        plan_memory,
        "planned",
        by_route=True,
    ),
    Stage(
        "scalar-cache",
        "The scalar unit sees GM through a cache; what empties it must be ordered like all else.",
        scalar_cache,
    ),
    Stage(
        "part-loops",
        "A barrier in each row of a tile is saved where one between two loops does; addresses tell.",
        part_loops,
    ),
    Stage(
        "cross-core-spare",
        "The code of each core is final now: it tells which flags between them others do for.",
        cross_core_spare,
    ),
    Stage(
        "insert-sync",
        "Buffers that share bytes must be kept apart in time too, so addresses come first.",
        insert_sync,
    ),
    Stage(
        "order-loops",
        "Where the author synchronises, none of it can stand between the calls of one T.Parallel.",
        order_loops,
    ),
    Stage(
        "simplify",
        "The stages before may leave loops and branches without content.",
        simplify,
    ),
)

Observe = Callable[[Stage, Kernel], None]


def lower(
    kernel: Kernel,
    options: LowerOptions,
    report: Report,
    until: str | None = None,
    observe: Observe | None = None,
    known: Sequence[Kernel] = (),
) -> Kernel:
    """Run the stages in order, up to and including `until`. `observe` sees each result. `known`: what
    the stages made of the same kernel with another target; those that do not ask for the route are not
    run again, as long as both are alike, and report nothing."""
    context = PassContext(options.platform, report, options.upstream)
    for at, stage in enumerate(STAGES):
        other = replace(known[at], options=kernel.options) if known else None
        if other is not None and not stage.by_route:
            kernel = other
        else:
            kernel = stage.run(kernel, context)
            # One of two equals goes on: the next comparison finds the parts that both share at once.
            kernel, known = (other, known) if kernel == other and other else (kernel, ())
        if observe is not None:
            observe(stage, kernel)
        if stage.name == until:
            break
    return kernel
