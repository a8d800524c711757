"""All forms of T.alloc_var, and what is none."""

import tilelang
import tilelang.language as T


@T.prim_func
def main(A: T.Tensor((64,), "int32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "int32")
        none = T.alloc_var("int32")
        first = T.alloc_var("int32", 1)
        named = T.alloc_var("int32", init=cid + 1)
        scoped = T.alloc_var("int32", "local.var")
        both = T.alloc_var("int32", 3, "local.var")
        none = first + named + scoped + both  # ~ warning[TL321]: scoped is read here, and nothing in the kernel assigns it
        T.tile.fill(a, none)
        while none > 0:
            none = none - 1
            if none == 3:
                T.loop_break()
        T.copy(a, A)


@T.prim_func
def wrong(A: T.Tensor((64,), "int32")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_var("int32", 1, init=2)  # ~ error[TL104]: its first value twice
        b = T.alloc_var("int32", 1, 2)  # ~ error[TL104]: is text, the second argument
        c = T.alloc_var("int32", 1, "local.var", 3)  # ~ error[TL104]: at most 3 arguments
        d = T.alloc_var("int32", "local.var", init=2)  # ~ error[TL104]: write scope="local.var"
