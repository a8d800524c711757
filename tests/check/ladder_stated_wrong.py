"""What an author states wrongly is told where it is stated; arithmetic on numbers may stand there."""
#@ instance: M=64, N=512
#@ instance: M=-8, N=96
#@ instance: M=64

import tilelang
import tilelang.language as T


# tl: instance M=64, N=2**9
# tl: instance M=-(4 + 4), N=(64 + 128) // 2
@tilelang.jit
def plain(M, N):
    @T.prim_func
    def main(A: T.Tensor((N,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64,), "float32")
            T.copy(A[0], a)

    return main


# tl: instance M=64
# tl: instance M=64, K=4  # ~ error[TL103]: no parameter 'K'
# tl: instance M=65  # ~ error[TL103]: AssertionError
# tl: instance M=foo(  # ~ error[TL103]: not a list of literal arguments
# tl: instance M=1 // 0  # ~ error[TL103]: not a list of literal arguments
# tl: instance M=2 ** 2 ** 99  # ~ error[TL103]: not a list of literal arguments
@tilelang.jit
def wrong(M):
    assert M % 64 == 0

    @T.prim_func
    def main(A: T.Tensor((M,), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64,), "float32")
            T.copy(A[0], a)

    return main
