"""Run all checks on one kernel: those that the rows of its operations name, then the general.

Operations are checked as the author wrote them, with the memories that lowering chose: what passes
made of them is ours and has no fault of the author's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

from tl_ascend.checks import (
    accumulators,
    addresses,
    automatic,
    block_exchange,
    bounds,
    conversions,
    copy,
    cores,
    covered,
    debug,
    flags,
    fractals,
    halves,
    held,
    indices,
    kernel,
    launches,
    loops,
    lost_stores,
    masks,
    matmul,
    meetings,
    names,
    needs,
    operands,
    padded,
    parameters,
    pipelines,
    pipes,
    reduce,
    round_trips,
    routes,
    scalars,
    short_workspaces,
    slices,
    sort,
    spoilt_blocks,
    starts,
    tails,
    transfers,
    unpadded,
    unwritten,
    unwritten_parts,
    vector,
    vector_cores,
    workspaces,
)
from tl_ascend.checks.context import Call, CheckContext, calls_of
from tl_ascend.checks.sync.boxes import may_be_ragged
from tl_ascend.checks.sync.missing import synchronisation
from tl_ascend.checks.sync.spare_turns import spare_turns
from tl_ascend.diagnostics.report import Report
from tl_ascend.ir.effects import operand_wait
from tl_ascend.ir.nodes import Alloc, Buffer, Kernel, Placement, TileOp, walk_stmts
from tl_ascend.target.hardware import Memory, Platform

OPERATION_CHECKS: Mapping[str, Callable[[Call, CheckContext], None]] = MappingProxyType(
    {
        "copy_extents": copy.copy_extents,
        "copy_path": copy.copy_path,
        "copy_types": copy.copy_types,
        "gemm_operands": matmul.gemm_operands,
        "gemm_slots": matmul.gemm_slots,
        "gemm_tail": matmul.gemm_tail,
        "same_size": vector.same_size,
        "atomic_path": copy.atomic_path,
        "compared_bytes": vector.compared_bytes,
        "conversion_mode": conversions.conversion_mode,
        "conversion_scale": conversions.conversion_scale,
        "converted_types": conversions.converted_types,
        "copied_mode": conversions.copied_mode,
        "count_fits": operands.count_fits,
        "enough_offsets": needs.enough_offsets,
        "compared_mask": masks.compared_mask,
        "compared_mode": masks.compared_mode,
        "compared_operand": masks.compared_operand,
        "selected_mask": masks.selected_mask,
        "progression_step": routes.progression_step,
        "spoilt_operands": routes.spoilt_operands,
        "on_chip_alignment": transfers.on_chip_alignment,
        "cross_flag_id": flags.cross_flag_id,
        "cross_flag_pipe": pipes.cross_flag_pipe,
        "event_id": flags.event_id,
        "dump_number": debug.dump_number,
        "merged_size": sort.merged_size,
        "row_scalars": vector.row_scalars,
        "select_mode": vector.select_mode,
        "sorted_pairs": sort.sorted_pairs,
        "tile_operand": vector.tile_operand,
        "transposed_shape": vector.transposed_shape,
        "word_bits": operands.word_bits,
        "broadcast_shape": vector.broadcast_shape,
        "reduce_axis": reduce.reduce_axis,
        "reduce_out": reduce.reduce_out,
        "reduce_rows": reduce.reduce_rows,
    }
)
_MEMORIES = frozenset(memory.value for memory in Memory)
# Of these rules, those that look at nothing but the call and where the author allocated its operands.
OF_CALLS = (
    "copy_extents",
    "copy_path",
    "copy_types",
    "gemm_operands",
    "same_size",
    "atomic_path",
    "compared_bytes",
    "conversion_mode",
    "converted_types",
    "copied_mode",
    "count_fits",
    "enough_offsets",
    "compared_mask",
    "compared_mode",
    "compared_operand",
    "selected_mask",
    "cross_flag_id",
    "cross_flag_pipe",
    "event_id",
    "dump_number",
    "merged_size",
    "row_scalars",
    "select_mode",
    "sorted_pairs",
    "tile_operand",
    "transposed_shape",
    "word_bits",
    "broadcast_shape",
    "reduce_axis",
    "reduce_out",
)
# For every row.
GENERAL_OF_CALLS: tuple[Callable[[Call, CheckContext], None], ...] = (
    operands.deprecated,
    operands.words,
    operands.every_index,
    operands.whole_buffers,
    operands.vector_operands,
    operands.transfer_operands,
    needs.enough_elements,
)
GENERAL_CHECKS: tuple[Callable[[Call, CheckContext], None], ...] = (
    *GENERAL_OF_CALLS,
    slices.consecutive_operands,
    routes.lacking_operation,
    automatic.unordered_call,
)
KERNEL_CHECKS: tuple[Callable[[CheckContext], None], ...] = (
    kernel.known_target,
    kernel.out_idx,
    loops.persistent_loops,
    operands.element_types,
    accumulators.gemm_init,
    accumulators.first_product,
    accumulators.restarted_sum,
    addresses.annotated_addresses,
    automatic.misplaced_flags,
    cores.scope_ownership,
    flags.computed_ids,
    pipes.pipe_names,
    pipes.pairs_of_pipes,
    pipes.pipes_of_cores,
    held.template_ids,
    fractals.fractal_overlap,
    halves.halved_tiles,
    bounds.region_range,
    short_workspaces.short_workspaces,
    indices.index_range,
    synchronisation,
    spare_turns,
    launches.many_blocks,
    lost_stores.lost_stores,
    meetings.meetings_of_one_half,
    meetings.meetings_of_each_half,
    names.duplicate_names,
    padded.padded_reductions,
    parameters.bound_sizes,
    parameters.scalar_types,
    pipelines.pipeline_stages,
    round_trips.round_trips,
    unpadded.unpadded_tails,
    unwritten.never_used,
    unwritten.never_written,
    unwritten.written_later,
    unwritten_parts.unwritten_parts,
    launches.shared_targets,
    vector_cores.exchanged_parts,
    block_exchange.exchanged_between_blocks,
    scalars.scalar_half,
    spoilt_blocks.spoilt_blocks,
    starts.operand_starts,
    tails.lost_rows,
    tails.lost_products,
    tails.odd_halves,
    covered.unwritten_outputs,
    covered.idle_blocks,
    launches.no_blocks,
    workspaces.named_workspaces,
    workspaces.paired_accesses,
    workspaces.flags_without_split,
    workspaces.workspace_idx,
)


# The rules that ask for the route. What the others say of a kernel holds on every route on which its
# statements and addresses are the same.
BY_ROUTE: frozenset[object] = frozenset(
    {
        automatic.unordered_call,
        conversions.conversion_mode,
        conversions.conversion_scale,
        conversions.copied_mode,
        flags.computed_ids,
        flags.event_id,
        held.template_ids,
        kernel.known_target,
        matmul.gemm_slots,
        matmul.gemm_tail,
        meetings.meetings_of_one_half,
        meetings.meetings_of_each_half,
        operands.element_types,
        reduce.reduce_rows,
        routes.lacking_operation,
        routes.progression_step,
        routes.spoilt_operands,
        transfers.on_chip_alignment,
        unpadded.unpadded_tails,
    }
)


def check(
    before: Kernel,
    after: Kernel,
    platform: Platform,
    report: Report,
    upstream: str = "snapshot",
    only_by_route: bool = False,
) -> None:
    """`before`: the kernel of the front end; `after`: what `passes.pipeline.lower` made of it.
    `only_by_route`: the same was found right on another route."""
    context = CheckContext(before, after, platform, report, upstream)
    asking = asking_for_route(after) if only_by_route else None
    general, named = GENERAL_CHECKS, OPERATION_CHECKS
    if asking is not None:
        general = tuple(rule for rule in general if rule in asking)
        named = {name: rule for name, rule in named.items() if rule in asking}
    for call in calls_of(walk_stmts(before.body)):
        for rule in (*general, *(named[name] for name in call.row.checks if name in named)):
            rule(call, context)
    for kernel_rule in KERNEL_CHECKS:
        if asking is None or kernel_rule in asking:
            kernel_rule(context)


def asking_for_route(kernel: Kernel) -> frozenset[object]:
    """The rules that ask for the route of a lowered kernel."""
    calls = (s for s in walk_stmts(kernel.body) if isinstance(s, TileOp))
    asked = any(operand_wait(call, kernel.options) or may_be_ragged(call) for call in calls)
    return BY_ROUTE | {synchronisation} if asked else BY_ROUTE


# What of a kernel holds whichever other statements it has.
IN_PART: tuple[Callable[[CheckContext], None], ...] = (
    bounds.region_range,
    indices.index_range,
    parameters.scalar_types,
    pipes.pipe_names,
    pipes.pairs_of_pipes,
    pipes.pipes_of_cores,
)


def check_calls(kernel: Kernel, platform: Platform, report: Report, upstream: str) -> None:
    """What is certain of single calls of a kernel of which a part is missing, so that it is not lowered:
    where tiles lie that the compiler places is not known."""
    placed = {
        buffer.uid: Placement(Memory(buffer.scope), buffer.shape)
        for buffer in (*kernel.tensors, *_allocated(kernel))
        if buffer.scope in _MEMORIES
    }
    context = CheckContext(kernel, replace(kernel, placements=placed), platform, report, upstream)
    for call in calls_of(walk_stmts(kernel.body)):
        named = (OPERATION_CHECKS[name] for name in call.row.checks if name in OF_CALLS)
        for rule in (*GENERAL_OF_CALLS, *named):
            rule(call, context)
    for kernel_rule in IN_PART:
        kernel_rule(context)


def _allocated(kernel: Kernel) -> list[Buffer]:
    return [s.buffer for s in walk_stmts(kernel.body) if isinstance(s, Alloc)]
