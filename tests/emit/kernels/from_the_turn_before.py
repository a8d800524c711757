#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[1],
    pass_configs={
        "tl.ascend_auto_sync": True,
        "tl.ascend_memory_planning": True,
        "tl.ascend_auto_cv_combine": True,
        "tl.ascend_auto_cross_core_sync": True,
    },
)
def from_the_turn_before():

    @T.prim_func
    def main(x: T.Tensor((96, 32), "float16"), y: T.Tensor((32, 32), "float")):
        with T.Kernel(1, threads=2, is_npu=True) as cid:
            factors = T.alloc_shared((32, 32), "float16")
            product = T.alloc_fragment((32, 32), "float")
            row = T.alloc_ub((32,), "float16")
            part = T.alloc_shared((32, 32), "float")
            total = T.alloc_shared((32, 32), "float")
            T.tile.fill(total, 0.0)
            for i in T.serial(3):
                # What the vector cores brought below, in the iteration before.
                if i > 0:
                    T.gemm_v0(factors, factors, product, init=True)
                    T.copy(product, part)
                    T.tile.add(total, total, part)
                for j in T.serial(32):
                    T.copy(x[i * 32 + j, 0:32], row)
                    T.copy(row, factors[j, :])
            T.copy(total, y)

    return main


from_the_turn_before()

# CHECK: AscendC::CrossCoreWaitFlag(3);
# CHECK: if (i > 0) {
# CHECK: tl::ascend::copy_gm_to_l1<half, 32, 32>(factors[0], workspace_
# CHECK: AscendC::CrossCoreSetFlag<0x2, PIPE_MTE3>(3);
# CHECK: for (int32_t i = 0; i < 3; ++i) {
