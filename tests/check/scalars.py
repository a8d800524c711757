"""Variables, lets and index arithmetic, with their bounds."""

import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((4096, 64), "float32"), I: T.Tensor((16,), "int32"), n: T.int32):
    with T.Kernel(16, is_npu=True) as (cid, vid):  # ~ hint cid: 0..15 # ~ hint vid: 0..1
        row = cid // 4  # ~ hint row: 0..3
        column = cid % 4  # ~ hint column: 0..3
        start = row * 64 + column  # ~ hint start: 0..195
        top = T.min(start, 100)  # ~ hint top: 0..100
        half = (start + 1) // 2  # ~ hint half: 0..98
        back = 63 - column  # ~ hint back: 60..63
        fixed = 3 * 4 + 1  # ~ hint fixed: 13
        same = cid - cid  # ~ hint same: 0
        chosen = T.if_then_else(cid > 8, 1, 5)  # ~ hint chosen: 1..5
        index = I[cid]
        acc = T.alloc_var("int32", init=0)  # ~ hint acc: int32
        u = T.alloc_ub((16, 64), "float32")
        for k in T.serial(4):  # ~ hint k: 0..3
            offset = start + k * 64  # ~ hint offset: 0..387
            acc = acc + offset
            T.copy(A[offset, 0], u)
        if index > 3:
            T.copy(A[index, 0], u)
        elif index == 0 and cid < 100:
            T.copy(A[top + half, 0], u)
        else:
            u[0, 0] = 1.0
        T.copy(A[acc, 0], u)
        u[0] = 1.0  # ~ error[TL106]: only single elements of u
