"""Tensors that a kernel is called with, against its parameters."""

import tilelang
import tilelang.language as T
import torch


@tilelang.jit(out_idx=[-1])
def scaled(M, N, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M, N), dtype), S: T.Tensor((M, 8), "float32"), B: T.Tensor((M, N), dtype)):
        with T.Kernel(M // 32, is_npu=True) as (cid, vid):
            a = T.alloc_ub((32, N), dtype)
            with T.Scope("V"):
                T.copy(A[cid * 32, 0], a)
                T.barrier_all()
                T.copy(a, B[cid * 32, 0])

    return main


@tilelang.jit(out_idx=[-1])
def product():
    M, N, K = T.symbolic("M"), T.symbolic("N"), T.symbolic("K")

    @T.prim_func
    def main(A: T.Tensor((M, K), "float16"), B: T.Tensor((K, N), "float16"), C: T.Tensor((M, N), "float16")):
        with T.Kernel(T.ceildiv(M, 32), is_npu=True) as (cid, vid):
            a = T.alloc_ub((32, 64), "float16")
            with T.Scope("V"):
                T.copy(A[cid * 32, 0], a)
                T.barrier_all()
                T.copy(a, C[cid * 32, 0])

    return main


kernel = scaled(128, 64)
a = torch.randn(128, 64, dtype=torch.float16).npu()
s = torch.randn(128, 8).npu()
b = kernel(a, s)
flat = kernel(a.view(-1, 32), s)
wide = kernel(torch.zeros((256, 64), dtype=torch.float16).npu(), s)
later = kernel(a.clone().contiguous(), s.float())
unknown = kernel(a * 2, s + a)
few = kernel(a)  # ~ error[TL121]: main takes 2 tensors (A, S), and 1 is given
other = kernel(a, s.half())
#                 ^^^^^^^^ error[TL121]: S holds float32, and the tensor float16
full = kernel(torch.randn(128, 64).npu(), s)  # ~ error[TL121]: A holds float16, and the tensor float32
short = kernel(a[0:64], s)
small = kernel(torch.ones(64, 64, dtype=torch.float16), s)
#              ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ warning[TL121]: 8192 elements, and the tensor (64, 64), 4096
turned = kernel(torch.randn(64, 128, dtype=torch.float16).npu(), s)
# ~^ warning[TL121]: A has the shape (128, 64), and the tensor (64, 128)
scales = kernel(a, torch.randn(8, 128))  # ~ warning[TL121]: S has the shape (128, 8), and the tensor (8, 128)
longer = kernel(a.view(64, 2, 64), s)

gemm = product()
c = gemm(torch.randn(100, 64).half(), torch.randn(64, 80).half())
d = gemm(torch.randn(100, 64).half(), torch.randn(32, 80).half())  # ~ warning[TL121]: K is 64 in A, and 32 in the tensor for B

if unknown.sum() > 0:
    kernel(a)


def check():
    for rows in (128, 64):
        x = torch.randn(rows, 64, dtype=torch.float16)
        kernel(x, s)  # ~ warning[TL121]: 8192 elements, and the tensor (64, 64), 4096


check()
torch.set_default_dtype(torch.float16)
kernel(torch.randn(128, 64), s)


@tilelang.jit(out_idx=[-1])
def of_any_length(N):
    @T.prim_func
    def main(A: T.Tensor((N, 64), "float16"), rows: T.int32, B: T.Tensor((N, 64), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((1, 64), "float16")
            with T.Scope("V"):
                for i in T.serial(rows):
                    T.copy(A[i, 0], a)
                    T.barrier_all()
                    T.copy(a, B[i, 0])
                    T.barrier_all()

    return main


of_any_length(65536)(torch.randn(128, 64, dtype=torch.float16), 128)
