"""What differs in the numbers of instances is one finding; what one allocation does wrong, too."""

import tilelang.language as T


def rows_lost(rows, columns):
    @T.prim_func
    def main(X: T.Tensor((64, columns), "float32"), Y: T.Tensor((64, columns), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            x = T.alloc_ub((rows, columns), "float32")
            w = T.alloc_ub((rows, columns), "float32")
            m = T.alloc_ub((1, rows), "float32")
            with T.Scope("V"):
                T.copy(X[vid * rows, 0], x)
                T.barrier_all()
                T.reduce_max(x, m, dim=-1)  # ~ error[TL309]: gives (16,) or (16, 1), not (1, 16)
                T.barrier_all()
                T.tile.broadcast(w, m)  # for m, too
                T.barrier_all()
                T.copy(w, Y[vid * rows, 0])

    return main


rows_lost(16, 512)
rows_lost(32, 256)
rows_lost(8, 128)


@T.prim_func
def between_tensors(X: T.Tensor((64, 64), "float32"), Y: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        with T.Scope("V"):
            T.copy(X[vid, 0], Y[vid, 0])  # ~ error[TL201]: no data path
