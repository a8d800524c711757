"""Rows of a transfer lie on blocks of 32 bytes in the UB; GM and single rows are free."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 126), "float32"), B: T.Tensor((64, 1), "float16"), C: T.Tensor((640,), "float32")):
    with T.Kernel(16, is_npu=True) as (cid, vid):
        narrow = T.alloc_ub((4, 126), "float32")
        wide = T.alloc_ub((4, 128), "float32")
        column = T.alloc_ub((16, 1), "float16")
        flat = T.alloc_ub((96,), "float32")
        upright = T.alloc_ub((64, 1), "float32")
        with T.Scope("V"):
            T.copy(A[cid * 4, 0], narrow)  # ~ error[TL205]: 4 rows of narrow with 504 bytes per row
            T.copy(A[cid * 4 : cid * 4 + 4, 0:126], wide[:, 0:126])
            T.pipe_barrier("mte2")
            T.copy(A[cid * 4, :], narrow[0, :])
            T.copy(B[cid * 4, 0], column)  # ~ error[TL205]: 16 rows of column with 2 bytes per row
            T.copy(C[5:69], flat[8:72])
            T.pipe_barrier("mte2")
            T.copy(C[8:76], flat[1:69])  # ~ error[TL205]: starts 4 bytes into flat
            T.copy(C[0:64], upright)  # one row in GM
            T.pipe_barrier("mte2")
            T.copy(C[0:64], flat[cid * 2 : cid * 2 + 64])  # ~ error[TL205]: starts 8 bytes into flat at cid = 1
            T.barrier_all()
            T.copy(narrow, A[cid * 4, 0])  # the same tile: told above
            T.copy(narrow, wide[:, 0:126])  # within the UB
