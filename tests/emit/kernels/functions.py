#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def functions():

    @T.prim_func
    def main(x: T.Tensor((8, 64), "float"), y: T.Tensor((8, 64), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 64), "float")
            b = T.alloc_ub((8, 64), "float")
            c = T.alloc_ub((8, 64), "float")
            with T.Scope("V"):
                T.copy(x, a)
                T.barrier_all()
                T.tile.ln(b, a)
                T.tile.abs(b, a)
                T.tile.reciprocal(b, a)
                T.tile.sqrt(b, a)
                T.tile.rsqrt(b, a)
                T.tile.max(b, a, c)
                T.tile.min(b, a, 2)
                T.tile.leaky_relu(b, a, 0.125)
                T.tile.mul_add_dst(b, a, c)
                T.tile.pow(c, a, b)
                T.tile.sin(b, a)
                T.tile.cos(b, a)
                T.tile.sigmoid(b, a)
                T.tile.silu(b, a)
                T.tile.round(b, a, 512)
                T.tile.clamp_max(b, a, 6, 512)
                T.tile.clamp_min(b, a, -6.0, 512)
                T.tile.clamp(b, a, -1.0, 1.0, 512)
                T.tile.createvecindex(b, 0)
                T.tile.arith_progression(b, 1, 0.5, 512)
                T.reduce_min(a, b[0, :], dim=0)
                T.barrier_all()
                T.copy(b, y)

    return main


functions()

# CHECK: AscendC::Ln(b[0], a[0], 512);
# CHECK-NEXT: AscendC::Abs(b[0], a[0], 512);
# CHECK-NEXT: AscendC::Reciprocal(b[0], a[0], 512);
# CHECK-NEXT: AscendC::Sqrt(b[0], a[0], 512);
# CHECK-NEXT: AscendC::Rsqrt(b[0], a[0], 512);
# CHECK-NEXT: AscendC::Max(b[0], a[0], c[0], 512);
# CHECK-NEXT: AscendC::Mins(b[0], a[0], 2.0f, 512);
# CHECK-NEXT: AscendC::LeakyRelu(b[0], a[0], 0.125f, 512);
# CHECK-NEXT: AscendC::MulAddDst(b[0], a[0], c[0], 512);
# CHECK-NEXT: AscendC::Power(c[0], a[0], b[0], tmp_ub[0], 512);
# CHECK-NEXT: AscendC::Sin(b[0], a[0], tmp_ub[0], 512);
# CHECK-NEXT: AscendC::Cos(b[0], a[0], tmp_ub[0], 512);
# CHECK-NEXT: AscendC::Sigmoid(b[0], a[0], tmp_ub[0], 512);
# CHECK-NEXT: AscendC::Silu(b[0], a[0], 512);
# CHECK-NEXT: AscendC::Round(b[0], a[0], tmp_ub[0], 512);
# CHECK-NEXT: tl::ascend::ClampMax<float>(b[0], a[0], tmp_ub[0], 6.0f, 512);
# CHECK-NEXT: tl::ascend::ClampMin<float>(b[0], a[0], tmp_ub[0], -6.0f, 512);
# CHECK-NEXT: tl::ascend::Clamp<float>(b[0], a[0], tmp_ub[0], -1.0f, 1.0f, 512);
# CHECK-NEXT: AscendC::CreateVecIndex<float>(b[0], 0.0f, 512);
# CHECK-NEXT: tl::ascend::ArithProgression<float>(b[0], 1.0f, 0.5f, 512);
# CHECK-NEXT: tl::ascend::reduce_min<float, 8, 64, 0>(b[0], a[0], tmp_ub[0], true);
