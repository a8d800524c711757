#@ emit: pto
# Results over what is divided, and divisions by zero.
import tilelang
import tilelang.language as T

AUTOMATIC = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-2, -1], target="pto", pass_configs=AUTOMATIC)
def divisions():

    @T.prim_func
    def main(
        x: T.Tensor((4, 64), "float32"),
        y: T.Tensor((7, 4, 64), "float32"),
        z: T.Tensor((2, 4, 64), "float16"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((4, 64), "float32")
            b = T.alloc_ub((4, 64), "float32")
            h = T.alloc_ub((4, 64), "float16")
            with T.Scope("V"):
                T.copy(x, a)
                T.tile.div(b, a, 3.0)
                T.copy(b, y[0, :, :])
                T.tile.div(b, b, 7.0)
                T.copy(b, y[1, :, :])
                T.tile.div(b[1, :], b[1, :], b[2, 3])
                T.copy(b, y[2, :, :])
                T.tile.reciprocal(b, a)
                T.copy(b, y[3, :, :])
                T.copy(x, b)
                T.tile.reciprocal(b, b)
                T.copy(b, y[4, :, :])
                T.tile.reciprocal(b[2:4, 0:24], b[2:4, 0:24])
                T.tile.rsqrt(a, a)
                T.copy(a, y[5, :, :])
                T.tile.sub(a, a, a)
                T.tile.div(a, b, a)
                T.copy(a, y[6, :, :])
                T.tile.cast(h, b, "CAST_RINT", 256)
                T.tile.div(h, h, 5.0)
                T.copy(h, z[0, :, :])
                T.tile.reciprocal(h, h)
                T.copy(h, z[1, :, :])

    return main


divisions()

# CHECK: TDIVS(b, a, 3.0f);
# CHECK: TMULS(b, b, 0.14285714285714285f);
# CHECK: TMULS(b_part, b_part_1, 1.0f / b.GetValue(131));
# CHECK: TRECIP(b, a);
# CHECK: TMOV(tmp_ub_part, b_part_3);
# CHECK-NEXT: pipe_barrier(PIPE_V);
# CHECK-NEXT: TRECIP(b_part_2, tmp_ub_part);
