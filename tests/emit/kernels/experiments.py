#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def experiments():

    @T.prim_func
    def main(x: T.Tensor((8, 128), "float"), y: T.Tensor((8, 128), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 128), "float")
            b = T.alloc_ub((8, 128), "float")
            column = T.alloc_ub((8,), "float")
            blocks = T.alloc_ub((8, 8), "float")
            pattern = T.alloc_ub((64,), "uint32")
            with T.Scope("V"):
                T.copy(x, a)
                T.barrier_all()
                T.tile.row_expand_mul_experiment(b, a, column, blocks)
                T.tile.row_expand_sub_experiment(b[:, 64:128], a[:, 64:128], column, blocks)
                T.tile.row_expand_div_experiment(b, a, column, blocks)
                T.tile.row_expand_mul_experiment(b[:, 0:64], a[:, 0:64], blocks)
                T.tile.row_expand_sub_experiment(b[:, 0:64], a[:, 0:64], blocks)
                T.tile.row_expand_div_experiment(b[:, 0:64], a[:, 0:64], blocks)
                T.tile.brcb_experiment(blocks, column, 1, 1, 8)
                T.tile.sub_experiment(b, a, a, 100)
                T.tile.abs_experiment(b, a, 100)
                T.tile.mins_experiment(b, a, 2.0, 100)
                T.tile.reduce_sum_experiment(column, a, 100)
                T.tile.reduce_sum_mask_experiment(column, a, 64, 4, 8)
                T.tile.gathermask_experiment(b, a, pattern, True, 64, [1, 1, 8, 8], 0)
                T.tile.fill_experiment(b, 1.0, [255], 2, 1, 8)
                T.tile.sum_experiment(column, a, [8, 128, 128])
                T.tile.datacachecleanandinvalid_experiment(y, "SINGLE_CACHE_LINE", "CACHELINE_OUT")
                T.barrier_all()
                T.copy(b, y)

    return main


experiments()

# A repeat is 64 floats: rows of 128 take two, each with the same blocks.
# CHECK: tl::ascend::brcb<float>(blocks[0], column[0], 1, 1, 8);
# CHECK-NEXT: AscendC::PipeBarrier<PIPE_V>();
# CHECK-NEXT: for (int32_t part = 0; part < 2; ++part) {
# CHECK-NEXT: tl::ascend::mul_mask<float>(b[part * 64], a[part * 64], blocks[0], 0xFFFFFFFFFFFFFFFF, 0, 8, 1, 1, 0, 16, 16, 1);
# CHECK: tl::ascend::sub_mask<float>(b[64], a[64], blocks[0], 0xFFFFFFFFFFFFFFFF, 0, 8, 1, 1, 0, 16, 16, 1);
# CHECK: tl::ascend::mul_mask<float>(b[0], a[0], blocks[0],
# CHECK: tl::ascend::brcb<float>(blocks[0], column[0], 1, 1, 8);
# CHECK-NEXT: AscendC::Sub(b[0], a[0], a[0], 100);
# CHECK-NEXT: AscendC::Abs(b[0], a[0], 100);
# CHECK-NEXT: AscendC::Mins(b[0], a[0], 2.0f, 100);
# CHECK-NEXT: AscendC::ReduceSum(column[0], a[0], tmp_ub[0].ReinterpretCast<float>(), 100);
# CHECK-NEXT: AscendC::ReduceSum(column[0], a[0], tmp_ub[0].ReinterpretCast<float>(), 64, 4, 8);
# CHECK-NEXT: tl::ascend::GatherMask_experiment<float>(b[0], a[0], pattern[0], true, 64, 1, 1, 8, 8, 0);
# CHECK-NEXT: tl::ascend::Fill_experiment<float>(b[0], 1.0f, 255, 2, 1, 8);
# CHECK-NEXT: tl::ascend::Sum_experiment<float>(column[0], a[0], 8, 128, 128);
# CHECK-NEXT: AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::SINGLE_CACHE_LINE, AscendC::DcciDst::CACHELINE_OUT>(y[0]);
