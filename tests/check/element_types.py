"""Element types that the vector unit does not take."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64, 64), "int32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "int32")
        h = T.alloc_ub((64, 64), "bfloat16")
        f = T.alloc_ub((64, 64), "float32")
        T.copy(A, a)
        T.tile.add(a, a, 1)
        T.tile.exp(a, a)  # ~ error[TL303]: a holds int32; on A3 Exp takes float16, float32
        T.tile.add(h, h, h)  # ~ error[TL303]: h holds bfloat16; on A3 Add takes
        T.tile.gather(f, f, a, 0)  # ~ error[TL303]: src_offset of T.tile.gather takes uint32
        T.tile.sin(f, f)


@T.prim_func
def bits(A: T.Tensor((64, 64), "int32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        wide = T.alloc_ub((64, 64), "int32")
        words = T.alloc_ub((64, 64), "int16")
        octets = T.alloc_ub((64, 64), "uint8")
        reals = T.alloc_ub((64, 64), "float32")
        T.tile.bitwise_and(words, words, words)
        T.tile.bitwise_and(wide, wide, wide)  # ~ error[TL303]: half of the elements
        T.tile.bitwise_or(octets, octets, octets)  # ~ warning[TL303]: the bytes behind the tiles
        T.tile.bitwise_not(reals, reals)  # ~ error[TL303]: reals holds float32
        T.tile.bitwise_and(words, words, 3)  # ~ error[TL106]: takes a tile as src1, no scalar
        T.tile.bitwise_lshift(wide, wide, 3)


@T.prim_func
def mixed(A: T.Tensor((64, 64), "float32"), out: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64, 64), "float32")
        b = T.alloc_ub((64, 64), "float16")
        c = T.alloc_ub((64,), "float16")
        g = T.alloc_ub((64, 64), "bfloat16")
        T.copy(A, a)
        T.tile.fill(b, 0.0)
        T.tile.fill(g, 0.0)
        T.barrier_all()
        T.tile.add(a, a, b)  # ~ error[TL303]: b holds float16 and a float32: T.tile.add does not convert
        T.tile.mul(a, a, g)  # ~ error[TL303]: g holds bfloat16 and a float32: T.tile.mul does not convert
        T.tile.exp(b, a)  # of b and a as well
        T.reduce_sum(a, c, dim=-1)  # a of float16 would mend this one, too
        T.tile.axpy(a, b, 2.0)
        T.tile.axpy(b, a, 2.0)  # of b and a as well
        T.tile.cast(a, b, "CAST_NONE", 64 * 64)


@T.prim_func
def sums(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        wide = T.alloc_ub((64, 64), "float32")
        narrow = T.alloc_ub((64, 64), "float16")
        T.copy(A, wide)
        T.tile.fill(narrow, 0.0)
        T.tile.axpy(narrow, wide, 2.0)  # ~ error[TL303]: narrow holds float16 and wide float32


@T.prim_func
def sorted(A: T.Tensor((16, 64), "int32"), B: T.Tensor((16, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 64), "int32")
        pairs = T.alloc_ub((16, 128), "int32")
        best = T.alloc_ub((64,), "int32")
        h = T.alloc_ub((16, 64), "float16")
        mixed = T.alloc_ub((16, 128), "float32")
        T.copy(A, a)
        T.tile.sort(pairs, a, 16 * 64)  # ~ error[TL303]: a holds int32; on A3 Sort takes float16, float32
        T.tile.topk(best, a, 32, 16 * 64)  # of a as well
        T.copy(B, h)
        T.tile.sort(mixed, h, 16 * 64)  # ~ error[TL303]: mixed holds float32 and h float16


@T.prim_func
def compared(A: T.Tensor((16, 64), "int32"), B: T.Tensor((16, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((16, 64), "int32")
        n = T.alloc_ub((16, 64), "int32")
        b = T.alloc_ub((16, 64), "float32")
        few = T.alloc_ub((8, 64), "float32")
        mask = T.alloc_ub((16, 8), "uint8")
        T.copy(A, a)
        T.copy(B, b)
        T.tile.fill(few, 1.0)
        T.tile.fill(n, 1)
        T.tile.compare(mask, a, 3, "EQ")
        T.tile.compare(mask, a, a, "EQ")
        T.tile.compare(mask, a, 3, "GT")  # ~ error[TL303]: a holds int32, of which A3 compares EQ only
        T.tile.compare(mask, n, a, "NE")  # ~ error[TL303]: n holds int32, of which A3 compares EQ only
        T.tile.compare(mask, b, 0.5, "LT")
        T.tile.compare(mask, b, few, "GE")  # ~ error[TL302]: few has 512 elements, (8, 64), and b, which it is compared with, 1024
        T.tile.compare(mask, few, b, "GE")  # as many as there are in few


@tilelang.jit(target="pto")
def on_pto(other):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float32"), B: T.Tensor((64, 64), other), C: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64, 64), "float32")
            b = T.alloc_ub((64, 64), other)
            s = T.alloc_ub((64, 1), "float32")
            places = T.alloc_ub((64, 64), "uint32")
            with T.Scope("V"):
                T.copy(A, a)
                T.copy(B, b)
                T.tile.createvecindex(places, 0)
                T.barrier_all()
                T.tile.add(a, a, b)  # ~ error[TL303]: b holds float16 and a float32: T.tile.add does not convert
                T.tile.axpy(a, b, 2.0)
                T.tile.cast(a, b, "CAST_NONE", 4096)
                T.reduce_max(a, s, dim=-1)
                T.barrier_all()
                T.copy(a, C)

    return main


on_pto("float16")
on_pto("float32")
