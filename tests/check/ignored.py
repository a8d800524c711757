"""Comments by which an author says what is not to be told, and those that say it in vain."""

import tilelang.language as T

TEXT = "# tl: ignore[tail]"


@T.prim_func
def main(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((256, 256), "float32")  # tl: ignore[ub-overflow]
        b = T.alloc_ub((64, 64), "float32")
        c = T.alloc_ub((64, 32), "float32")
        d = T.alloc_ub((64, 16), "float32")
        e = T.alloc_ub((64, 8), "float32")
        T.copy(A, a)  # tl: ignore[TL202]
        T.copy(A, c)  # by its name or its code  # tl: ignore[copy-shape, TL202]
        T.copy(
            A,
            d,
        )  # tl: ignore[copy-shape]
        T.copy(A, b)  # tl: ignore[tail]
        #             ^^^^^^^^^^^^^^^^^^ warning[TL113]: this line has no tail
        T.copy(A, b)  # tl: ignore
        #             ^^^^^^^^^^^^ warning[TL113]: say what is to be ignored
        T.copy(A, b)  # tl: ignore[tial, TL999]
        # ~^ warning[TL113]: there is no diagnostic 'tial'; did you mean 'tail'?
        T.copy(A, e)  # tl: ignore[unused-ignore, tail]
        # ~^ error[TL202]: two whole buffers
