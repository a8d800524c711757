#@ emit: pto
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[2],
    target="pto",
    pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True},
)
def beside_what_stays(rows):

    @T.prim_func
    def main(
        left: T.Tensor((32, 64), "float16"),
        right: T.Tensor((64, 32), "float16"),
        out: T.Tensor((32, 32), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((32, 64), "float16")
            b = T.alloc_L1((64, 32), "float16")
            c = T.alloc_L0C((32, 32), "float32")
            T.copy(left, a)
            T.copy(right, b)
            T.copy(left[16 : 16 + rows, 32:48], a[0:rows, 0:16])
            T.gemm_v0(a, b, c, init=True)
            T.copy(c, out)

    return main


beside_what_stays(10)

# Rows that are no whole fractal are moved alone: the template would fill up the fractal.
# CHECK-NOT: copy_gm_to_l1_dynamic<half, half, {{.*}}, 16, 16>
# CHECK: TLOAD(a_part, a_part_gm);
