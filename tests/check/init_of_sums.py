"""`init` is true in the first product of a sum, and in no later one."""

import tilelang
import tilelang.language as T


def product(blocks, first):
    @T.prim_func
    def main(
        A: T.Tensor((64, 512), "float16"),
        B: T.Tensor((512, 64), "float16"),
        C: T.Tensor((64, 64), "float16"),
        D: T.Tensor((64, 64), "float16"),
        E: T.Tensor((64, 64), "float16"),
        when: T.int32,
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, 64), "float16")
            b = T.alloc_L1((64, 64), "float16")
            turned = T.alloc_L0C((64, 64), "float")
            known = T.alloc_L0C((64, 64), "float")
            anew = T.alloc_L0C((64, 64), "float")
            with T.Scope("C"):
                for k in T.serial(first, blocks):
                    T.copy(A[0, k * 64], a)
                    T.copy(B[k * 64, 0], b)
                    T.barrier_all()
                    # ~v warning[TL306]: init=k != 2 is false in the first product, where k = 2
                    T.gemm_v0(a, b, turned, init=(k != 2))
                    T.gemm_v0(a, b, known, init=(k == when))
                    # ~v warning[TL306]: init=True starts anew anew in each of the
                    T.gemm_v0(a, b, anew, init=True)
                    T.barrier_all()
                T.copy(turned, C)
                T.copy(known, D)
                T.copy(anew, E)

    return main


product(8, 2)
product(6, 2)


@T.prim_func
def silent(
    A: T.Tensor((64, 512), "float16"),
    B: T.Tensor((512, 64), "float16"),
    C: T.Tensor((512, 64), "float16"),
    D: T.Tensor((64, 64), "float16"),
):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_L1((64, 64), "float16")
        b = T.alloc_L1((64, 64), "float16")
        each = T.alloc_L0C((64, 64), "float")
        same = T.alloc_L0C((64, 64), "float")
        set_before = T.alloc_L0C((64, 64), "float")
        with T.Scope("C"):
            T.copy(A[0, 0], a)
            T.copy(B[0, 0], b)
            T.barrier_all()
            T.gemm_v0(a, b, set_before, init=True)
            for again in T.serial(10):
                T.gemm_v0(a, b, same, init=True)
                T.gemm_v0(a, b, set_before, init=(again == 20))
            T.barrier_all()
            T.copy(same, D)
            T.copy(set_before, D)
            for k in T.serial(8):
                T.barrier_all()
                T.copy(A[0, k * 64], a)
                T.barrier_all()
                T.gemm_v0(a, b, each, init=True)
                T.barrier_all()
                T.copy(each, C[k * 64, 0])


def windows(back, begins):
    @T.prim_func
    def main(A: T.Tensor((1024, 1024), "float16"), B: T.Tensor((1024, 64), "float16"), C: T.Tensor((1024, 64), "float")):
        with T.Kernel(8, is_npu=True) as (cid, vid):
            a = T.alloc_L1((128, 128), "float16")
            b = T.alloc_L1((128, 64), "float16")
            wrong = T.alloc_L0C((128, 64), "float")
            right = T.alloc_L0C((128, 64), "float")
            low = T.max(cid - back, 0)
            with T.Scope("C"):
                for n in T.serial(low, cid + 1):
                    T.copy(A[cid * 128, n * 128], a)
                    T.copy(B[n * 128, 0], b)
                    T.barrier_all()
                    T.gemm_v0(a, b, right, init=(n == low))
                    # ~v warning[TL306]: is false in the first product, where n = 5, cid = 7: it is added to whatever wrong
                    T.gemm_v0(a, b, wrong, init=(n == 0))
                    T.barrier_all()
                T.copy(wrong, C[cid * 128, 0])
                T.copy(right, C[cid * 128, 0])

    return main


windows(2, 0)


@T.prim_func
def all_before(A: T.Tensor((1024, 1024), "float16"), B: T.Tensor((1024, 64), "float16"), C: T.Tensor((1024, 64), "float")):
    with T.Kernel(8, is_npu=True) as (cid, vid):
        a = T.alloc_L1((128, 128), "float16")
        b = T.alloc_L1((128, 64), "float16")
        c = T.alloc_L0C((128, 64), "float")
        late = T.alloc_L0C((128, 64), "float")
        with T.Scope("C"):
            for n in T.serial(0, cid + 1):
                T.copy(A[cid * 128, n * 128], a)
                T.copy(B[n * 128, 0], b)
                T.barrier_all()
                T.gemm_v0(a, b, c, init=(n == 0))
                T.barrier_all()
            # In the first block it has no turn.
            for n in T.serial(T.min(cid, 1), cid):
                T.gemm_v0(a, b, late, init=(n == 1))
                T.barrier_all()
            T.copy(c, C[cid * 128, 0])
            T.copy(late, C[cid * 128, 0])
