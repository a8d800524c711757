"""A call that uses several flags between the cores in turn is one fault, and so is an id that no flag
has."""

import tilelang.language as T


def ring(first, drained, setting=True, more=0):
    """The cube core fills three slots in turn; `first`: the id of the first slot where it sets."""

    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), W: T.Tensor((3, 64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float32")
            u = T.alloc_ub((32, 64), "float32")
            with T.Scope("C"):
                T.copy(A, a)
                T.barrier_all()
                for t in T.serial(8 + more):
                    if t < 8:
                        T.wait_cross_flag(4 + t % 3)
                    T.gemm_v0(a, a, c, init=True)
                    T.barrier_all()
                    T.copy(c, W[t % 3, 0, 0])
                    T.barrier_all()
                    # ~vv error[TL401]: no flag 16 # ~vv error[TL405]: flag 8: 3 sets
                    if setting:
                        T.set_cross_flag("FIX", first + t % 3)
                if drained:
                    for s in T.serial(3):
                        T.wait_cross_flag(4 + s)
            with T.Scope("V"):
                for s in T.serial(3):
                    T.set_cross_flag("MTE2", 4 + s)  # ~ warning[TL405]: flags 4, 5 and 6: 11 sets, but 8 waits
                for t in T.serial(8):
                    T.wait_cross_flag(t % 3)  # ~ error[TL405]: flags 0, 1 and 2: 8 waits, but only 0 sets
                    T.copy(W[t % 3, vid * 32, 0], u)
                    T.barrier_all()
                    T.set_cross_flag("MTE2", 4 + t % 3)

    return main


ring(0, True)
ring(0, True, setting=False)
ring(16, True)
ring(0, False)
ring(8, True)


def flood(more):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), W: T.Tensor((64, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float32")
            u = T.alloc_ub((32, 64), "float32")
            with T.Scope("C"):
                T.copy(A, a)
                T.barrier_all()
                T.gemm_v0(a, a, c, init=True)
                T.barrier_all()
                T.copy(c, W)
                for t in T.serial(8 + more):
                    T.set_cross_flag("FIX", t % 3)  # ~ error[TL405]: flag 0: 23 sets
            with T.Scope("V"):
                for t in T.serial(8):
                    T.wait_cross_flag(t % 3)
                T.copy(W[vid * 32, 0], u)

    return main


flood(60)
