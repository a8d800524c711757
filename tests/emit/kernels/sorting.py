#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def sorting():

    @T.prim_func
    def main(count: T.int32, x: T.Tensor((128,), "float"), y: T.Tensor((256,), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            values = T.alloc_ub((128,), "float")
            places = T.alloc_ub((128,), "uint32")
            pairs = T.alloc_ub((256,), "float")
            best = T.alloc_ub((64,), "float")
            merged = T.alloc_ub((512,), "float")
            with T.Scope("V"):
                T.copy(x, values)
                T.barrier_all()
                T.tile.sort(pairs, values, count)
                T.tile.topk(best, values, 16, 100)
                T.tile.sort32(pairs, values, places)
                T.tile.merge_sort(merged[0:384], pairs, pairs[0:64], pairs[64:128])
                T.tile.merge_sort(merged, pairs, pairs)
                T.tile.init_sort_buf(merged, 512, 0)
                T.barrier_all()
                T.copy(pairs, y)

    return main


sorting()

# CHECK: tl::ascend::Sort<float>(pairs[0], values[0], tmp_ub_1[0], {{.*}}count{{.*}}31{{.*}}, count);
# CHECK-NEXT: tl::ascend::TopK<float>(best[0], values[0], tmp_ub_1[0], 16, 4, 100);
# CHECK-NEXT: AscendC::Sort32(pairs[0], values[0], places[0], 4);
# CHECK-NEXT: tl::ascend::MergeSort<float>(merged[0], tmp_ub[0], pairs[0], pairs[0], pairs[64], 128, 32, 32);
# CHECK-NEXT: tl::ascend::MergeSort<float>(merged[0], tmp_ub[0], pairs[0], pairs[0], 128, 128);
# CHECK-NEXT: tl::ascend::InitSortBuf<float>(merged[0], 512);
