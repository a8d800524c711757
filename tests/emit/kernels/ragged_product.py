#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def ragged(M, N, K):

    @T.prim_func
    def main(
        left: T.Tensor((M, K), "float16"),
        right: T.Tensor((N, K), "float16"),
        out: T.Tensor((M, N), "float32"),
    ):
        with T.Kernel(T.ceildiv(M, 32), is_npu=True) as (cid, vid):
            left_l1 = T.alloc_L1((32, 64), "float16")
            right_l1 = T.alloc_L1((32, 64), "float16")
            sums = T.alloc_L0C((32, 32), "float")
            with T.Scope("C"):
                for k in T.serial(T.ceildiv(K, 64)):
                    T.copy(left[cid * 32, k * 64], left_l1)
                    T.copy(right[0, k * 64], right_l1)
                    T.barrier_all()
                    T.gemm_v0(left_l1, right_l1, sums, transpose_B=True, init=(k == 0))
                    T.barrier_all()
                T.copy(sums, out[cid * 32, 0], enable_relu=True)

    return main


ragged(50, 30, 100)

# The last tile of K is 36 wide, the last of M 18 high, the only one of N 30.
# CHECK: copy_gm_to_l1<half, 32, 64>(left_l1[0], left[cid * 3200 + k * 64], 100, tl_min<int64_t>(32, 50 - cid * 32), tl_min<int32_t>(64, 100 - k * 64), true);
# CHECK: copy_gm_to_l1<half, 32, 64>(right_l1[0], right[k * 64], 100, 30, tl_min<int32_t>(64, 100 - k * 64), true);
# CHECK: gemm_v0<half, float, 32, 32, 64, false, true>
# CHECK: copy_l0c_to_gm<float, float, layout::RowMajor, 32, 32, true>(out[cid * 960], sums[0], 30, tl_min<int64_t>(32, 50 - cid * 32), 30);
