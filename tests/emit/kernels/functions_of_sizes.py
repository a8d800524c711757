#@ emit: ascendc
import tilelang
import tilelang.language as T

rows = T.symbolic("rows")


@tilelang.jit(out_idx=[-1])
def functions_of_sizes():
    whole = T.cast(T.ceil(T.cast(rows, "float32") / 24.0), "int32")
    levels = T.cast(T.floor(T.log2(T.cast(rows, "float32"))), "int32")

    @T.prim_func
    def main(
        x: T.Tensor((rows, 64), "float32"),
        y: T.Tensor((rows, 64), "float32"),
    ):
        with T.Kernel(whole * T.min(levels, 1), is_npu=True) as (cid, vid):
            a = T.alloc_ub((12, 64), "float32")
            with T.Scope("V"):
                T.copy(x[cid * 24 + vid * 12, 0], a)
                T.barrier_all()
                T.copy(a, y[cid * 24 + vid * 12, 0])

    return main


functions_of_sizes()

# The host has functions that the scalar unit lacks.
# CHECK: __builtin_ceilf(float(rows) / 24.0f)
# CHECK-SAME: __builtin_floorf(__builtin_log2f(float(rows)))
