"""What is not known of a kernel is told where it stands."""
#@ skipped: module json is not evaluated
#@ skipped: module json is not evaluated

import json

import tilelang.language as T

SIZES = json.load(open("sizes.json"))  # ~ info[TL110]: read is not checked: module json is not evaluated


@T.prim_func
def called(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((json.loads("32"), 64), "float16")  # ~ info[TL110]: called is not checked: module json is not evaluated
        T.copy(A[vid * 32, 0], a)
        T.copy(a, B[vid * 32, 0])


@T.prim_func
def read(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((SIZES["rows"], 64), "float16")
        T.copy(A[vid * 32, 0], a)
        T.copy(a, B[vid * 32, 0])
