#@ emit: pto
import tilelang
import tilelang.language as T

AUTOMATIC = {tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True}


@tilelang.jit(out_idx=[-1], target="pto", pass_configs=AUTOMATIC)
def functions():

    @T.prim_func
    def main(x: T.Tensor((4, 64), "float32"), y: T.Tensor((20, 4, 64), "float32")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((4, 64), "float32")
            b = T.alloc_ub((4, 64), "float32")
            p = T.alloc_ub((4, 64), "float32")
            narrow = T.alloc_ub((4, 64), "float16")
            turned = T.alloc_ub((64, 8), "float32")
            square = T.alloc_ub((8, 64), "float32")
            whole = T.alloc_ub((4, 64), "int32")
            c = T.alloc_ub((20, 4, 64), "float32")
            with T.Scope("V"):
                T.copy(x, a)
                T.tile.abs(p, a)
                T.tile.add(p, p, 1.0)
                T.tile.leaky_relu(b, a, 0.125)
                T.copy(b, c[0, :, :])
                T.tile.fill(b, 2)
                T.tile.mul_add_dst(b, a, p)
                T.copy(b, c[1, :, :])
                T.tile.axpy(b, a, 0.5)
                T.copy(b, c[2, :, :])
                T.tile.pow(b, p, a)
                T.copy(b, c[3, :, :])
                T.tile.sigmoid(b, a)
                T.copy(b, c[4, :, :])
                T.tile.silu(b, a)
                T.copy(b, c[5, :, :])
                T.tile.round(b, a, 256)
                T.copy(b, c[6, :, :])
                T.tile.clamp_max(b, a, 0.5, 256)
                T.copy(b, c[7, :, :])
                T.tile.clamp_min(b, a, -0.5, 256)
                T.copy(b, c[8, :, :])
                T.tile.clamp(b, a, -1.0, 1.0, 256)
                T.copy(b, c[9, :, :])
                T.tile.createvecindex(b, 3)
                T.copy(b, c[10, :, :])
                T.tile.arith_progression(b, 1, 0.5, 256)
                T.copy(b, c[11, :, :])
                T.tile.arith_progression(b, 9, -1, 256)
                T.copy(b, c[12, :, :])
                T.tile.cast(narrow, a, "CAST_RINT", 256)
                T.tile.round(narrow, narrow, 256)
                T.tile.cast(b, narrow, "CAST_NONE", 256)
                T.copy(b, c[13, :, :])
                T.tile.cast(whole, a, "CAST_FLOOR", 256)
                T.tile.cast(b, whole, "CAST_RINT", 256)
                T.copy(b, c[14, :, :])
                T.copy(a, narrow)
                T.copy(narrow, c[15, :, :])
                T.tile.fill(square, 1)
                T.copy(a, square[0:4, :])
                T.tile.transpose(turned, square)
                T.copy(turned[0:32, :], c[16, :, :])
                T.tile.sub_experiment(b, a, p, 256)
                T.copy(b, c[17, :, :])
                T.tile.abs_experiment(b, a, 256)
                T.copy(b, c[18, :, :])
                T.tile.mins_experiment(b, a, 0.25, 256)
                T.tile.reduce_sum_experiment(b, a, 100)
                T.copy(b, c[19, :, :])
                for i in T.serial(20):
                    T.copy(c[i, :, :], y[i, :, :])

    return main


functions()

# CHECK: tl::ascend_pto::MulAddDst<float, 1, 256>(
# CHECK: tl::ascend_pto::axpy<float, 1, 256>({{.*}}, 0.5f);
# CHECK: tl::ascend_pto::pow<float, 1, 256>(
# What the template overwrites is a copy.
# CHECK: TMOV(tmp_ub_part
# CHECK-NEXT: pipe_barrier(PIPE_V);
# CHECK-NEXT: tl::ascend_pto::TSIGMOID<float, 1, 256>({{.*}}, tmp_ub_part
# CHECK: TCVT({{.*}}, pto::RoundMode::CAST_RINT);
# CHECK: TMAXS({{.*}}, -1.0f);
# CHECK-NEXT: pipe_barrier(PIPE_V);
# CHECK-NEXT: TMINS({{.*}}, 1.0f);
# The scalar unit writes sequences.
# CHECK: set_flag(PIPE_V, PIPE_S, EVENT_ID0);
# CHECK-NEXT: wait_flag(PIPE_V, PIPE_S, EVENT_ID0);
# CHECK-NEXT: TCI<decltype({{.*}}), float, 0>({{.*}}, 3.0f);
# CHECK-NEXT: set_flag(PIPE_S, PIPE_V, EVENT_ID0);
# CHECK: TMULS({{.*}}, 0.5f);
# CHECK: TCI<decltype({{.*}}), float, 1>({{.*}}, 9.0f);
# CHECK: TTRANS(
