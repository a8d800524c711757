#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def persistent():

    @T.prim_func
    def main(x: T.Tensor((256, 512), "float"), y: T.Tensor((256, 512), "float")):
        with T.Kernel(3, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64, 64), "float")
            words = T.view(a, [2, 2048], "int32")
            with T.Scope("V"):
                for i, j in T.Persistent([4, 8], 3, cid):
                    T.copy(x[i * 64, j * 64], a)
                    T.barrier_all()
                    T.tile.fill(words[1, :], 0)
                    with T.If(i > j):
                        with T.Then():
                            T.tile.atomic_add(y[i * 64, j * 64], a)
                        with T.Else():
                            T.copy(a, y[i * 64, j * 64])
                    T.barrier_all()

    return main


persistent()

# CHECK: for (int32_t w = 0; w < 11; ++w) {
# The last wave is not full.
# CHECK-NEXT: if (32 <= w * 3 + cid) {
# CHECK-NEXT: break;
# CHECK-NEXT: }
# Tiles of a group of 8 columns: first along the columns, then along the rows.
# CHECK: int64_t i = (w * 3 + cid) / 8 % 4;
# CHECK-NEXT: int64_t j = (w * 3 + cid) / 8 / 4 * 8 + (w * 3 + cid) % 8;
# CHECK: tl::ascend::copy_gm_to_ub<float, 64, 64>
# CHECK: tl::ascend::Fill<int>(a.ReinterpretCast<int>()[2048], 0, 2048);
# CHECK: if (i > j) {
# CHECK: tl::ascend::atomic_add_ub_to_gm<float, 64, 64>(y[
# CHECK: } else {
# CHECK: tl::ascend::copy_ub_to_gm<float, 64, 64>(y[
