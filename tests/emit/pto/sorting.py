#@ emit: pto
import tilelang
import tilelang.language as T

AUTOMATIC = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-1], target="pto", pass_configs=AUTOMATIC)
def sorting():

    @T.prim_func
    def main(
        x: T.Tensor((192,), "float32"),
        z: T.Tensor((64,), "float16"),
        y: T.Tensor((5, 384), "float32"),
        w: T.Tensor((128,), "float16"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            values = T.alloc_ub((192,), "float32")
            halves = T.alloc_ub((64,), "float16")
            half_pairs = T.alloc_ub((128,), "float16")
            pairs = T.alloc_ub((384,), "float32")
            best = T.alloc_ub((32,), "float32")
            one = T.alloc_ub((128,), "float32")
            two = T.alloc_ub((128,), "float32")
            merged = T.alloc_ub((256,), "float32")
            with T.Scope("V"):
                T.copy(x, values)
                T.tile.topk(best, values, 16, 150)
                T.copy(best, y[0, 0:32])
                T.tile.sort(pairs, values, 192)
                T.copy(pairs, y[1, :])
                T.tile.sort(one, values[0:64], 64)
                T.tile.sort(two, values[64:128], 64)
                T.tile.merge_sort(merged, one, two)
                T.copy(merged, y[2, 0:256])
                T.tile.merge_sort(pairs, merged, one)
                T.copy(pairs, y[3, :])
                T.copy(z, halves)
                T.tile.sort(half_pairs, halves, 50)
                T.copy(half_pairs, w)

    return main


sorting()

# CHECK: tl::ascend_pto::Sort<float, 192, 150, 16>(
# CHECK: tl::ascend_pto::Sort<float, 192, 192, -1>(
# CHECK: tl::ascend_pto::MergeSort<float, 128, 256>(merged, {{.*}}, one, two);
# CHECK: tl::ascend_pto::MergeSortVar<float, 256, 128, 384>(pairs, {{.*}}, merged, one);
# CHECK: tl::ascend_pto::Sort<half, 64, 50, -1>(
