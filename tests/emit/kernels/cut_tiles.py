#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def cut():

    @T.prim_func
    def main(x: T.Tensor((20, 40), "float"), y: T.Tensor((20, 40), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            tile = T.alloc_ub((2, 16, 64), "float")
            flat = T.alloc_ub((512,), "float")
            with T.Scope("V"):
                T.tile.fill(tile, 1)
                T.barrier_all()
                T.copy(x[10:26, 0:32], tile[1, :, 32:64])
                T.barrier_all()
                T.tile.add(tile[0, :, 0:32], tile[1, :, 32:64], tile[0, :, 0:32])
                T.tile.add(flat, tile[1, 0:8, :], tile[0, 8:16, :])
                T.tile.mul(tile[0, :, 0:32], tile[0, :, 0:32], 0.25)
                T.barrier_all()
                T.copy(tile[0, :, 0:32], y[10:26, 0:32])
                T.copy(tile[0, 0:2, 0:32], y[0:2, 0:32])

    return main


cut()

# A part of a wider tile is filled row by row, so that what lies beside it stays.
# CHECK: for (int32_t row = 0; row < 16; ++row) {
# CHECK-NEXT: copy_gm_to_ub<float, 32>(tile[1056 + row * 64], x[400 + row * 40], 40, row < 10 ? 1 : 0, 32, 0.0f);
# CHECK: for (int32_t row = 0; row < 16; ++row) {
# CHECK-NEXT: AscendC::Add(tile[row * 64], tile[1056 + row * 64], tile[row * 64], 32);
# CHECK: AscendC::Add(flat[0], tile[1024], tile[512], 512);
# CHECK: AscendC::Muls(tile[row * 64], tile[row * 64], 0.25f, 32);
# On the way out the pitch is part of the call.
# CHECK: copy_ub_to_gm<float, 64, 16>(y[400], tile[0], 40, 10, 32);
# CHECK: copy_ub_to_gm<float, 64, 2>(y[0], tile[0], 40, 2, 32);
