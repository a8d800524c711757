"""With threads=2 a core has half of the rows of the tiles that are divided, and all of the others."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 126), "float32"), I: T.Tensor((8,), "int32")):
    with T.Kernel(16, threads=2, is_npu=True) as cid:
        divided = T.alloc_ub((2, 126), "float32")
        gathered = T.alloc_ub((2, 126), "float32")
        places = T.alloc_ub((8,), "int32")
        with T.Scope("V"):
            T.copy(I, places)
            T.barrier_all()
            T.copy(A[cid * 2, 0], divided)  # one row for each core
            T.copy(A[places[0], 0], gathered)  # ~ error[TL205]: 2 rows of gathered with 504 bytes per row
