"""Names at module level that nothing binds: Python raises NameError there, at import."""
#@ kernels: 1

import sys

import tilelang.language as T


@T.prim_func
def whole(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((32, 64), "float16")
        with T.Scope("V"):
            T.copy(A[vid * 32, 0], a)
            T.barrier_all()
            T.copy(a, B[vid * 32, 0])


@tilelang.jit(out_idx=[-1], pass_configs={tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True})
# ~^ error[TL103]: NameError: name 'tilelang' is not defined
def factory(M=64):
    @T.prim_func
    def main(A: T.Tensor((M, 64), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            pass

    return main


OPTIONS = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}
SIZE = undefined_size + 1  # ~ error[TL103]: NameError: name 'undefined_size' is not defined
FAR = SIZE + undefined_size


def helper(size=DEFAULT_SIZE):  # ~ error[TL103]: NameError: name 'DEFAULT_SIZE' is not defined
    return not_called + size


if len(sys.argv) > 3:
    print(perhaps)
try:
    print(tried)
except NameError:
    pass
if False:
    print(never)
print(__doc__, __name__, exit, later if SIZE else 0)
for later in range(3):
    pass
factory()
