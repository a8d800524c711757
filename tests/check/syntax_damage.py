#@ skipped: it needs text of which a part is not valid Python
"""What damaged text would have defined is not known, and nothing is told of what uses it."""

from dataclasses import dataclass

import tilelang
import tilelang.language as T

OPTIONS = {
    tilelang.PassConfigKey.TL_ASCEND_AUTO_CV_COMBINE: True,
}
    tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,  # ~ error[TL101]: unexpected indent
    tilelang.PassConfigKey.TL_ASCEND_MEMORY_PLANNING: True,
}


@tilelang.jit(out_idx=[1], pass_configs=OPTIONS)
def ordered_by_options(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), B: T.Tensor((M, N), "float32")):
        with T.Kernel(M // 64, is_npu=True) as (cid, vid):
            a = T.alloc_ub((32, N), "float32")  # ~ hint a: float32[32,64] UB 8 KiB
            T.copy(A[cid * 64 + vid * 32, 0], a)
            T.tile.exp(a, a)
            T.copy(a, B[cid * 64 + vid * 32, 0])

    return main


ordered_by_options(1024, 64)


@dataclass(frozen=True)
class Sizes:
    rows: int = 16

    def half(self):


# ~v error[TL101]: expected an indented block
def beside_it(N):
    @T.prim_func
    def main(A: T.Tensor((64, N), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            b = T.alloc_ub((32, 32), "float32")
            T.copy(A[0:32, :], b)  # ~ error[TL202]: selects 2048

    return main


beside_it(64)


def by_sizes(sizes=Sizes()):
    half = sizes.half()

    @T.prim_func
    def main(A: T.Tensor((1024, 64), "float32")):
        with T.Kernel(1024 // sizes.rows, is_npu=True) as (cid, vid):
            a = T.alloc_ub((half, 64), "float32")
            T.copy(A[cid * sizes.rows, 0], a)

    return main


by_sizes()


def taken_apart(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32")):
        with T.Kernel(M // 64, is_npu=True) as (cid, vid):
            a = T.alloc_ub((32, N), "float32")
            with T.Scope("V"):
                T.copy(A[cid * 64 + vid * 32, 0], a)
                T.set_flag("mte2", "v", 1)
taken_apart(1024, 64)
                T.wait_flag("mte2", "v", 1)  # ~ error[TL101]: unexpected indent
                T.tile.exp(a, a)

    return main


def as_before(M, N):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32")):
        with T.Kernel(M // 64, is_npu=True) as (cid, vid):
            b = T.alloc_ub((32, 32), "float32")
            T.copy(A[cid * 64 : cid * 64 + 32, :], b)  # ~ error[TL202]: selects 2048

    return main


as_before(1024, 64)
