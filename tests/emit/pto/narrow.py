#@ emit: pto
import tilelang
import tilelang.language as T

AUTOMATIC = {
    tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True,
    tilelang.PassConfigKey.TL_ASCEND_AUTO_CV_COMBINE: True,
}


@tilelang.jit(out_idx=[-3, -2, -1], target="pto", pass_configs=AUTOMATIC)
def narrow():

    @T.prim_func
    def main(
        x: T.Tensor((32, 64), "bfloat16"),
        w: T.Tensor((64, 32), "bfloat16"),
        h: T.Tensor((8, 20), "float16"),
        p: T.Tensor((32, 32), "bfloat16"),
        y: T.Tensor((3, 32, 64), "bfloat16"),
        m: T.Tensor((2, 8), "float16"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((32, 64), "bfloat16")
            b = T.alloc_L1((64, 32), "bfloat16")
            c = T.alloc_L0C((32, 32), "float32")
            tile = T.alloc_ub((32, 64), "bfloat16")
            wide = T.alloc_ub((32, 64), "float32")
            halves = T.alloc_ub((8, 32), "float16")
            least = T.alloc_ub((8,), "float16")
            T.copy(x, a)
            T.copy(w, b)
            T.gemm_v0(a, b, c, init=True)
            T.copy(c, p)
            T.copy(x, tile)
            T.copy(tile, y[0, :, :])
            T.tile.cast(wide, tile, "CAST_NONE", 2048)
            T.tile.mul(wide, wide, 1.7)
            T.tile.cast(tile, wide, "CAST_RINT", 2048)
            T.copy(tile, y[1, :, :])
            T.tile.fill(tile, 0.75)
            T.copy(tile, y[2, :, :])
            # What a load leaves of a tile is filled up.
            T.copy(h[0:8, 0:32], halves, pad_value=-T.infinity("float16"))
            T.reduce_min(halves, least, dim=-1)
            T.copy(least, m[0, :])
            T.reduce_max(halves, least, dim=-1)
            T.copy(least, m[1, :])

    return main


narrow()

# CHECK: gemm_v0<bfloat16_t, float,
# CHECK: TCVT(wide, tile, pto::RoundMode::CAST_NONE);
# CHECK: TCVT(tile, wide, pto::RoundMode::CAST_RINT);
# CHECK: copy_gm_to_ub_dynamic<half, half, {{.*}}, pto::PadValue::Min>(
