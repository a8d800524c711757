"""Names and element types made by f-strings and string methods."""
#@ instance: bits=16
#@ instance: bits=32

import tilelang
import tilelang.language as T


@tilelang.jit
def build(bits):
    dtype = f"float{bits}"
    other = "INT_{:d}".format(bits).lower().replace("_", "")
    third = "%s%d" % ("uint", bits)

    @T.prim_func
    def main(A: T.Tensor((64, 64), dtype)):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64, 64), dtype)
            b = T.alloc_ub((64, 64), other)
            c = T.alloc_ub((64, 64), third)
            T.tile.fill(a, 0.0)
            T.tile.fill(b, 0)
            T.tile.fill(c, 0)
            T.barrier_all()
            T.copy(a, A)

    return main


build(16)
build(32)
