#@ emit: pto
# A product of float32 along rows that end with half of a fractal of 16: these are walked, and nothing behind.
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2], target="pto", pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True})
def product(K):
    @T.prim_func
    def main(A: T.Tensor((16, K), "float32"), B: T.Tensor((16, K), "float32"), C: T.Tensor((16, 16), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, _):
            a = T.alloc_L1((16, K), "float32")
            b = T.alloc_L1((16, K), "float32")
            c = T.alloc_L0C((16, 16), "float32")
            with T.Scope("C"):
                T.copy(A, a)
                T.copy(B, b)
                T.gemm_v0(a, b, c, transpose_B=True, init=True)
                T.copy(c, C)

    return main


product(24)

# CHECK: gemm_v0<float, float, 16, 16, 24, 16, 16, 24, 24, false, true TL_ORDERED>(a, b, c, true);
