"""Which memories a copy can join."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        u = T.alloc_ub((64, 64), "float32")  # ~ hint u: float32[64,64] UB 16 KiB
        l1 = T.alloc_L1((64, 64), "float32")  # ~ hint l1: float32[64,64] L1 zN 16 KiB
        l2 = T.alloc_L1((64, 64), "float32")
        a = T.alloc_L0A((64, 64), "float32")
        a2 = T.alloc_L0A((64, 64), "float32")
        b = T.alloc_L0B((64, 64), "float32")
        c = T.alloc_L0C((64, 64), "float32")
        T.copy(A, u)  # ~ hint GM->UB 16 KiB
        T.copy(u, B)  # ~ hint UB->GM 16 KiB
        T.copy(A, l1)  # ~ hint GM->L1 16 KiB
        T.copy(l1, a)  # ~ hint L1->L0A 16 KiB
        T.copy(l1, b)  # ~ hint L1->L0B 16 KiB
        T.copy(c, A)  # ~ hint L0C->GM 16 KiB
        T.copy(A, B)  # ~ error[TL201]: from GM (A) to GM (B)
        T.copy(A, a)  # ~ error[TL201]: from GM (A) to L0A (a)
        T.copy(l1, u)  # ~ error[TL201]: from L1 (l1) to the UB (u)
        T.copy(l1, A)  # the same tile: told above
        T.copy(l2, A)  # ~ error[TL201]: from L1 (l2) to GM (A)
        T.copy(a2, b)  # ~ error[TL201]: from L0A (a2) to L0B (b)
        T.copy(u, c)  # ~ error[TL201]: from the UB (u) to L0C (c)
