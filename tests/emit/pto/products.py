#@ emit: pto
import tilelang
import tilelang.language as T

AUTOMATIC = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-2, -1], target="pto", pass_configs=AUTOMATIC)
def products():

    @T.prim_func
    def main(
        x: T.Tensor((48, 80), "float16"),
        z: T.Tensor((32, 80), "float16"),
        y: T.Tensor((3, 48, 32), "float32"),
        w: T.Tensor((48, 32), "float16"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_L1((48, 80), "float16")
            b = T.alloc_L1((32, 80), "float16")
            left = T.alloc_L0A((48, 80), "float16")
            right = T.alloc_L0B((80, 32), "float16")
            c = T.alloc_L0C((48, 32), "float")
            with T.Scope("C"):
                T.copy(x, a)
                T.copy(z, b)
                T.gemm_v0(a, b, c, transpose_B=True, init=True)
                T.copy(c, y[0, :, :])
                T.gemm_v0(a, b, c, transpose_B=True)
                T.copy(c, y[1, :, :])
                T.copy(c, w, enable_relu=True)
                T.copy(a, left)
                T.copy(b, right, transpose=True)
                T.mma(left, right, c, init=True)
                T.tile.atomic_add(y[2, 0, 0], c)

    return main


products()

# CHECK: tl::ascend_pto::TileMatL1<half, 48, 80, 48, 80> a;
# CHECK: pto::TileAcc<float, 48, 32, 48, 32> c;
# CHECK: #if defined(__DAV_C220_CUBE__)
# CHECK-NEXT: tl::ascend_pto::copy_gm_to_l1_dynamic<half, half, 1, 1, 1, 48, 80, 1, 1, 1, 80, 1, 48, 80>(x_handle, pto::Shape<1, 1, 1, 48, 80>(), pto::Stride<1, 1, 1, 80, 1>(), 0, 0, 48, 80);
# CHECK: tl::ascend_pto::gemm_v0<half, float, 48, 32, 80, 48, 32, 80, 80, false, true TL_ORDERED>(a, b, c, true);
# CHECK: tl::ascend_pto::copy_l0c_to_gm_dynamic<half, float, {{.*}}, 48, 32, true>(w_handle,
# CHECK: tl::ascend_pto::copy_l1_to_l0a<half, 48, 80, 48, 80>(left, a, 0, 0);
# CHECK: tl::ascend_pto::TileMatL1ZN<half, 80, 32, 80, 32> b_part;
# CHECK: tl::ascend_pto::copy_l1_to_l0b<half, 80, 32, 80, 32, true>(right, b_part, 0, 0);
# CHECK: tl::ascend_pto::mma<half, float, 48, 32, 80>(left, right, c, true);
# CHECK: tl::ascend_pto::atomic_add_l0c_to_gm_dynamic<float, float,
