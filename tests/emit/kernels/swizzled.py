#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def swizzled():

    @T.prim_func
    def main(x: T.Tensor((256, 256), "float16"), y: T.Tensor((256, 256), "float16")):
        with T.Kernel(3, is_npu=True) as (cid, vid):
            tile = T.alloc_ub((64, 64), "float16")
            with T.Scope("V"):
                for i in T.serial(6):
                    at = T.use_swizzle(i * 3 + cid, 256, 256, 256, 64, 64, off=3, in_loop=True)
                    if at < 16:
                        if vid == 0:
                            T.copy(x[at // 4 * 64, at % 4 * 64], tile)
                        else:
                            T.tile.fill(tile, 0)
                        T.barrier_all()
                        row = at // 4 * 64 + vid * 32
                        T.copy(tile[vid * 32 : vid * 32 + 32, :], y[row, at % 4 * 64])
                again = T.npu_use_swizzle(cid, 256, 256, 256, 64, 64, 2, 1)
                T.printf("%d", again)

    return main


swizzled()

# Inside the branch the tile is known to lie inside the tensor: no tails.
# CHECK: int64_t at = tl::ascend::thread_block_swizzle<256, 256, 256, 64, 64, 3, 0>(i * 3 + cid);
# CHECK-NEXT: if (at < 16) {
# CHECK-NEXT: if (vid == 0) {
# CHECK-NEXT: copy_gm_to_ub<half, 64, 64>(tile[0], x[at / 4 * 16384 + at % 4 * 64], 256, 64, 64, half(0.0f));
# CHECK-NEXT: } else {
# CHECK-NEXT: Fill<half>(tile[0], half(0.0f), 4096);
# CHECK-NEXT: }
# CHECK: copy_ub_to_gm<half, 64, 32>(y[(at / 4 * 64 + vid * 32) * 256 + at % 4 * 64], tile[vid * 2048], 256, 32, 64);
# CHECK: int64_t again = tl::ascend::thread_block_swizzle<256, 256, 256, 64, 64, 2, 1>(cid);
