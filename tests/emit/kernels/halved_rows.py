#@ emit: ascendc
# Conditions on rows where each vector core has half of them.
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
def halved():
    @T.prim_func
    def main(
        x: T.Tensor((32, 64), "float"),
        r: T.Tensor((32,), "float"),
        out: T.Tensor((4, 32, 64), "float"),
        line: T.Tensor((32,), "float"),
    ):
        with T.Kernel(1, threads=2, is_npu=True) as cid:
            a = T.alloc_ub((32, 64), "float")
            c = T.alloc_ub((32, 64), "float")
            row = T.alloc_ub((32,), "float")
            T.copy(x, a)
            T.copy(r, row)
            for i, j in T.Parallel(32, 64):
                if i > 20:
                    c[i, j] = a[i, j] + 1.0
                else:
                    c[i, j] = 0.0
            T.copy(c, out[0, :, :])
            for i, j in T.Parallel(32, 64):
                c[i, j] = T.if_then_else((i < 20) and (a[i, j] > row[i]), a[i, j], -1.0)
            T.copy(c, out[1, :, :])
            for i, j in T.Parallel(32, 64):
                c[i, j] = T.if_then_else(row[i] > 0.0, a[i, j], row[i])
            T.copy(c, out[2, :, :])
            for i, j in T.Parallel(32, 64):
                c[i, j] = T.if_then_else(i <= j, a[i, j] * 2.0, 0.0)
            T.copy(c, out[3, :, :])
            for i in T.Parallel(32):
                row[i] = row[i] + i
            T.copy(row, line)

    return main


halved()

# CHECK: for (int32_t i = 0; i < 16; ++i) {
# CHECK-NEXT: if (i + vid * 16 > 20) {
# CHECK-NEXT: AscendC::Adds(
