"""Conversions within the UB: pairs of types and modes that the vector unit of A2 and A3 has."""

import tilelang
import tilelang.language as T


def cast(target):
    @tilelang.jit(target=target)
    def factory():
        @T.prim_func
        def main(A: T.Tensor((128,), "float32"), B: T.Tensor((128,), "float16"), C: T.Tensor((128,), "int32")):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                f = T.alloc_ub((128,), "float32")
                h = T.alloc_ub((128,), "float16")
                i = T.alloc_ub((128,), "int32")
                octets = T.alloc_ub((128,), "int8")
                with T.Scope("V"):
                    T.copy(A, f)
                    T.copy(B, h)
                    T.barrier_all()
                    T.tile.cast(octets, f, "CAST_RINT", 128)  # ~ error[TL303]: no such conversion
                    T.tile.cast(i, f, "CAST_RINT", 128)
                    T.tile.cast(i, f, "CAST_ODD", 128)  # ~ error[TL316]: it writes nothing
                    # ~^ error[TL316]: it rounds otherwise
                    T.tile.cast(h, f, "CAST_ODD", 128)
                    T.tile.cast(octets, h, "CAST_NONE", 128)
                    T.tile.cast(f, f, "CAST_FLOOR", 128)
                    T.tile.cast(h, i, "CAST_CEIL", 128)  # ~ warning[TL316]: a register that nothing sets
                    T.barrier_all()
                    T.copy(i, C)

        return main

    return factory()


cast("ascendc")
cast("pto")


@T.prim_func
def modes(A: T.Tensor((128,), "float16"), C: T.Tensor((128,), "int32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        f = T.alloc_ub((128,), "float32")
        h = T.alloc_ub((128,), "float16")
        i = T.alloc_ub((128,), "int32")
        s = T.alloc_ub((128,), "int16")
        b = T.alloc_ub((128,), "bfloat16")
        with T.Scope("V"):
            T.copy(A, h)
            T.barrier_all()
            T.tile.cast(f, h, "CAST_RINT", 128)
            #                 ^^^^^^^^^^^ error[TL316]: CAST_RINT from float16 to float32: the vector unit takes CAST_NONE only
            T.tile.cast(i, f, "CAST_NONE", 128)  # ~ error[TL316]: CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND and CAST_TRUNC
            T.tile.cast(s, i, "CAST_TRUNC", 128)  # ~ error[TL316]: takes CAST_NONE only
            T.tile.cast(b, f, "CAST_ODD", 128)  # ~ error[TL316]: CAST_ODD from float32 to bfloat16
            T.tile.cast(f, b, "CAST_NONE", 128)
            T.tile.cast(f, i, "CAST_NONE", 128)
            T.tile.cast(h, s, "CAST_NONE", 128)
            T.barrier_all()
            T.copy(i, C)


@tilelang.jit(target="pto")
def ignored():
    @T.prim_func
    def main(A: T.Tensor((128,), "float16"), C: T.Tensor((128,), "int32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            f = T.alloc_ub((128,), "float32")
            h = T.alloc_ub((128,), "float16")
            i = T.alloc_ub((128,), "int32")
            with T.Scope("V"):
                T.copy(A, h)
                T.barrier_all()
                T.tile.cast(f, h, "CAST_ODD", 128)
                T.tile.cast(i, f, "CAST_NONE", 128)
                T.barrier_all()
                T.copy(i, C)

    return main


ignored()


@T.prim_func
def pairs(A: T.Tensor((128,), "float16"), C: T.Tensor((128,), "int32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        f = T.alloc_ub((128,), "float32")
        h = T.alloc_ub((128,), "float16")
        b = T.alloc_ub((128,), "bfloat16")
        i = T.alloc_ub((128,), "int32")
        i2 = T.alloc_ub((128,), "int32")
        w = T.alloc_ub((128,), "uint32")
        o = T.alloc_ub((128,), "int8")
        m = T.alloc_ub((128,), "bool")
        with T.Scope("V"):
            T.copy(A, h)
            T.barrier_all()
            T.tile.cast(b, h, "CAST_RINT", 128)  # ~ error[TL303]: h holds float16 and b bfloat16
            T.tile.cast(f, w, "CAST_NONE", 128)  # ~ error[TL303]: w holds uint32 and f float32
            T.tile.cast(i2, i, "CAST_NONE", 128)  # ~ error[TL303]: i holds int32 and i2 int32
            T.copy(f, o)  # ~ error[TL303]: f holds float32 and o int8: the vector unit of A3 has no such
            T.copy(o, f)  # the same two once more
            T.copy(f, b)
            T.copy(m, h)  # ~ warning[TL316]: upstream's template asks for CAST_RINT
            T.tile.cast(h, m, "CAST_NONE", 128)
            T.copy(i, i2)
            T.barrier_all()
            T.copy(i, C)


@T.prim_func
def copied(A: T.Tensor((128,), "uint8"), C: T.Tensor((128,), "int64")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        octets = T.alloc_ub((128,), "uint8")
        signed = T.alloc_ub((128,), "int8")
        h = T.alloc_ub((128,), "float16")
        i = T.alloc_ub((128,), "int32")
        long = T.alloc_ub((128,), "int64")
        with T.Scope("V"):
            T.copy(A, octets)
            T.barrier_all()
            T.copy(octets, h)  # ~ warning[TL316]: from uint8 to float16: upstream's template asks for CAST_RINT
            T.copy(signed, h)
            T.copy(h, i)
            T.copy(i, long)  # ~ warning[TL316]: from int32 to int64
            T.barrier_all()
            T.copy(long, C)
