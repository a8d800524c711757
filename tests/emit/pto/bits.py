#@ emit: pto
import tilelang
import tilelang.language as T

AUTOMATIC = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-1], target="pto", pass_configs=AUTOMATIC)
def bits():

    @T.prim_func
    def main(
        x: T.Tensor((4, 64), "int16"),
        z: T.Tensor((4, 64), "int16"),
        y: T.Tensor((6, 4, 64), "int16"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((4, 64), "int16")
            b = T.alloc_ub((4, 64), "int16")
            c = T.alloc_ub((6, 4, 64), "int16")
            with T.Scope("V"):
                T.copy(x, a)
                T.copy(z, b)
                T.tile.bitwise_and(c[0, :, :], a, b)
                T.tile.bitwise_or(c[1, :, :], a, b)
                T.tile.bitwise_xor(c[2, :, :], a, b)
                T.tile.bitwise_not(c[3, :, :], a)
                T.tile.bitwise_lshift(c[4, :, :], a, 3)
                T.tile.bitwise_rshift(c[5, :, :], a, 1)
                for i in T.serial(6):
                    T.copy(c[i, :, :], y[i, :, :])

    return main


bits()

# CHECK: tl::ascend_pto::tand(
# CHECK: tl::ascend_pto::TileUbDataND<uint16_t, 1, 256, 1, 256>
# CHECK: tl::ascend_pto::tor(
# CHECK: TXOR(
# CHECK: TNOT(
# CHECK: TSHLS({{.*}}, int16_t(3));
# CHECK: TSHRS({{.*}}, int16_t(1));
