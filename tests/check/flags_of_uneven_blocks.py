"""A wait for a wrong id in a loop that goes round differently often in other blocks is one fault."""

import tilelang.language as T

F = "float16"


@T.prim_func
def main(A: T.Tensor((800, 64), F), C: T.Tensor((800, 64), F)):
    with T.Kernel(4, is_npu=True) as (cid, vid):
        x = T.alloc_ub((16, 64), F)
        with T.Scope("V"):
            T.set_flag("mte3", "mte2", 2)
            for t in T.serial((25 - cid + 3) // 4):
                T.wait_flag("mte3", "mte2", 3)  # ~ error[TL404]: MTE3->MTE2 id 3
                T.copy(A[(t * 4 + cid) * 32 + vid * 16, 0], x)
                T.set_flag("mte2", "mte3", 2)
                T.wait_flag("mte2", "mte3", 2)
                T.copy(x, C[(t * 4 + cid) * 32 + vid * 16, 0])
                T.set_flag("mte3", "mte2", 2)
            T.wait_flag("mte3", "mte2", 2)
