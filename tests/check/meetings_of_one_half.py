"""T.sync_all waits for both halves of the cores under upstream's compiler."""

import tilelang
import tilelang.language as T


def build(target, vectors, cubes):
    @tilelang.jit(target=target)
    def made():
        @T.prim_func
        def main(A: T.Tensor((8, 64), "float32"), B: T.Tensor((8, 64), "float32")):
            with T.Kernel(4, is_npu=True) as (cid, vid):
                a = T.alloc_ub((1, 64), "float32")
                if cubes:
                    with T.Scope("C"):
                        T.sync_all()  # ~ warning[TL405]: only cube cores come to T.sync_all, where upstream's compiler has all cores wait: the vector cores never come
                with T.Scope("V"):
                    T.copy(A[cid * 2 + vid, 0], a)
                    T.barrier_all()
                    if vectors:
                        T.sync_all()  # ~ warning[TL405]: only vector cores come to T.sync_all
                    T.copy(a, B[cid * 2 + vid, 0])

        return main

    return made()


build("ascendc", True, False)
build("ascendc", False, True)
build("ascendc", True, True)
build("pto", True, False)


@T.prim_func
def outside_of_scopes(A: T.Tensor((8, 64), "float32"), B: T.Tensor((8, 64), "float32")):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        a = T.alloc_ub((1, 64), "float32")
        with T.Scope("V"):
            T.copy(A[cid * 2 + vid, 0], a)
            T.barrier_all()
            T.copy(a, B[cid * 2 + vid, 0])
        T.sync_all()
