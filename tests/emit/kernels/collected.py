#@ emit: ascendc
# Elements at computed places, and conditions of rows, in T.Parallel loops.
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[-3, -2, -1],
    pass_configs={
        "tl.ascend_auto_sync": True,
        "tl.ascend_auto_cv_combine": True,
        "tl.ascend_memory_planning": True,
    },
)
def collected(first):
    @T.prim_func
    def main(
        x: T.Tensor((32, 64), "float"),
        y: T.Tensor((32, 64), "float"),
        t: T.Tensor((64, 32), "float"),
        r: T.Tensor((32,), "float"),
        h: T.Tensor((32, 64), "float16"),
        w: T.Tensor((32, 64), "int"),
        p: T.Tensor((64,), "int"),
        out: T.Tensor((11, 32, 64), "float"),
        halves: T.Tensor((2, 32, 64), "float16"),
        whole: T.Tensor((2, 32, 64), "int"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((32, 64), "float")
            b = T.alloc_ub((32, 64), "float")
            c = T.alloc_ub((32, 64), "float")
            turned = T.alloc_ub((64, 32), "float")
            row = T.alloc_ub((32,), "float")
            half = T.alloc_ub((32, 64), "float16")
            made = T.alloc_ub((32, 64), "float16")
            n = T.alloc_ub((32, 64), "int")
            m = T.alloc_ub((32, 64), "int")
            places = T.alloc_ub((64,), "int")
            T.copy(x, a)
            T.copy(y, b)
            T.copy(t, turned)
            T.copy(r, row)
            T.copy(h, half)
            T.copy(w, n)
            T.copy(p, places)
            T.tile.fill(c, 0.0)
            T.tile.fill(m, 0)
            T.tile.fill(made, 0.0)
            for i, j in T.Parallel(32, 32):
                c[i, j] = a[i, 2 * j] + a[i, 2 * j + 1]
            T.copy(c, out[0, :, :])
            for i, j in T.Parallel(32, 64):
                c[i, j] = turned[j, i] * 2.0
            T.copy(c, out[1, :, :])
            for i, j in T.Parallel(32, 64):
                c[i, j] = T.if_then_else((i < first) and (a[i, j] > row[i]), a[i, j], b[i, j])
            T.copy(c, out[2, :, :])
            for i, j in T.Parallel(32, 64):
                if i > 20:
                    c[i, j] = a[i, j] + 1.0
                else:
                    if row[i] > 0.0:
                        c[i, j] = b[i, j]
            T.copy(c, out[3, :, :])
            for i, j in T.Parallel(32, 64):
                c[i, j] = a[i, 63 - j] - b[31 - i, j]
            T.copy(c, out[4, :, :])
            for i, j in T.Parallel(32, 56):
                c[i, j] = a[i, j + 1] + a[i, j + 7] * b[i, j]
            T.copy(c, out[5, :, :])
            for i, j in T.Parallel(32, 64):
                c[i, j] = a[i, j // 2] + b[i // 2, j]
            T.copy(c, out[6, :, :])
            for i, j in T.Parallel(32, 64):
                c[i, j] = a[i, T.max(places[j], 0) * 8 + 4]
            T.copy(c, out[7, :, :])
            for j in T.Parallel(32):
                c[0, j] = a[j, 5] + turned[3, j]
            T.copy(c, out[8, :, :])
            for i, j in T.Parallel(32, 64):
                if (row[i] > 0.0 or a[i, j] > 1.0) and not (j < i):
                    c[i, j] = -a[i, j]
                elif i < 3:
                    c[i, j] = 9.0
            T.copy(c, out[9, :, :])
            for i, j in T.Parallel(32, 64):
                c[i, j] = T.if_then_else(i + 1 < 32, a[T.min(i + 1, 31), j], 0.0) + (j * 2 + 3)
            T.copy(c, out[10, :, :])
            for i, j in T.Parallel(31, 32):
                made[i, j] = half[i + 1, 2 * j] * half[i, j + 3]
            T.copy(made, halves[0, :, :])
            for i, j in T.Parallel(32, 64):
                made[i, j] = half[i, 60 - j // 2 * 2 + 2]
            T.copy(made, halves[1, :, :])
            for i, j in T.Parallel(32, 64):
                m[i, j] = n[i, 63 - j] + j
            T.copy(m, whole[0, :, :])
            for i, j in T.Parallel(8, 16):
                m[i, j] = n[i * 4 + 1, j * 3]
            T.copy(m, whole[1, :, :])

    return main


collected(18)

# CHECK: AscendC::CreateVecIndex<int>(
# CHECK: AscendC::Gather(
