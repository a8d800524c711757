"""Of one call the most fundamental fault is told; what follows from it is silent."""

import tilelang.language as T


@T.prim_func
def no_path(K: T.Tensor((4, 64, 128), "float16"), C: T.Tensor((256, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        c = T.alloc_L0C((64, 64), "float32")
        a = T.alloc_L1((64, 128), "float16")
        with T.Scope("C"):
            T.copy(K[cid, :, :], a)
            T.copy(K[cid, 0:64, :], c)  # ~ error[TL201]: no data path leads from GM (K) to L0C (c)
            T.gemm_v0(a, a, c, transpose_B=True, init=True)
            T.barrier_all()
            T.copy(c, C[cid * 64, 0])


@T.prim_func
def wrong_target(A: T.Tensor((64, 64), "float16"), C: T.Tensor((256, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        c = T.alloc_L0C((64, 64), "float32")
        a = T.alloc_L1((64, 64), "float16")
        with T.Scope("C"):
            T.copy(A, a)
            T.gemm_v0(a, a, c, init=True)
            T.barrier_all()
            T.copy(c, a[cid * 64 : cid * 64 + 64, :])  # ~ error[TL201]: T.copy does not lead from L0C (c)


@T.prim_func
def rows_of_no_path(A: T.Tensor((256, 64), "float16"), C: T.Tensor((256, 64), "float16")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        with T.Scope("C"):
            T.copy(A[cid * 64, 0], a)
            T.barrier_all()
            T.copy(a, C[cid * 64, 0])  # ~ error[TL201]: no data path leads from L1 (a) to GM (C)


@T.prim_func
def memory_of_an_operand(A: T.Tensor((64, 64), "float32"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((8, 64), "float32")
        t = T.alloc_ub((16, 16), "float32")
        with T.Scope("V"):
            T.tile.transpose(t, A)  # ~ error[TL315]: A lies in GM; src of T.tile.transpose must lie in the UB
            T.copy(A[cid * 16 + vid * 8, 0], x)
            T.reduce_sum(x[0:8, :], C[cid * 16, 0])  # ~ error[TL315]: out of T.reduce_sum must lie in the UB
            T.barrier_all()
            T.copy(x, C[cid * 16 + vid * 8, 0])


@T.prim_func
def order_of_arguments(C: T.Tensor((64, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        s = T.alloc_ub((8, 64), "float32")
        with T.Scope("V"):
            T.tile.fill(s, 0.0)
            T.barrier_all()
            T.tile.atomic_add(s, C[cid * 8, 0])  # ~ error[TL201]: dst of T.tile.atomic_add lies in the UB


@T.prim_func
def begins_outside(A: T.Tensor((64, 512), "float32"), C: T.Tensor((64, 512), "float32")):
    with T.Kernel(32, is_npu=True) as (cid, vid):
        o = T.alloc_ub((512,), "float32")
        with T.Scope("V"):
            T.copy(A[cid * 2 + vid, 0:512], o)
            T.barrier_all()
            T.copy(o, C[cid * 2 + vid, -1:512])  # ~ error[TL308]: reaches -1 in dimension 1 of C


@T.prim_func
def size_and_type(A: T.Tensor((64, 128), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        o = T.alloc_ub((64, 64), "float32")
        with T.Scope("V"):
            T.copy(A[0:64, 0:128], o)  # ~ error[TL202]: selects 8192 elements
            T.barrier_all()
            T.copy(o, C)


@T.prim_func
def on_the_other_core(A: T.Tensor((64, 64), "float16"), C: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        c = T.alloc_L0C((64, 64), "float32")
        u = T.alloc_ub((32, 64), "float32")
        with T.Scope("C"):
            T.copy(A, a)
            T.barrier_all()
            T.gemm_v0(a, a, c, init=True)
            T.barrier_all()
            T.copy(c, C)
            T.set_cross_flag("FIX", 0)
            T.wait_cross_flag(0)
            T.copy(C[vid * 32, 0], u)  # ~ error[TL307]: u lies in UB, which belongs to the vector cores


@T.prim_func
def race(A: T.Tensor((128, 64), "float32"), C: T.Tensor((256, 64), "float32")):
    with T.Kernel(2, is_npu=True) as (cid, vid):
        x = T.alloc_ub((32, 64), "float32")
        with T.Scope("V"):
            T.copy(A[cid * 64 + vid * 32, 0], x)
            T.barrier_all()
            T.copy(x, C[cid * 64, 0])  # ~ warning[TL411]: vid is not in the index


@T.prim_func
def of_another_call(C: T.Tensor((64, 64), "int32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        o = T.alloc_ub((8, 64), "int32")
        with T.Scope("V"):
            T.tile.fill(o, 3)
            T.barrier_all()
            T.tile.bitwise_and(o, o, 255)  # ~ error[TL106]: takes a tile as src1, no scalar
            T.barrier_all()
            T.copy(o, C[vid * 8, 0])
