#@ emit: pto
import tilelang
import tilelang.language as T

AUTOMATIC = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-3, -2, -1], target="pto", pass_configs=AUTOMATIC)
def elements():

    @T.prim_func
    def main(
        x: T.Tensor((256,), "float32"),
        h: T.Tensor((256,), "float16"),
        k: T.Tensor((64,), "int32"),
        y: T.Tensor((6, 64), "float32"),
        z: T.Tensor((3, 256), "float16"),
        w: T.Tensor((64,), "float16"),
    ):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((256,), "float32")
            n = T.alloc_ub((256,), "float16")
            r = T.alloc_ub((64,), "float32")
            s = T.alloc_ub((256,), "float16")
            bits = T.alloc_ub((16,), "uint32")
            offsets = T.alloc_ub((32,), "uint32")
            weights = T.alloc_ub((32,), "float16")
            whole = T.alloc_ub((64,), "int32")
            scaled = T.alloc_ub((64,), "float16")
            with T.Scope("V"):
                T.copy(x, a)
                T.copy(h, n)
                T.copy(k, whole)
                T.tile.fill(r, 0.0)
                T.tile.fill(s, 0.0)
                for i in T.serial(16):
                    bits[i] = 1431655765 + i
                T.tile.gathermask_experiment(r, a, bits, True, 40, [1, 2, 6, 1], 0)
                T.copy(r, y[0, :])
                T.tile.gathermask_experiment(r, a, bits, False, 0, [2, 1, 8, 0], 0)
                T.copy(r, y[1, :])
                T.tile.fill_experiment(r, 2.5, [85], 2, 1, 4)
                T.copy(r, y[2, :])
                T.tile.fill_experiment(r, -1.0, [65535], 1, 2, 8)
                T.copy(r, y[3, :])
                T.tile.sum_experiment(r, a, [1, 64, 37])
                T.tile.sum_experiment(r[8:64], a, [4, 64, 64])
                T.copy(r, y[4, :])
                T.tile.init_sort_buf(r, 32, 0)
                T.copy(r[0:64], y[5, :])
                for i in T.serial(32):
                    offsets[i] = (i * 7 % 16) * 32
                    weights[i] = T.float16(0.5) + n[i]
                T.tile.bilinear_interpolation(s, n, offsets, weights, 128, 2, False, 1, 128, 2)
                T.copy(s, z[0, :])
                T.tile.bilinear_interpolation(s, n, offsets, weights, 128, 2, True, 1, 128, 2)
                T.copy(s, z[1, :])
                T.tile.bilinear_interpolation(s, n, offsets, weights, 40, 4, False, 2, 128, 1)
                T.copy(s, z[2, :])
                T.set_deq_scale(1.0)
                T.tile.cast(scaled, whole, "CAST_NONE", 64)
                T.copy(scaled, w)

    return main


elements()

# CHECK: #include "tl_templates/pto/elements.h"
# CHECK: tl::ascend_pto::gather_bits<float, 64, 256, 16>({{.*}}, true, 40, 1, 2, 6, 1);
# CHECK: tl::ascend_pto::fill_bits<float, 64>({{.*}}, 2.5f, 85, 2, 1, 4);
# CHECK: tl::ascend_pto::init_sort_buf<64>(
# CHECK: tl::ascend_pto::blend<half, 256, 32, false, 128>(
# CHECK: set_deqscale(static_cast<half>(1.0f));
