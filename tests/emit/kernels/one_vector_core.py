#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], pass_configs={"tl.ascend_auto_cv_combine": True, "tl.ascend_auto_sync": True})
def columns_of_one():

    @T.prim_func
    def main(x: T.Tensor((64, 1), "float"), y: T.Tensor((64, 1), "float")):
        with T.Kernel(2, threads=1, is_npu=True) as cid:
            column = T.alloc_ub((32, 1), "float")
            T.copy(x[cid * 32, 0], column)
            T.tile.mul(column, column, column)
            T.copy(column, y[cid * 32, 0])

    return main


columns_of_one()

# One vector core a block: its index is the block's.
# CHECK: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
# CHECK: auto cid = AscendC::GetBlockIdx();
# CHECK-NOT: cid / 2
# Single elements without gaps are moved as one row; as rows each would take a block of 32 bytes.
# CHECK: copy_gm_to_ub<float, 32, 1>(column[0], x[cid * 32], 32, 1, 32, 0.0f);
# CHECK: copy_ub_to_gm<float, 32, 1>(y[cid * 32], column[0], 32, 1, 32);
