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


def handed(target, flags, own):
    @tilelang.jit(target=target)
    def made():
        @T.prim_func
        def main(
            A: T.Tensor((64, 64), "float16"),
            W: T.Tensor((2, 64, 64), "float32"),
            B: T.Tensor((64, 64), "float32"),
        ):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a = T.alloc_L1((64, 64), "float16")
                c = T.alloc_L0C((64, 64), "float32")
                u = T.alloc_ub((32, 64), "float32")
                with T.Scope("C"):
                    T.copy(A, a)
                    T.barrier_all()
                    T.gemm_v0(a, a, c, init=True)
                    T.barrier_all()
                    T.copy(c, W[0, 0, 0])
                    T.barrier_all()
                    if flags:
                        T.set_cross_flag("FIX", 0)
                    T.sync_all()  # ~ warning[TL405]: both halves of the cores call T.sync_all in scopes of their own: on route pto upstream's compiler has each meet alone, so that neither waits for the other, and nothing orders W
                with T.Scope("V"):
                    if flags:
                        T.wait_cross_flag(0)
                    T.sync_all()
                    if not own:
                        T.copy(W[0, vid * 32, 0], u)
                    else:
                        T.tile.fill(u, 0.0)
                    T.barrier_all()
                    T.copy(u, B[vid * 32, 0])

        return main

    return made()


handed("pto", False, False)
handed("pto", True, False)
handed("pto", False, True)
handed("ascendc", False, False)
