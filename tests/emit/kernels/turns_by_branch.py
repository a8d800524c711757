#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[-1],
    pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_auto_cv_combine": True},
)
def turns_by_branch(rows):

    @T.prim_func
    def main(
        x: T.Tensor((2 * rows, 64), "float"),
        wanted: T.Tensor((rows,), "int32"),
        y: T.Tensor((2 * rows, 64), "float"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            even = T.alloc_ub((64,), "float")
            odd = T.alloc_ub((64,), "float")
            seldom = T.alloc_ub((64,), "float")
            total = T.alloc_ub((64,), "float")
            T.tile.fill(total, 0.0)
            T.copy(x[vid * rows, 0], even)
            for k in T.serial(rows):
                if k % 2 == 0:
                    T.tile.add(total, total, even)
                    if k < rows - 1:
                        T.copy(x[vid * rows + k + 1, 0], odd)
                else:
                    T.tile.add(total, total, odd)
                    if k < rows - 1:
                        T.copy(x[vid * rows + k + 1, 0], even)
                if wanted[k] > 0:
                    T.copy(x[vid * rows + k, 0], seldom)
                    T.tile.mul(total, total, seldom)
                T.copy(total, y[vid * rows + k, 0])

    return main


turns_by_branch(9)

# Work on one tile, the copy into the other one: each waits for what the iteration before did.
# CHECK: for (int32_t k = 0; k < 9; ++k) {
# CHECK: AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>
# CHECK: if (k % 2 == 0) {
# CHECK: AscendC::Add(total[0], total[0], even[0], 64);
# CHECK-NOT: AscendC::WaitFlag
# CHECK: tl::ascend::copy_gm_to_ub<float, 64>(odd[0]
# What one time that a branch is taken needs of the one before, it hands on itself.
# CHECK: if (wanted.GetValue(k) > 0) {
# CHECK: AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>
# CHECK: tl::ascend::copy_gm_to_ub<float, 64>(seldom[0]
# CHECK: AscendC::Mul(total[0], total[0], seldom[0], 64);
# CHECK: AscendC::SetFlag<AscendC::HardEvent::V_MTE2>
