#@ emit: pto
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[3],
    target="pto",
    pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True},
)
def parts(K):

    @T.prim_func
    def main(
        left: T.Tensor((32, K), "float16"),
        first: T.Tensor((20, K), "float16"),
        second: T.Tensor((24, K), "float16"),
        out: T.Tensor((32, 64), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((32, 64), "float16")
            b = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((32, 64), "float32")
            for k in T.serial(T.ceildiv(K, 64)):
                T.copy(left[0, k * 64], a)
                T.copy(first[0, k * 64], b[0:20, :])
                T.copy(second[0, k * 64], b[20:44, :])
                T.gemm_v0(a, b, c, transpose_B=True, init=(k == 0))
            T.copy(c, out)

    return main


parts(160)

# The first part zeroes the tile, the second leaves alone what is there.
# CHECK: TEXPANDS(b_part, half(0.0f));
# CHECK-NEXT: pipe_barrier(PIPE_MTE2);
# CHECK: TLOAD(b_part_1, b_part_1_gm);
# CHECK-NEXT: tl::ascend_pto::TileMatL1<half, 64, 64, pto::DYNAMIC, pto::DYNAMIC> b_part_2
# CHECK: TLOAD(b_part_2, b_part_2_gm);
