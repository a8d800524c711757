#@ emit: pto
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[3],
    target="pto",
    pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True},
)
def parts(K):
    n = T.symbolic("n")

    @T.prim_func
    def main(
        left: T.Tensor((32, K), "float16"),
        first: T.Tensor((n, K), "float16"),
        second: T.Tensor((32, K), "float16"),
        out: T.Tensor((32, 64), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((32, K), "float16")
            b = T.alloc_L1((64, K), "float16")
            c = T.alloc_L0C((32, 64), "float32")
            T.copy(left, a)
            T.copy(second, b[32:64, :])
            T.copy(first[0:n, :], b[0:n, :])
            T.gemm_v0(a, b, c, transpose_B=True, init=True)
            T.copy(c, out)

    return main


parts(64)

# What a size leaves of the tile is not filled behind the move: another copy was there before.
# CHECK: TLOAD(b_part, b_part_gm);
# CHECK: TASSIGN(b_part_1, 4096);
# CHECK: TLOAD(b_part_1, b_part_1_gm);
