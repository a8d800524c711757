#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[-1],
    pass_configs={
        "tl.ascend_auto_sync": True,
        "tl.ascend_memory_planning": True,
        "tl.ascend_auto_cv_combine": True,
    },
)
def softmax(rows, columns):

    @T.prim_func
    def main(x: T.Tensor((rows, columns), "float"), y: T.Tensor((rows, columns), "float")):
        with T.Kernel(T.ceildiv(rows, 16), is_npu=True) as (cid, vid):
            tile = T.alloc_ub((8, 64), "float")
            top = T.alloc_ub((8, 1), "float")
            wide = T.alloc_ub((8, 64), "float")
            first = cid * 16 + vid * 8
            T.copy(x[first, 0], tile, pad_value=-T.infinity("float"))
            T.reduce_max(tile, top, dim=-1)
            T.tile.broadcast(wide, top)
            T.tile.sub(tile, tile, wide)
            T.tile.exp(tile, tile)
            T.reduce_sum(tile, top, dim=-1)
            T.tile.broadcast(wide, top)
            T.tile.div(tile, tile, wide)
            T.copy(tile, y[first, 0])

    return main


softmax(24, 50)

# CHECK: if ASCEND_IS_AIV {
# CHECK: copy_gm_to_ub<float, 64, 8>(tile[0], x[(cid * 16 + vid * 8) * 50], 50, tl_min<int64_t>(8, 24 - (cid * 16 + vid * 8)), 50, -CUDART_INF_F);
# CHECK: AscendC::SetFlag<AscendC::HardEvent::MTE2_V>({{\d}});
# CHECK: AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>({{\d}});
# CHECK: reduce_max<float, 8, 64, -1>(top[0], tile[0], tmp_ub[0], true);
# CHECK: AscendC::PipeBarrier<PIPE_V>();
# CHECK: Broadcast<float, 2, 1, false>(wide[0], top[0], tmp_ub, (uint32_t[]){8, 64}, (uint32_t[]){8, 1});
# CHECK: AscendC::Sub(tile[0], tile[0], wide[0], 512);
# CHECK: AscendC::Exp(tile[0], tile[0], 512);
# CHECK: reduce_sum<float, 8, 64, -1>(top[0], tile[0], tmp_ub[0], true);
# CHECK: AscendC::Div(tile[0], tile[0], wide[0], 512);
# CHECK: copy_ub_to_gm<float, 64, 8>(y[(cid * 16 + vid * 8) * 50], tile[0], 50, tl_min<int64_t>(8, 24 - (cid * 16 + vid * 8)), 50);
