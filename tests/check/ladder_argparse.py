"""The defaults of argparse options are arguments like any other, converted by their type."""
#@ instance: M=4096, block=256, dtype="float32"

import tilelang
import tilelang.language as T

import argparse

import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def scale(M, block, dtype="float16"):
    @T.prim_func
    def main(A: T.Tensor((M,), dtype), B: T.Tensor((M,), dtype)):
        with T.Kernel(M // block, is_npu=True) as (cid, vid):
            a_ub = T.alloc_ub((block,), dtype)
            with T.Scope("V"):
                T.copy(A[cid * block], a_ub)
                T.barrier_all()
                T.tile.mul(a_ub, a_ub, 2.0)
                T.barrier_all()
                T.copy(a_ub, B[cid * block])

    return main


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--size", type=int, default="4096", help="elements")
    parser.add_argument("-b", "--block-size", type=int, default=256)
    parser.add_argument("--dtype", default="float32")
    parser.add_argument("--verbose", action="store_true")
    args = parser.parse_args()
    kernel = scale(args.size, args.block_size, args.dtype)
    if args.verbose:
        scale(1, 1)
    return kernel


if __name__ == "__main__":
    main()
