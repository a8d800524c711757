"""Comments, strings and odd spacing move nothing: columns count characters."""

import tilelang.language as T

TEXT = """
T.copy(A, b)  # not code
"""


@T.prim_func
def main(A: T.Tensor((64, 64), "float32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        größe = T.alloc_ub((64, 32), "float32"); "ä€𝄞"; T.copy(A, größe)
#                                                       ^^^^^^^^^^^^^^^^ error[TL202]: same shape
        klein = T.alloc_ub((64, 16), "float32")
        T.copy(  # ~ error[TL202]: same shape
            A,
            klein,
        )
