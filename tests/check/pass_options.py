"""Options of upstream's passes: by the names of PassConfigKey, or as texts."""

import tilelang
import tilelang.language as T

first = tilelang.PassConfigKey.TL_ASCEND_AUTO_SINC
#                              ^^^^^^^^^^^^^^^^^^^ error[TL104]: PassConfigKey has no member
second = tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC.value


@tilelang.jit(out_idx=[-1], pass_configs={"tl.ascend_auto_synch": True})
#                                        ^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^ error[TL104]: did you mean 'tl.ascend_auto_sync'?
def wrong(M):
    return None


@tilelang.jit(
    out_idx=[-1],
    pass_configs={
        tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
        tilelang.PassConfigKey.TIR_DISABLE_CSE: True,
        "tl.ascend_memory_planning": True,
        "tir.some_option_of_tvm": True,
    },
)
def copy(M):
    @T.prim_func
    def main(A: T.Tensor((M, 64), "float16"), B: T.Tensor((M, 64), "float16")):
        with T.Kernel(M // 32, is_npu=True) as (cid, vid):
            a = T.alloc_ub((32, 64), "float16")
            T.copy(A[cid * 32, 0], a)
            T.copy(a, B[cid * 32, 0])

    return main


copy(64)


def targets(name):
    @tilelang.jit(out_idx=[-1], target=name)
    #                                  ^^^^ error[TL104]: there is no target 'npu': upstream's compiler knows ascendc
    def factory():
        @T.prim_func
        def main(A: T.Tensor((64,), "float16"), B: T.Tensor((64,), "float16")):
            with T.Kernel(1, is_npu=True) as (cid, vid):
                a = T.alloc_ub((64,), "float16")
                T.copy(A, a)
                T.barrier_all()
                T.copy(a, B)

        return main

    return factory()


targets("npu")
targets("pto")
targets("ascendc")
targets("auto")


@T.prim_func
def plain(A: T.Tensor((64,), "float16"), B: T.Tensor((64,), "float16")):
    with T.Kernel(1, is_npu=True) as (cid, vid):
        a = T.alloc_ub((64,), "float16")
        T.copy(A, a)
        T.barrier_all()
        T.copy(a, B)


tilelang.compile(plain, target="PTO")  # ~ error[TL104]: did you mean 'pto'?
