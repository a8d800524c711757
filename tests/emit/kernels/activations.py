#@ emit: ascendc
# Functions of elements in T.Parallel loops.
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[-2, -1],
    pass_configs={
        "tl.ascend_auto_sync": True,
        "tl.ascend_auto_cv_combine": True,
        "tl.ascend_memory_planning": True,
    },
)
def activations():
    @T.prim_func
    def main(
        x: T.Tensor((8, 64), "float"),
        h: T.Tensor((8, 64), "float16"),
        out: T.Tensor((9, 8, 64), "float"),
        small: T.Tensor((2, 8, 64), "float16"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 64), "float")
            c = T.alloc_ub((8, 64), "float")
            half = T.alloc_ub((8, 64), "float16")
            done = T.alloc_ub((8, 64), "float16")
            T.copy(x, a)
            T.copy(h, half)
            for i, j in T.Parallel(8, 64):
                c[i, j] = a[i, j] * T.sigmoid(a[i, j])
            T.copy(c, out[0, :, :])
            for i, j in T.Parallel(8, 64):
                c[i, j] = T.tanh(a[i, j])
            T.copy(c, out[1, :, :])
            for i, j in T.Parallel(8, 64):
                c[i, j] = T.exp2(a[i, j]) + T.log2(T.abs(a[i, j]) + 1.0)
            T.copy(c, out[2, :, :])
            for i, j in T.Parallel(8, 64):
                c[i, j] = T.sin(a[i, j])
                c[i, j] = T.cos(c[i, j])
            T.copy(c, out[3, :, :])
            for i, j in T.Parallel(8, 64):
                c[i, j] = T.floor(a[i, j])
            T.copy(c, out[4, :, :])
            for i, j in T.Parallel(8, 64):
                c[i, j] = T.ceil(a[i, j]) + T.trunc(a[i, j])
            T.copy(c, out[5, :, :])
            for i, j in T.Parallel(8, 64):
                c[i, j] = T.round(a[i, j]) * 100.0 + T.nearbyint(a[i, j])
            T.copy(c, out[6, :, :])
            for i, j in T.Parallel(8, 64):
                c[i, j] = T.pow(T.abs(a[i, j]) + 0.5, 1.5)
            T.copy(c, out[7, :, :])
            for i, j in T.Parallel(8, 64):
                c[i, j] = T.pow(T.abs(a[i, j]) + 0.5, a[i, j]) + (a[i, j] + 1.0) ** 2
            T.copy(c, out[8, :, :])
            for i, j in T.Parallel(8, 64):
                half[i, j] = T.sigmoid(half[i, j])
            T.copy(half, small[0, :, :])
            for i, j in T.Parallel(8, 64):
                done[i, j] = T.floor(half[i, j] * T.float16(8.0))
            T.copy(done, small[1, :, :])

    return main


activations()


# CHECK: AscendC::Sigmoid(
# CHECK: AscendC::Cast({{.*}}AscendC::RoundMode::CAST_FLOOR
# CHECK: AscendC::Power(
