#@ emit: pto
import tilelang
import tilelang.language as T

AUTOMATIC = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-1], target="pto", pass_configs=AUTOMATIC)
def choices():

    @T.prim_func
    def main(
        x: T.Tensor((2, 128), "float32"),
        z: T.Tensor((2, 128), "float32"),
        y: T.Tensor((8, 2, 128), "float32"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((2, 128), "float32")
            b = T.alloc_ub((2, 128), "float32")
            mask = T.alloc_ub((32,), "uint8")
            c = T.alloc_ub((8, 2, 128), "float32")
            with T.Scope("V"):
                T.copy(x, a)
                T.copy(z, b)
                T.tile.compare(mask, a, b, "GT")
                T.tile.select(c[0, :, :], mask, a, b, "VSEL_TENSOR_TENSOR_MODE")
                T.tile.select(c[1, :, :], mask, a, -1.0, "VSEL_TENSOR_SCALAR_MODE")
                # Every repeat of 64 takes the same bits.
                T.tile.select(c[2, :, :], mask, a, b, "VSEL_CMPMASK_SPR")
                T.tile.compare(mask, a, 0.5, "LE")
                T.tile.select(c[3, :, :], mask, a, b, "VSEL_TENSOR_TENSOR_MODE")
                T.tile.compare(mask, a, b, "EQ")
                T.tile.select(c[4, :, :], mask, a, 9.0, "VSEL_TENSOR_SCALAR_MODE")
                T.tile.compare(mask, a, b, "NE")
                T.tile.select(c[5, :, :], mask, a, 9.0, "VSEL_TENSOR_SCALAR_MODE")
                T.tile.broadcast(c[6, :, :], a[0:1, :])
                T.tile.fill(b, 3)
                T.tile.broadcast(c[7, :, :], b[:, 0:1])
                for i in T.serial(8):
                    T.copy(c[i, :, :], y[i, :, :])

    return main


choices()

# Bits lie one behind the other: one row.
# CHECK: tl::ascend_pto::TileUbDataND<float, 1, 256, 1, 256> a_part;
# CHECK: tl::ascend_pto::compare(mask, a_part, {{.*}}, pto::CmpMode::GT);
# CHECK: TSEL({{.*}}, mask, {{.*}}, tmp_ub);
# CHECK: TSELS({{.*}}, mask, {{.*}}, tmp_ub, -1.0f);
# CHECK: for (int32_t part = 0; part < 4; ++part) {
# CHECK: tl::ascend_pto::compare_scalar(mask, {{.*}}, 0.5f, pto::CmpMode::LE);
# CHECK: TCOLEXPAND(
# CHECK: TROWEXPAND(
