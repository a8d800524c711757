"""Pipes that wait for each other for ever; late sets, primed rings and unknown ids are no fault."""

import tilelang.language as T


@T.prim_func
def ring(A: T.Tensor((64, 128), "float32"), B: T.Tensor((64, 128), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((4, 128), "float32")
        with T.Scope("V"):
            for n in T.serial(3):
                T.set_flag("v", "mte2", n)
            for i in T.serial(100):
                # id 3 is never primed
                T.wait_flag("v", "mte2", i % 4)  # ~ error[TL404]: V->MTE2 id 3: the wait comes before its set
                T.copy(A[i % 64, :], a[i % 4, :])
                T.set_flag("mte2", "v", i % 4)
                T.wait_flag("mte2", "v", i % 4)
                T.tile.add(a[i % 4, :], a[i % 4, :], 1.0)
                T.set_flag("v", "mte2", i % 4)


@T.prim_func
def primed(A: T.Tensor((64, 128), "float32"), B: T.Tensor((64, 128), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((8, 128), "float32")
        with T.Scope("V"):
            for n in T.serial(8):
                T.set_flag("v", "mte2", n)
            for i in T.serial(3000):
                T.wait_flag("v", "mte2", i % 8)
                T.copy(A[i % 64, :], a[i % 8, :])
                T.set_flag("mte2", "v", i % 8)
                T.wait_flag("mte2", "v", i % 8)
                T.tile.add(a[i % 8, :], a[i % 8, :], 1.0)
                T.set_flag("v", "mte2", i % 8)
            for n in T.serial(8):
                T.wait_flag("v", "mte2", n)


@T.prim_func
def late(A: T.Tensor((64, 128), "float32"), B: T.Tensor((64, 128), "float32"), C: T.Tensor((64,), "int32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 128), "float32")
        c = T.alloc_ub((64,), "int32")
        with T.Scope("V"):
            # The set comes later in the text, but nothing keeps its pipe from it.
            T.wait_flag("mte2", "v", 0)
            T.tile.add(a, a, 1.0)  # ~ warning[TL321]: a is read here before anything has written it
            T.copy(A[0, 0], a)
            T.set_flag("mte2", "v", 0)
            T.wait_flag("mte3", "mte2", c[cid])
            # ~^ warning[TL321]: c is read here before anything has written it
            T.copy(C, c)
