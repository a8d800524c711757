#@ emit: pto
import tilelang
import tilelang.language as T

AUTOMATIC = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-1], target="pto", pass_configs=AUTOMATIC)
def arithmetic():

    @T.prim_func
    def main(
        x: T.Tensor((8, 32), "float16"),
        z: T.Tensor((8, 32), "float16"),
        y: T.Tensor((21, 8, 32), "float16"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 32), "float16")
            b = T.alloc_ub((8, 32), "float16")
            c = T.alloc_ub((21, 8, 32), "float16")
            with T.Scope("V"):
                T.copy(x, a)
                T.copy(z, b)
                T.tile.add(c[0, :, :], a, b)
                T.tile.sub(c[1, :, :], a, b)
                T.tile.mul(c[2, :, :], a, b)
                T.tile.max(c[3, :, :], a, b)
                T.tile.min(c[4, :, :], a, b)
                T.tile.add(c[5, :, :], a, 1.5)
                T.tile.sub(c[6, :, :], a, 2)
                T.tile.mul(c[7, :, :], a, 3)
                T.tile.div(c[8, :, :], a, 4)
                T.tile.max(c[9, :, :], a, 0.5)
                T.tile.min(c[10, :, :], a, a[1, 2])
                T.tile.abs(c[11, :, :], a)
                T.tile.exp(c[12, :, :], a)
                T.tile.add(b, c[11, :, :], 1.0)
                T.tile.ln(c[13, :, :], b)
                T.tile.reciprocal(c[14, :, :], b)
                T.tile.sqrt(c[15, :, :], b)
                T.tile.rsqrt(c[16, :, :], b)
                T.tile.div(c[17, :, :], a, b)
                T.tile.relu(c[18, :, :], a)
                T.tile.fill(c[19, :, :], 7)
                T.tile.clear(c[20, :, :])
                # Rows of a part, beside each other and out of a wider tile.
                T.tile.add(c[20, :, 0:16], a[:, 0:16], a[:, 16:32])
                T.tile.mul(a[:, 0:16], a[:, 16:32], 2)
                for i in T.serial(21):
                    T.copy(c[i, :, :], y[i, :, :])

    return main


arithmetic()

# CHECK: tl::ascend_pto::TileUbDataND<half, 8, 32, 8, 32> a;
# CHECK-NEXT: TASSIGN(a, 0);
# CHECK: #if defined(__DAV_C220_VEC__)
# CHECK-NEXT: set_mask_norm();
# CHECK-NEXT: set_vector_mask(-1, -1);
# CHECK: TADD({{.*}}, a, b);
# CHECK: TADDS({{.*}}, half(1.5f));
# CHECK: TSUBS({{.*}}, half(2.0f));
# CHECK: TDIVS({{.*}}, half(4.0f));
# CHECK: TMINS({{.*}}, a.GetValue(34));
# CHECK: TEXPANDS({{.*}}, half(7.0f));
# CHECK: tl::ascend_pto::TileUbDataND<half, 8, 32, 8, 16> a_part
# CHECK: TMULS(
# CHECK: #endif
