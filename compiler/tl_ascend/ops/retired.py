"""Names that cannot be used on Ascend: what upstream documents and does not define, what raises, and
what it keeps from its GPU origin without a lowering. Each row says what to use instead."""

from __future__ import annotations

from tl_ascend.ops.row import Op
from tl_ascend.ops.tiles import UPSTREAM

_WARPS = "an NPU has no threads and no warps"
_BARRIERS = "flags order the pipes of an NPU, not barriers in memory"
_GPU = "a GPU function that is not lowered on Ascend"


def _row(name: str, why: str, instead: str = "", defined: bool = True, renamed: str = "") -> Op:
    """The arguments do not matter."""
    status = f"{why}; use {instead}" if instead else why
    return Op(
        name,
        "host",
        source=UPSTREAM,
        family="retired",
        status=status,
        defined=defined,
        renamed=renamed,
        vararg="args",
    )


def _missing(name: str, instead: str, why: str = "T has no such name") -> Op:
    return _row(name, why, instead, defined=False)


def _renamed(name: str) -> Op:
    """What moved to T.tile as it was."""
    instead = f"tile.{name}"
    return _row(name, "T has no such name", f"T.{instead}", defined=False, renamed=instead)


def _rows(names: str, why: str, instead: str = "") -> tuple[Op, ...]:
    return tuple(_row(name, why, instead) for name in names.split())


UNDEFINED = (
    _renamed("fill"),
    _renamed("clear"),
    _missing("dyn", 'T.symbolic("n")'),
    _missing("dynamic", 'T.symbolic("n")'),
    *(_missing(name, f"T.tile.{name}") for name in ("add", "sub", "mul", "div")),
    _missing("gemm_v1", "T.gemm_v0"),
    _missing(
        "alloc_local",
        "T.alloc_var for a scalar, T.alloc_ub or T.alloc_shared for a tile",
        "upstream removed T.alloc_local, which raises AttributeError",
    ),
)

NOT_LOWERED = (
    _row("gemm", _GPU, "T.gemm_v0 (A and B in L1) or T.mma (in L0A and L0B)"),
    *_rows("atomic_add atomic_addx2 atomic_addx4", _GPU, "T.tile.atomic_add"),
    _row("dp4a", _GPU, "T.gemm_v0 with int8 operands"),
    _row("reduce_abssum", _GPU, "T.tile.abs and T.reduce_sum"),
    _row("reduce_absmax", _GPU, "T.tile.abs and T.reduce_max"),
    _row("cumsum", _GPU, "T.tile.add in a T.serial loop over rows"),
    _row("c2d_im2col", _GPU, "T.copy for each row of the window"),
    _row("any_of", _GPU, "T.reduce_max of the tile"),
    _row("all_of", _GPU, "T.reduce_min of the tile"),
    _row("print", _GPU, "T.printf or T.dump_tensor"),
    _row("ws", _WARPS, "T.Scope"),
    *_rows("sync_threads sync_global", _WARPS, "T.barrier_all or T.sync_all"),
    _row("sync_thread_partial", _WARPS, "T.pipe_barrier"),
    *_rows("get_thread_binding get_thread_bindings", _WARPS, "the second index of T.Kernel"),
    *_rows("shfl_xor shfl_down shfl_up", _WARPS),
    *_rows(
        "create_list_of_mbarrier get_mbarrier mbarrier_wait_parity mbarrier_arrive "
        "mbarrier_expect_tx barrier_wait barrier_arrive",
        _BARRIERS,
        "T.set_flag and T.wait_flag",
    ),
    *_rows(
        "create_tma_descriptor tma_load fence_proxy_async tma_store_arrive tma_store_wait wait_wgmma",
        _GPU,
        "T.copy",
    ),
    *_rows("set_max_nreg inc_max_nreg dec_max_nreg no_set_max_nreg", _GPU),
    _row(
        "parallel",
        "T.parallel is the module that holds T.Parallel, no function",
        "T.Parallel",
        renamed="Parallel",
    ),
    _row("tile.brcb", "upstream writes no device code for it", "T.tile.brcb_experiment"),
)

ROWS = (*UNDEFINED, *NOT_LOWERED)
