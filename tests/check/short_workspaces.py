"""Workspaces that are too short for the blocks that hand something on through them."""

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], workspace_idx=[2])
def product(rows, blocks, M=256, N=256, K=64, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M, K), dtype), B: T.Tensor((K, N), dtype), W: T.Tensor((rows, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(blocks, is_npu=True) as (cid, vid):
            a = T.alloc_L1((64, K), dtype)
            b = T.alloc_L1((K, N), dtype)
            c = T.alloc_L0C((64, N), "float32")
            u = T.alloc_ub((32, N), "float32")
            with T.Scope("C"):
                T.copy(A[cid * 64, 0], a)
                T.copy(B, b)
                T.barrier_all()
                T.gemm_v0(a, b, c, init=True)
                T.barrier_all()
                T.copy(c, W[cid * 64, 0])  # ~ error[TL308]: begins behind the end of dimension 0 of W, (128, 256), at cid = 2
                T.set_cross_flag("FIX", 3)
            with T.Scope("V"):
                T.wait_cross_flag(3)
                T.copy(W[cid * 64 + vid * 32, 0], u)
                T.barrier_all()
                T.tile.exp(u, u)
                T.barrier_all()
                T.copy(u, C[cid * 64 + vid * 32, 0])

    return main


product(128, 4)
product(256, 4)
product(1024, 16, M=1024)


@tilelang.jit(out_idx=[-1], workspace_idx=[1])
def halves(rows, blocks=8, M=256, N=128):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), W: T.Tensor((rows, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(blocks, is_npu=True) as (cid, vid):
            x = T.alloc_ub((16, N), "float32")
            row = cid * 32 + vid * 16
            with T.Scope("V"):
                T.copy(A[row, 0], x)
                T.barrier_all()
                T.copy(x, W[row, 0])  # ~ error[TL308]: begins behind the end of dimension 0 of W, (240, 128), at cid = 7, vid = 1
                T.barrier_all()
                T.copy(W[row, 0], x)
                T.barrier_all()
                T.copy(x, C[row, 0])

    return main


halves(240)
halves(256)
halves(1000, 32, 1000)
halves(250, 8, 250)
halves(200, 20, 200)  # idle blocks have nothing in the output, either


@tilelang.jit(out_idx=[-1], workspace_idx=[1])
def some(M=256, N=128):
    @T.prim_func
    def main(A: T.Tensor((M, N), "float32"), W: T.Tensor((64, N), "float32"), C: T.Tensor((M, N), "float32")):
        with T.Kernel(8, is_npu=True) as (cid, vid):
            x = T.alloc_ub((16, N), "float32")
            row = cid * 32 + vid * 16
            with T.Scope("V"):
                T.copy(A[row, 0], x)
                T.barrier_all()
                if cid < 2:
                    T.copy(x, W[row, 0])
                    T.barrier_all()
                    T.copy(W[row, 0], x)
                    T.barrier_all()
                T.copy(x, C[row, 0])

    return main


some()
