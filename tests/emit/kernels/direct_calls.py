#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def direct_calls():

    @T.prim_func
    def main(x: T.Tensor((512,), "float16"), y: T.Tensor((512,), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((512,), "float16")
            b = T.alloc_ub((512,), "float16")
            weights = T.alloc_ub((64,), "float16")
            offsets = T.alloc_ub((64,), "uint32")
            with T.Scope("V"):
                T.copy(x, a)
                T.barrier_all()
                T.tile.wholereducemax(b, a, 128, 4, 1, 1, 8, "ORDER_ONLY_VALUE")
                T.tile.wholereducemin(b, a, 128, 4, 1, 1, 8)
                T.tile.wholereducesum(b, a, 128, 4, 1, 1, 8)
                T.tile.block_reduce_max(b, a, 4, 128, 1, 1, 8)
                T.tile.block_reduce_min(b, a, 4, 128, 1, 1, 8)
                T.tile.block_reduce_sum(b, a, 4, 128, 1, 1, 8)
                T.tile.bilinear_interpolation(b, a, offsets, weights, 128, 2, False, 1, 128, 2)
                T.barrier_all()
                T.copy(b, y)

    return main


direct_calls()

# CHECK: AscendC::WholeReduceMax(b[0], a[0], 128, 4, 1, 1, 8, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
# CHECK-NEXT: AscendC::WholeReduceMin(b[0], a[0], 128, 4, 1, 1, 8, AscendC::ReduceOrder::ORDER_VALUE_INDEX);
# CHECK-NEXT: AscendC::WholeReduceSum(b[0], a[0], 128, 4, 1, 1, 8);
# CHECK-NEXT: AscendC::BlockReduceMax(b[0], a[0], 4, 128, 1, 1, 8);
# CHECK-NEXT: AscendC::BlockReduceMin(b[0], a[0], 4, 128, 1, 1, 8);
# CHECK-NEXT: AscendC::BlockReduceSum(b[0], a[0], 4, 128, 1, 1, 8);
# CHECK-NEXT: AscendC::BilinearInterpolation(b[0], a[0], offsets[0], weights[0], 128, 2, false, 1, 128, 2, tmp_ub[0]);
