#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def sorting():

    @T.prim_func
    def main(x: T.Tensor((1, 100), "float"), n: T.int32, y: T.Tensor((64,), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((1, 100), "float")
            h = T.alloc_ub((64,), "float16")
            hs = T.alloc_ub((64,), "float16")
            pairs = T.alloc_ub((256,), "float")
            halves = T.alloc_ub((2, 128), "float")
            best = T.alloc_ub((64,), "float")
            index = T.alloc_ub((64,), "uint32")
            picked = T.alloc_ub((64,), "float")
            with T.Scope("V"):
                T.copy(x, a)
                T.barrier_all()
                T.tile.sort(pairs, a, n)
                T.tile.topk(best, a, 32, n)
                T.tile.topk(hs, h, 8, 64)
                T.tile.sort32(pairs, a, index)
                T.tile.merge_sort(pairs, halves[0, :], halves[1, :])
                T.tile.init_sort_buf(pairs, 256, 0)
                T.tile.gather_mask(picked, best, "P0101")
                T.tile.gather_mask(picked, best, index)
                T.tile.gather(picked, a, index, 4 * vid)
                T.tile.gatherb(picked, best, index, 1, 1, 8)
                T.barrier_all()
                T.copy(best, y)

    return main


sorting()

# Scratch is typed, and as large as the largest need of its type.
# CHECK: auto tmp_ub_1 = ascend_ub.GetWithOffset<float>(1024,
# CHECK: auto tmp_ub_2 = ascend_ub.GetWithOffset<half>(512,
# CHECK: tl::ascend::Sort<float>(pairs[0], a[0], tmp_ub_1[0], (n + 31) >> 5, n);
# The whole source is sorted, 100 elements rounded up to groups of 32.
# CHECK-NEXT: tl::ascend::TopK<float>(best[0], a[0], tmp_ub_1[0], 32, 4, n);
# CHECK-NEXT: tl::ascend::TopK<half>(hs[0], h[0], tmp_ub_2[0], 8, 2, 64);
# CHECK-NEXT: AscendC::Sort32(pairs[0], a[0], index[0], 3);
# CHECK-NEXT: tl::ascend::MergeSort<float>(pairs[0], tmp_ub[0], halves[0], halves[128], 64, 64);
# CHECK-NEXT: tl::ascend::InitSortBuf<float>(pairs[0], 256);
# CHECK-NEXT: tl::ascend::GatherMask<float>(picked[0], best[0], 1);
# CHECK-NEXT: tl::ascend::Gather(picked[0], best[0], index[0]);
# CHECK-NEXT: AscendC::Gather(picked[0], a[0], index[0], 4 * vid, 64);
# CHECK-NEXT: tl::ascend::Gatherb<float>(picked[0], best[0], index[0], 1, 1, 8);
