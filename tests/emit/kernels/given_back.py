#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[-1],
    pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True},
)
def given_back(rows):

    @T.prim_func
    def main(
        x: T.Tensor((rows, 64), "float"),
        wanted: T.Tensor((16,), "int32"),
        y: T.Tensor((2, 64), "float"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            slots = T.alloc_ub((2, 64), "float")
            others = T.alloc_ub((2, 64), "float")
            say = T.alloc_ub((16,), "int32")
            total = T.alloc_ub((64,), "float")
            with T.Scope("V"):
                T.copy(wanted, say)
                T.tile.fill(total, 0.0)
                for k in T.serial(rows):
                    T.copy(x[k, 0], slots[k % 2, :])
                    if say[k] > 0:
                        T.tile.add(total, total, slots[k % 2, :])
                for k in T.serial(rows):
                    if say[k] > 1:
                        T.copy(x[k, 0], others[k % 2, :])
                        T.tile.sub(total, total, others[k % 2, :])
                T.copy(total, y[vid, 0])

    return main


given_back(9)

# What is loaded anyway is given back whether it was used or not; the wait for it comes first.
# CHECK: for (int32_t k = 0; k < 9; ++k) {
# CHECK: AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>
# CHECK: tl::ascend::copy_gm_to_ub<float, 64, 1>(slots[
# CHECK: AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>
# CHECK: if (say.GetValue(k) > 0) {
# CHECK: AscendC::Add(total[0], total[0], slots[
# CHECK: }
# CHECK: AscendC::SetFlag<AscendC::HardEvent::V_MTE2>(k % 2 + 1);
# What a branch loads itself it gives back itself, slot by slot.
# CHECK: if (say.GetValue(
# CHECK: AscendC::WaitFlag<AscendC::HardEvent::V_MTE2>
# CHECK: tl::ascend::copy_gm_to_ub<float, 64, 1>(others[
# CHECK: AscendC::Sub(total[0], total[0], others[
# CHECK: AscendC::SetFlag<AscendC::HardEvent::V_MTE2>
