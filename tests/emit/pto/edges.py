#@ emit: pto
import tilelang
import tilelang.language as T

AUTOMATIC = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-1], target="pto", pass_configs=AUTOMATIC)
def edges():

    @T.prim_func
    def main(
        x: T.Tensor((37, 70), "float32"),
        h: T.Tensor((37, 70), "float16"),
        y: T.Tensor((5, 37, 70), "float32"),
        w: T.Tensor((37, 70), "float32"),
    ):
        with T.Kernel(5, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float32")
            wide = T.alloc_ub((16, 128), "float32")
            line = T.alloc_ub((1, 70), "float32")
            a1 = T.alloc_L1((16, 64), "float16")
            b1 = T.alloc_L1((16, 64), "float16")
            c = T.alloc_L0C((16, 16), "float")
            with T.Scope("V"):
                T.copy(x[cid * 16, 64], a)
                T.tile.add(a, a, 1.0)
                T.copy(a, y[0, cid * 16, 64])
                T.copy(x[cid * 16, 16], wide[:, 64:128], pad_value=T.infinity("float32"))
                T.copy(wide[:, 64:128], y[1, cid * 16, 0])
                T.copy(x[cid, :], line)
                T.copy(line, y[2, cid, :])
                T.tile.atomic_add(y[3, cid * 8, 0], a[0:8, :])
            with T.Scope("C"):
                T.copy(h[cid * 16, 0], a1)
                T.copy(h[16, 64], b1)
                T.gemm_v0(a1, b1, c, transpose_B=True, init=True)
                T.copy(c, w[cid * 16, 0])

    return main


edges()

# At the edge of the tensor: what is missing is filled, and the template waits for nobody before.
# CHECK: set_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
# CHECK-NEXT: wait_flag(PIPE_V, PIPE_MTE2, EVENT_ID0);
# CHECK-NEXT: set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
# CHECK-NEXT: wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
# CHECK-NEXT: tl::ascend_pto::copy_gm_to_ub_dynamic<float, float, 1, 1, 1, 16, 64, 1, 1, 1, 70, 1, 16, 64, pto::PadValue::Zero>(
# CHECK: tl::ascend_pto::copy_ub_to_gm_dynamic<float, float, 1, 1, 1, 16, 64, 1, 1, 1, 70, 1, 16, 64>(
# CHECK: for (int32_t row = 0; row < 16; ++row) {
# CHECK: copy_gm_to_ub_dynamic<{{.*}}, 1, 64, pto::PadValue::Max>(
# CHECK: tl::ascend_pto::atomic_add_ub_to_gm_dynamic<
