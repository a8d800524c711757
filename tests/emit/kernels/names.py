#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def names():

    @T.prim_func
    def größe(float: T.Tensor((64,), "float"), pipe: T.Tensor((64,), "float")):
        with T.Kernel(2, is_npu=True) as (call, auto):
            half = T.alloc_ub((64,), "float")
            EVENT_ID0 = T.alloc_ub((64,), "float")
            été = T.alloc_ub((64,), "float")
            unused = T.alloc_ub((64,), "float")
            with T.Scope("V"):
                for i in T.serial(2):
                    T.copy(float, half)
                for i in T.serial(2):
                    T.copy(float, EVENT_ID0)
                    for j in T.serial(3):
                        T.printf("%d \"%s\"\n", i + j, "x")
                T.tile.add(été, half, EVENT_ID0)
                T.barrier_all()
                T.copy(été, pipe)

    return größe


names()

# CHECK: void gru00f6u00dfe_kernel(GM_ADDR float_handle, GM_ADDR pipe_handle, uint64_t fftsAddr) {
# CHECK: AscendC::GlobalTensor<float> float_;
# CHECK: AscendC::GlobalTensor<float> pipe_;
# CHECK: auto call_ = AscendC::GetBlockIdx();
# CHECK: auto auto_ = AscendC::GetSubBlockIdx();
# CHECK-NEXT: auto half_ = ascend_ub.
# CHECK-NEXT: auto EVENT_ID0_ = ascend_ub.
# CHECK-NEXT: auto u00e9tu00e9 = ascend_ub.
# CHECK-NOT: unused
# A loop variable may have the name of one that is gone.
# CHECK: for (int32_t i = 0; i < 2; ++i) {
# CHECK: for (int32_t i = 0; i < 2; ++i) {
# CHECK: AscendC::PRINTF("%d \"%s\"\n", i + j, "x");
