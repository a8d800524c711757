#@ emit: pto
# What is too large, and what is no number, has a whole number all the same.
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-2, -1], target="pto", pass_configs={"tl.ascend_auto_sync": True})
def whole_numbers():

    @T.prim_func
    def main(x: T.Tensor((8, 64), "float"), y: T.Tensor((3, 8, 64), "int32"), z: T.Tensor((2, 8, 64), "int16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 64), "float")
            b = T.alloc_ub((8, 64), "float")
            whole = T.alloc_ub((8, 64), "int32")
            little = T.alloc_ub((8, 64), "int16")
            with T.Scope("V"):
                T.copy(x, a)
                T.tile.mul(b, a, 4000000000.0)
                T.tile.cast(whole, b, "CAST_RINT", 512)
                T.copy(whole, y[0, :, :])
                T.tile.sub(b, a, a)
                T.tile.div(b, b, b)
                T.tile.cast(whole, b, "CAST_FLOOR", 512)
                T.copy(whole, y[1, :, :])
                T.tile.fill(b, 0.0)
                T.tile.div(b, a, b)
                T.tile.cast(whole, b, "CAST_TRUNC", 512)
                T.copy(whole, y[2, :, :])
                T.tile.mul(b, a, 20000.0)
                T.tile.cast(little, b, "CAST_RINT", 512)
                T.copy(little, z[0, :, :])
                T.tile.cast(little, a, "CAST_CEIL", 512)
                T.copy(little, z[1, :, :])

    return main


whole_numbers()

# CHECK: TCVT(whole, b, pto::RoundMode::CAST_RINT);
# CHECK: TCVT(whole, b, pto::RoundMode::CAST_FLOOR);
# CHECK: TCVT(whole, b, pto::RoundMode::CAST_TRUNC);
# CHECK: TCVT(little, b, pto::RoundMode::CAST_RINT);
