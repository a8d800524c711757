"""Values of options of jit that upstream refuses, or takes for others; the kernel is checked all the same."""

import tilelang
import tilelang.language as T


def build(rows):
    @T.prim_func
    def main(A: T.Tensor((64, 64), "float16"), B: T.Tensor((64, 64), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((rows, 64), "float16")
            T.copy(A[0:32, 0:64], a)  # ~ error[TL202]: selects 2048 elements
            T.barrier_all()
            T.copy(a, B[0, 0])

    return main


@tilelang.jit(out_idx=[1], platform="A9")
#                                   ^^^^ warning[TL104]: there is no platform 'A9': they are auto, A2, A3, A5
def one():
    return build(32)


@tilelang.jit(out_idx=[1], platform="a5")  # ~ warning[TL104]: did you mean 'A5'?
def two():
    return build(16)


@tilelang.jit(out_idx=[1], execution_backend="cyton")  # ~ error[TL104]: did you mean 'cython'?
def three():
    return build(32)


@tilelang.jit(out_idx="1")  # ~ error[TL108]: out_idx is the position of a parameter, or a list of positions, not '1'
def four():
    return build(32)


@tilelang.jit(out_idx=[1], workspace_idx=[0.5])  # ~ error[TL112]: workspace_idx is the position
def five():
    return build(32)


@tilelang.jit(out_idx=[1], pass_configs=["tl.ascend_auto_sync"])  # ~ error[TL104]: pass_configs is a dictionary
def six():
    return build(32)


@tilelang.jit(out_idx=[1], pass_configs={"tl.ascend_auto_sync": "False"})
# ~^ error[TL104]: tl.ascend_auto_sync is True or False, not 'False'
def seven():
    return build(32)


@tilelang.jit(out_idx=[1], platform="A2", execution_backend="ctypes", pass_configs=None)
def right():
    return build(32)


one()
two()
three()
four()
five()
six()
seven()
right()
tilelang.compile(build(32), out_idx=[1], platform="910B")  # ~ warning[TL104]: there is no platform '910B'
