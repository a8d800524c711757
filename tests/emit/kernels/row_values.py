#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def row_values():

    @T.prim_func
    def main(
        x: T.Tensor((16, 256), "float"),
        factors: T.Tensor((16,), "float"),
        y: T.Tensor((16, 256), "float"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            tile = T.alloc_ub((16, 256), "float")
            column = T.alloc_ub((16,), "float")
            blocks = T.alloc_ub((16, 8), "float")
            with T.Scope("V"):
                T.copy(x, tile)
                T.copy(factors, column)
                T.barrier_all()
                T.tile.row_expand_mul_experiment(tile, tile, column, blocks)
                T.pipe_barrier("v")
                T.tile.row_expand_sub_experiment(tile[:, 128:256], tile[:, 128:256], column, blocks)
                T.barrier_all()
                T.tile.row_expand_mul(tile, tile, column)
                T.barrier_all()
                T.copy(tile, y)

    return main


row_values()

# CHECK: tl::ascend::brcb<float>(blocks[0], column[0], 2, 1, 8);
# CHECK: for (int32_t part = 0; part < 4; ++part) {
# CHECK-NEXT: mul_mask<float>(tile[part * 64], tile[part * 64], blocks[0], 0xFFFFFFFFFFFFFFFF, 0, 16, 1, 1, 0, 32, 32, 1);
# CHECK: sub_mask<float>(tile[128 + part * 64], tile[128 + part * 64], blocks[0], 0xFFFFFFFFFFFFFFFF, 0, 16, 1, 1, 0, 32, 32, 1);
# CHECK: tl::ascend::brcb<float>(tmp_ub_1[0], column[0], 2, 1, 8);
# CHECK: mul_mask<float>(tile[part * 64], tile[part * 64], tmp_ub_1[0], 0xFFFFFFFFFFFFFFFF, 0, 16, 1, 1, 0, 32, 32, 1);
