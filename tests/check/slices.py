"""Vector calls take an address and a number: a window of columns is no run of elements."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4, 64), "float32"), B: T.Tensor((4, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((4, 64), "float32")
        b = T.alloc_ub((4, 64), "float32")
        wide = T.alloc_ub((2, 4, 64), "float32")
        s = T.alloc_ub((4, 1), "float32")
        with T.Scope("V"):
            T.copy(A, a)
            T.copy(A, wide[0, :, :])
            T.barrier_all()
            T.tile.add(b[:, 0:32], a[:, 0:32], a[:, 32:64])
            #          ^^^^^^^^^^ error[TL311]: 4 pieces of 32 elements, 64 apart; T.tile.add works on 128
            T.barrier_all()
            T.tile.exp(b, wide[:, 1:3, :])
            #             ^^^^^^^^^^^^^^^ error[TL311]: 2 pieces of 128 elements, 256 apart
            T.barrier_all()
            T.tile.fill(b[1:3, 0:8], 0.0)  # ~ error[TL311]: 2 pieces of 8 elements, 64 apart
            T.barrier_all()
            T.reduce_sum(a[:, 0:32], s, dim=-1)  # ~ error[TL311]: 4 pieces of 32
            T.barrier_all()
            T.reduce_sum(a, s, dim=-1, real_shape=[4, 60])
            T.tile.add(b[1:3, :], a[0:2, :], a[2:4, :])
            T.tile.exp(b, wide[1, :, :])
            for row in T.serial(4):
                T.tile.fill(b[row, 0:32], 0.0)
            T.barrier_all()
            T.copy(a[:, 0:32], b[:, 32:64])
            T.barrier_all()
            T.copy(b, B)
