#@ emit: pto
import tilelang
import tilelang.language as T

AUTOMATIC = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-2, -1], target="pto", pass_configs=AUTOMATIC)
def repeats():

    @T.prim_func
    def main(
        x: T.Tensor((512,), "float32"),
        h: T.Tensor((512,), "float16"),
        y: T.Tensor((10, 64), "float32"),
        z: T.Tensor((7, 64), "float16"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((512,), "float32")
            n = T.alloc_ub((512,), "float16")
            r = T.alloc_ub((64,), "float32")
            s = T.alloc_ub((64,), "float16")
            with T.Scope("V"):
                T.copy(x, a)
                T.copy(h, n)
                T.tile.fill(r, 0.0)
                T.tile.fill(s, 0.0)
                T.tile.wholereducesum(r, a, 64, 8, 1, 1, 8)
                T.copy(r, y[0, :])
                T.tile.wholereducemax(r, a, 64, 8, 1, 1, 8, "ORDER_ONLY_VALUE")
                T.copy(r, y[1, :])
                T.tile.wholereducemin(r, a, 40, 8, 3, 1, 8, "ORDER_ONLY_VALUE")
                T.copy(r, y[2, :])
                T.tile.wholereducemax(r, a, 32, 16, 1, 1, 4)
                T.copy(r, y[3, :])
                T.tile.wholereducemin(r, a, 64, 8, 2, 1, 8, "ORDER_INDEX_VALUE")
                T.copy(r, y[4, :])
                T.tile.wholereducemax(r, a, 64, 8, 1, 1, 8, "ORDER_ONLY_INDEX")
                T.copy(r, y[5, :])
                T.tile.block_reduce_max(r, a, 8, 64, 1, 1, 8)
                T.copy(r, y[6, :])
                T.tile.block_reduce_min(r, a, 8, 64, 1, 1, 8)
                T.copy(r, y[7, :])
                T.tile.block_reduce_sum(r, a, 1, 32, 1, 2, 16)
                T.copy(r, y[8, :])
                T.tile.reduce_sum_mask_experiment(r, a, 5, 6, 3)
                T.copy(r, y[9, :])
                T.tile.wholereducemax(s, n, 64, 2, 1, 1, 4)
                T.copy(s, z[0, :])
                T.tile.wholereducemin(s, n, 128, 4, 2, 1, 8)
                T.copy(s, z[1, :])
                T.tile.wholereducesum(s, n, 128, 4, 1, 1, 8)
                T.copy(s, z[2, :])
                T.tile.wholereducemax(s, n, 64, 4, 1, 1, 8, "ORDER_ONLY_INDEX")
                T.copy(s, z[3, :])
                T.tile.block_reduce_sum(s, n, 4, 128, 1, 1, 8)
                T.copy(s, z[4, :])
                T.tile.block_reduce_max(s, n, 1, 48, 1, 1, 8)
                T.copy(s, z[5, :])
                T.tile.sum_experiment(s, n, [4, 128, 100])
                T.copy(s, z[6, :])

    return main


repeats()

# CHECK: TROWSUM(r_part, a_part
# CHECK: TROWMAX(r_part
# CHECK: tl::ascend_pto::spread<tl::ascend_pto::Found::Value, float, 64, 512, 8>(
# CHECK: tl::ascend_pto::spread<tl::ascend_pto::Found::ValueIndex, float, 64, 512, 16>(
# CHECK: tl::ascend_pto::spread<tl::ascend_pto::Found::IndexValue, float, 64, 512, 8>(
# CHECK: tl::ascend_pto::TileUbDataND<float, 64, 8, 64, 8> a_part
# CHECK: tl::ascend_pto::TileUbDataND<float, 4, 16, 4, 8> a_part
