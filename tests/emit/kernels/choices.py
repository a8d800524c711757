#@ emit: ascendc
# Choices, branches and scalars on the left in T.Parallel loops.
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[-1],
    pass_configs={
        "tl.ascend_auto_sync": True,
        "tl.ascend_auto_cv_combine": True,
        "tl.ascend_memory_planning": True,
    },
)
def choices(first):
    @T.prim_func
    def main(
        x: T.Tensor((32, 64), "float"),
        y: T.Tensor((32, 64), "float"),
        h: T.Tensor((64, 32), "float16"),
        w: T.Tensor((32, 128), "int"),
        out: T.Tensor((10, 32, 64), "float"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((32, 64), "float")
            b = T.alloc_ub((32, 64), "float")
            c = T.alloc_ub((32, 64), "float")
            turned = T.alloc_ub((64, 32), "float16")
            half = T.alloc_ub((32, 64), "float16")
            wide = T.alloc_ub((32, 128), "int")
            whole = T.alloc_ub((32, 64), "int")
            T.copy(x, a)
            T.copy(y, b)
            T.copy(h, turned)
            T.copy(w, wide)
            for i, j in T.Parallel(32, 64):
                c[i, j] = T.if_then_else(a[i, j] > b[i, j], a[i, j], 2.0 - b[i, j])
            T.copy(c, out[0, :, :])
            for i, j in T.Parallel(32, 64):
                if a[i, j] > 0.0:
                    c[i, j] = b[i, j] + 1.0
                else:
                    c[i, j] = 0.5
            T.copy(c, out[1, :, :])
            for i, j in T.Parallel(32, 64):
                c[i, j] = a[i, j]
                if j + first > i:
                    c[i, j] = -100.0
            T.copy(c, out[2, :, :])
            for i, j in T.Parallel(32, 64):
                if a[i, j] >= -1.0:
                    if b[i, j] != 2.0:
                        c[i, j] = 8.0 / (b[i, j] - 8.0)
                    else:
                        c[i, j] = 64.0
            T.copy(c, out[3, :, :])
            for i, j in T.Parallel(32, 64):
                c[i, j] = a[i, j] + (3 * j - 2 * i)
            T.copy(c, out[4, :, :])
            for i, j in T.Parallel(32, 64):
                half[i, j] = turned[j, i] * 2.0
            for i, j in T.Parallel(32, 64):
                c[i, j] = T.Cast("float", half[i, j])
            T.copy(c, out[5, :, :])
            for i, j in T.Parallel(32, 64):
                whole[i, j] = wide[i, 2 * j + 1] // 4
            for i, j in T.Parallel(32, 64):
                c[i, j] = T.Cast("float", whole[i, j])
            T.copy(c, out[6, :, :])
            for i, j in T.Parallel(32, 64):
                if cid + first > 5:
                    c[i, j] = a[i, j] * 2.0
                else:
                    c[i, j] = b[i, j]
            T.copy(c, out[7, :, :])
            for i, j in T.Parallel(32, 64):
                c[i, j] = T.if_then_else(
                    T.Or(T.Not(a[i, j] < 1.0), b[i, j] == -3.0), b[i, j] * b[i, j], a[i, j]
                )
            T.copy(c, out[8, :, :])
            for i, j in T.Parallel(32, 64):
                whole[i, j] = T.Cast("int32", a[i, j] / 4.0)
            for i, j in T.Parallel(32, 64):
                c[i, j] = T.Cast("float", whole[i, j])
            T.copy(c, out[9, :, :])

    return main


choices(7)

# Nothing is left to do element by element.
# CHECK-NOT: SetValue
