"""Annotations may hold containers; what is no number is no side of a choice."""
#@ skipped: a choice between values that are no numbers

import tilelang.language as T


@T.prim_func
def annotated(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 64), "float32")
        with T.Scope("V"):
            for i in T.serial(4, annotations={"order": [0, 1], "more": {"a": {1, 2}}}):
                T.copy(A[i * 16, 0], a)
            for i in T.unroll(4, annotations={"k": 1}):
                T.copy(A[i * 16, 0], a)


@T.prim_func
def chosen(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 64), "float32")
        with T.Scope("V"):
            T.copy(A[T.Select(cid > 0, {"k": 1}, 2), 0], a)
