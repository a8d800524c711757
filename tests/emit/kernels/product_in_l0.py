#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def staged(M, N, K):

    @T.prim_func
    def main(
        left: T.Tensor((K, M), "float16"),
        right: T.Tensor((N, K), "float16"),
        out: T.Tensor((2, M, N), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            left_l1 = T.alloc_L1((2, K, M), "float16")
            right_l1 = T.alloc_L1((N, K), "float16")
            a = T.alloc_L0A((2, M, 32), "float16")
            b = T.alloc_L0B((2, 32, N), "float16")
            c = T.alloc_L0C((2, M, N), "float")
            with T.Scope("C"):
                T.copy(left[:, :], left_l1[1, :, :])
                T.copy(right[:, :], right_l1)
                T.barrier_all()
                for half in T.serial(2):
                    for k in T.serial(K // 32):
                        T.copy(left_l1[1, k * 32 : k * 32 + 32, :], a[k % 2, :, :], transpose=True)
                        T.copy(right_l1[:, k * 32 : k * 32 + 32], b[k % 2, :, :], transpose=True)
                        T.barrier_all()
                        T.mma(a[k % 2, :, :], b[k % 2, :, :], c[half, :, :], init=(k == 0))
                        T.barrier_all()
                    T.copy(c[half, :, :], out[half, :, :])

    return main


staged(32, 48, 96)

# L1 holds zN: 32 rows further are 32 blocks of 16, 32 columns further are two columns of blocks.
# CHECK: copy_gm_to_l1<half, 96, 32>(left_l1[3072], left[0], 32, 96, 32, true);
# CHECK: for (int32_t half_ = 0; half_ < 2; ++half_) {
# CHECK-NEXT: for (int32_t k = 0; k < 3; ++k) {
# CHECK-NEXT: copy_l1_to_l0a<half, 96, 32, true>(a[k % 2 * 1024], left_l1[3072 + k * 512], 32, 32);
# CHECK-NEXT: copy_l1_to_l0b<half, 48, 96, true>(b[k % 2 * 1536], right_l1[k * 1536], 32, 48);
# CHECK: mma<half, float, 32, 48>(a[k % 2 * 1024], b[k % 2 * 1536], c[half_ * 1536], k == 0, 32);
# CHECK: copy_l0c_to_gm<float, float, layout::RowMajor, 32, 48, false>(out[half_ * 1536], c[half_ * 1536], 48, 32, 48);
