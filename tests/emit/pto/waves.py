#@ emit: pto
import tilelang
import tilelang.language as T

AUTOMATIC = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-2, -1], target="pto", pass_configs=AUTOMATIC)
def waves():

    @T.prim_func
    def main(
        x: T.Tensor((4, 64), "float32"),
        k: T.Tensor((4, 64), "int32"),
        y: T.Tensor((6, 4, 64), "float32"),
        z: T.Tensor((2, 4, 64), "int32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((4, 64), "float32")
            b = T.alloc_ub((4, 64), "float32")
            narrow = T.alloc_ub((4, 64), "float16")
            curve = T.alloc_ub((4, 64), "float16")
            base = T.alloc_ub((4, 64), "int32")
            power = T.alloc_ub((4, 64), "int32")
            with T.Scope("V"):
                T.copy(x, a)
                T.tile.sin(b, a)
                T.copy(b, y[0, :, :])
                T.tile.cos(b, a)
                T.copy(b, y[1, :, :])
                T.tile.cast(narrow, a, "CAST_RINT", 256)
                T.tile.sin(curve, narrow)
                T.tile.cast(b, curve, "CAST_NONE", 256)
                T.copy(b, y[2, :, :])
                T.tile.cos(curve, narrow)
                T.tile.cast(b, curve, "CAST_NONE", 256)
                T.copy(b, y[3, :, :])
                # Far from zero, where whole turns are taken off.
                T.tile.mul(a, a, 700.0)
                T.tile.sin(b, a)
                T.copy(b, y[4, :, :])
                T.tile.cos(b, a)
                T.copy(b, y[5, :, :])
                T.copy(k, base)
                T.tile.pow(power, base, base)
                T.copy(power, z[0, :, :])
                T.tile.fill(power, 9)
                T.tile.pow(power, base, power)
                T.copy(power, z[1, :, :])

    return main


waves()

# CHECK: #include "tl_templates/pto/functions.h"
# CHECK: tl::ascend_pto::wave<float, 256, false>(
# CHECK: tl::ascend_pto::wave<float, 256, true>(
# CHECK: tl::ascend_pto::wave<half, 256, false>(
# CHECK: tl::ascend_pto::whole_pow<256>(power_part, base_part
