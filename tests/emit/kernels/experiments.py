#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def experiments():

    @T.prim_func
    def main(x: T.Tensor((16, 64), "float"), y: T.Tensor((16, 64), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float")
            b = T.alloc_ub((16, 128), "float")
            half = T.alloc_ub((16, 128), "float16")
            each = T.alloc_ub((16,), "float")
            blocks = T.alloc_ub((16, 8), "float")
            pattern = T.alloc_ub((8,), "uint32")
            offsets = T.alloc_ub((64,), "uint32")
            with T.Scope("V"):
                T.copy(x, a)
                T.barrier_all()
                T.tile.row_expand_mul_experiment(a, a, each, blocks)
                T.tile.row_expand_sub_experiment(b, b, blocks)
                T.tile.brcb_experiment(blocks, each, 2, 1, 8)
                T.tile.sub_experiment(a, a, a, 1000)
                T.tile.abs_experiment(a, a, 1000)
                T.tile.mins_experiment(a, a, 2.0, 1000)
                T.tile.reduce_sum_experiment(each, a, 1000)
                T.tile.reduce_sum_mask_experiment(each, a, 64, 4, 8)
                T.tile.gathermask_experiment(a, a, pattern, True, 64, [1, 1, 8, 0], 0)
                T.tile.fill_experiment(a, 1.0, [255], 1, 1, 8)
                T.tile.sum_experiment(each, a, [16, 64, 60])
                T.tile.datacachecleanandinvalid_experiment(y, "SINGLE_CACHE_LINE", "CACHELINE_OUT")
                T.tile.wholereducemax(each, a, 64, 16, 1, 1, 8)
                T.tile.wholereducesum(each, a, 64, 16, 1, 1, 8)
                T.tile.block_reduce_min(each, a, 2, 64, 1, 1, 8)
                T.tile.bilinear_interpolation(half, half, offsets, half, 128, 2, False, 1, 128, 2)
                T.set_deq_scale(0.5)
                T.dump_tensor(a, 7, 16, (4, 4))
                T.barrier_all()
                T.copy(a, y)

    return main


experiments()

# CHECK: #include "tl_templates/ascend/printf.h"
# CHECK: tl::ascend::brcb<float>(blocks[0], each[0], 2, 1, 8);
# CHECK-NEXT: AscendC::PipeBarrier<PIPE_V>();
# CHECK-NEXT: tl::ascend::mul_mask<float>(a[0], a[0], blocks[0], 0xFFFFFFFFFFFFFFFF, 0, 16, 1, 1, 0, 8, 8, 1);
# Rows of two repeats are made in two calls.
# CHECK-NEXT: for (int32_t part = 0; part < 2; ++part) {
# CHECK-NEXT: tl::ascend::sub_mask<float>(b[part * 64], b[part * 64], blocks[0], 0xFFFFFFFFFFFFFFFF, 0, 16, 1, 1, 0, 16, 16, 1);
# CHECK: tl::ascend::brcb<float>(blocks[0], each[0], 2, 1, 8);
# CHECK-NEXT: AscendC::Sub(a[0], a[0], a[0], 1000);
# CHECK-NEXT: AscendC::Abs(a[0], a[0], 1000);
# CHECK-NEXT: AscendC::Mins(a[0], a[0], 2.0f, 1000);
# CHECK-NEXT: AscendC::ReduceSum(each[0], a[0], tmp_ub[0].ReinterpretCast<float>(), 1000);
# CHECK-NEXT: AscendC::ReduceSum(each[0], a[0], tmp_ub[0].ReinterpretCast<float>(), 64, 4, 8);
# CHECK-NEXT: tl::ascend::GatherMask_experiment<float>(a[0], a[0], pattern[0], true, 64, 1, 1, 8, 0, 0);
# CHECK-NEXT: tl::ascend::Fill_experiment<float>(a[0], 1.0f, 255, 1, 1, 8);
# CHECK-NEXT: tl::ascend::Sum_experiment<float>(each[0], a[0], 16, 64, 60);
# CHECK-NEXT: AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::SINGLE_CACHE_LINE, AscendC::DcciDst::CACHELINE_OUT>(y[0]);
# CHECK-NEXT: AscendC::WholeReduceMax(each[0], a[0], 64, 16, 1, 1, 8, AscendC::ReduceOrder::ORDER_VALUE_INDEX);
# CHECK-NEXT: AscendC::WholeReduceSum(each[0], a[0], 64, 16, 1, 1, 8);
# CHECK-NEXT: AscendC::BlockReduceMin(each[0], a[0], 2, 64, 1, 1, 8);
# CHECK-NEXT: AscendC::BilinearInterpolation(half{{\w*}}[0], half{{\w*}}[0], offsets[0], half{{\w*}}[0], 128, 2, false, 1, 128, 2, tmp_ub[0]);
# CHECK-NEXT: AscendC::SetDeqScale(half(0.5f));
# CHECK-NEXT: tl::ascend::DumpTensor(a[0], 7, 16, 2, (uint32_t[]){4, 4});
