"""Two parts that are both written out have the same rows and columns."""

import tilelang.language as T


@T.prim_func
def loads(X: T.Tensor((64, 128), "float32"), L: T.Tensor((4, 64, 128), "float32"), Y: T.Tensor((64, 128), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 128), "float32")
        row = T.alloc_ub((128,), "float32")
        with T.Scope("V"):
            r = vid * 16
            T.copy(X[r, 0:64], x[:, 0:64])  # ~ warning[TL202]: X[vid * 16, 0:64] is 1 row of 64 elements, and x[:, 0:64] 16 rows of 64
            T.pipe_barrier("mte2")
            T.copy(X[r : r + 8, 0:64], x[:, 0:64])  # ~ warning[TL202]: is 8 rows of 64 elements, and x[:, 0:64] 16 rows
            T.copy(X[r : r + 16, 0:32], x[:, 64:128])  # ~ warning[TL202]: is 16 rows of 32 elements
            T.pipe_barrier("mte2")
            T.copy(X[r, 0:128], x[:, 0:64])  # ~ warning[TL202]: is 1 row of 128 elements, and x[:, 0:64] 16 rows of 64
            T.pipe_barrier("mte2")
            T.copy(X[r, 0:128], x)  # ~ warning[TL202]: X[vid * 16, :] is 1 row of 128 elements, and x 16 rows of 128
            T.pipe_barrier("mte2")
            T.copy(X[r, 0:64], x)  # ~ warning[TL202]: X[vid * 16, 0:64] is 1 row of 64 elements, and x 16 rows of 128
            T.pipe_barrier("mte2")
            T.copy(L[vid, r, 0:64], x[:, 0:64])  # ~ warning[TL202]: is 1 row of 64 elements
            T.barrier_all()
            T.copy(x[:, 0:64], Y[r, 0:64])  # ~ warning[TL202]: Y[vid * 16, 0:64] is 1 row of 64 elements
            T.pipe_barrier("mte3")
            T.copy(row[0:128], Y[r, 0:64])  # ~ warning[TL202]: Y[vid * 16, 0:64] is 1 row of 64 elements, and row


@T.prim_func
def stores_of_tiles(Y: T.Tensor((64, 128), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 128), "float32")
        one = T.alloc_ub((1, 128), "float32")
        with T.Scope("V"):
            r = vid * 16
            T.tile.fill(x, 0.0)
            T.tile.fill(one, 0.0)
            T.barrier_all()
            T.copy(x, Y[r, 0:128])  # ~ warning[TL202]: Y[vid * 16, :] is 1 row of 128 elements, and x 16 rows of 128
            T.pipe_barrier("mte3")
            T.copy(one, Y[r, 0:128])


@T.prim_func
def silent(
    X: T.Tensor((64, 128), "float32"), L: T.Tensor((4, 64, 128), "float32"), Y: T.Tensor((64, 128), "float32"), n: T.int32
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 128), "float32")
        y = T.alloc_ub((8, 64), "float32")
        row = T.alloc_ub((128,), "float32")
        with T.Scope("V"):
            r = vid * 16
            T.copy(X[r : r + 16, 0:64], x[:, 0:64])
            T.pipe_barrier("mte2")
            T.copy(X[r, 0:64], x[3, 0:64])
            T.copy(X[r, 0:64], row[0:64])
            T.copy(L[vid, r : r + 16, 0:64], x[0:16, 64:128])
            T.pipe_barrier("mte2")
            T.copy(L[0:4, r, 0:128], x[4:8, :])
            T.pipe_barrier("mte2")
            T.copy(X[r : r + 16, 0:128], x)  # a whole tile
            T.pipe_barrier("mte2")
            T.copy(X[r : r + 8, 0:64], x)  # a tail
            T.pipe_barrier("mte2")
            T.copy(X[r, 0], x[:, 0:64])  # a corner
            T.pipe_barrier("mte2")
            T.copy(X[r : r + n, 0:64], x[0:16, 0:64])
            T.pipe_barrier("mte2")
            T.copy(X[r : r + 8, 0:64], x[:, 0:64], pad_value=1.0)
            T.barrier_all()
            T.copy(x[0:8, 0:64], y)
            T.barrier_all()
            T.copy(x[:, 0:64], Y[r, 0])
            T.pipe_barrier("mte3")
            T.copy(row[0:64], Y[r, 0:64])


@T.prim_func
def within_the_ub(X: T.Tensor((64, 128), "float32"), Y: T.Tensor((64, 128), "float32"), n: T.int32):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 128), "float32")
        y = T.alloc_ub((16, 128), "float32")
        h = T.alloc_ub((8, 128), "float16")
        row = T.alloc_ub((128,), "float32")
        with T.Scope("V"):
            T.copy(X[vid * 16, 0], x)
            T.barrier_all()
            T.copy(x[0:8, :], y[0:16, :])  # ~ warning[TL202]: x[0:8, :] has 1024 elements, (8, 128), and y 2048, (16, 128)
            T.copy(x[0:16, 0:64], y[0:16, 0:32])  # ~ warning[TL202]: x[:, 0:64] has 1024 elements, (16, 64), and y[:, 0:32] 512
            T.copy(x, h[0:4, :])  # ~ warning[TL202]: x has 2048 elements, (16, 128), and h[0:4, :] 512
            T.copy(x[3, 0:64], row)  # ~ warning[TL202]: x[3, 0:64] has 64 elements, (1, 64), and row 128
            T.copy(x[3, :], row)
            T.copy(x[0:8, :], h)
            T.copy(x[0:8, 0:64], y[8:12, :])
            T.copy(x[0:n, :], y[0:8, :])
            T.copy(x[3, 0], row)
            T.barrier_all()
            T.copy(y, Y[vid * 16, 0])
