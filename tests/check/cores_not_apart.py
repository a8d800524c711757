"""vid is in the index of a store, and does not keep the two vector cores of a block apart."""

import tilelang.language as T

FP = "float32"


@T.prim_func
def rounded(A: T.Tensor((64, 64), FP), C: T.Tensor((64, 64), FP), D: T.Tensor((64, 64), FP), W: T.Tensor((8, 64), FP)):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 64), FP)
        r = cid * 16 + vid * 8
        i = cid * 2 + vid
        with T.Scope("V"):
            T.copy(A[r, 0], x)
            T.barrier_all()
            T.copy(x, C[i // 2 * 16, 0])  # ~ warning[TL411]: begins at C[0, 0] for cid = 0
            T.copy(x, D[r // 2, 0])  # ~ warning[TL411]: begins at D[0, 0] and D[4, 0] for cid = 0
            T.copy(x[0, :], W[i, 0])


@T.prim_func
def behind_a_meeting(A: T.Tensor((64, 64), FP), W: T.Tensor((4, 64), FP), C: T.Tensor((64, 64), FP)):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((1, 64), FP)
        y = T.alloc_ub((1, 64), FP)
        i = cid * 2 + vid
        with T.Scope("V"):
            T.copy(A[i, 0], x)
            T.barrier_all()
            T.tile.exp(y, x)
            T.barrier_all()
            T.copy(y, W[i // 2, 0])  # ~ warning[TL411]: write the same elements of W
            T.barrier_all()
            T.sync_all()  # ~ warning[TL405]: only vector cores come
            T.copy(W[cid, 0], x)
            T.barrier_all()
            T.copy(x, C[i, 0])


@T.prim_func
def loaded_in_branches(A: T.Tensor((64, 64), FP), C: T.Tensor((64, 64), FP), D: T.Tensor((64, 64), FP), n: T.int32):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 64), FP)
        y = T.alloc_ub((8, 64), FP)
        r = cid * 16 + vid * 8
        with T.Scope("V"):
            T.tile.fill(y, 0.0)
            T.barrier_all()
            if cid % 2 == 0:
                T.copy(A[r, 0], x)
            else:
                T.copy(A[56 - r, 0], x)
            if n > 0:
                T.copy(A[r, 0], y)
            T.barrier_all()
            T.copy(x, C[r % 32, 0])  # ~ warning[TL411]: blocks write parts of C that overlap
            T.copy(y, D[r % 32, 0])  # zeros, as far as is known


@T.prim_func
def right(A: T.Tensor((60, 64), FP), C: T.Tensor((60, 64), FP), D: T.Tensor((4, 64), FP), W: T.Tensor((8, 64), FP)):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 64), FP)
        y = T.alloc_ub((1, 64), FP)
        z = T.alloc_ub((1, 64), FP)
        r = T.min(cid * 16 + vid * 8, 52)
        i = cid * 2 + vid
        with T.Scope("V"):
            T.copy(A[r, 0], x)
            T.copy(A[i, 0], y)
            T.barrier_all()
            T.copy(x, C[r, 0])  # the same data where the last ones overlap
            T.copy(y, W[i, 0])
            T.barrier_all()
            T.set_cross_flag("MTE3", 5, 1)
            T.wait_cross_flag(5)
            T.copy(W[cid * 2 + 1 - vid, 0], z)
            T.barrier_all()
            T.tile.add(y, y, z)
            T.barrier_all()
            if vid == 0:
                T.copy(y, D[i // 2, 0])
