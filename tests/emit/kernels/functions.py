#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def functions():

    @T.prim_func
    def main(x: T.Tensor((8, 64), "float16"), y: T.Tensor((8, 64), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 64), "float16")
            b = T.alloc_ub((8, 64), "float16")
            c = T.alloc_ub((64, 8), "float16")
            words = T.alloc_ub((8, 64), "int16")
            other = T.alloc_ub((8, 64), "uint16")
            order = T.alloc_ub((64,), "int32")
            with T.Scope("V"):
                T.copy(x, a)
                T.barrier_all()
                T.tile.leaky_relu(b, a, 0.1)
                T.tile.mul_add_dst(b, a, a)
                T.tile.pow(b, a, a)
                T.tile.sin(b, a)
                T.tile.cos(b[2:4, :], a[0:2, :])
                T.tile.sigmoid(b, a)
                T.tile.silu(b, a)
                T.tile.round(b, a, 512)
                T.tile.clamp(b, a, -1.0, 1.0, 512)
                T.tile.clamp_max(b, a, 1.0, 256)
                T.tile.clamp_min(b[4, :], a[4, :], 0.0, 64)
                T.tile.createvecindex(order, 0)
                T.tile.arith_progression(order, 5, -1, 64)
                T.tile.transpose(c, a)
                T.tile.bitwise_and(words, words, words)
                T.tile.bitwise_or(other, other, other)
                T.tile.bitwise_xor(words, words, words)
                T.tile.bitwise_not(other, other)
                T.tile.bitwise_lshift(words, words, 3)
                T.tile.bitwise_rshift(other, other, vid)
                T.barrier_all()
                T.copy(b, y)

    return main


functions()

# CHECK: AscendC::LeakyRelu(b[0], a[0], half(0.1f), 512);
# CHECK-NEXT: AscendC::MulAddDst(b[0], a[0], a[0], 512);
# CHECK-NEXT: AscendC::Power(b[0], a[0], a[0], tmp_ub[0], 512);
# CHECK-NEXT: AscendC::Sin(b[0], a[0], tmp_ub[0], 512);
# CHECK-NEXT: AscendC::Cos(b[128], a[0], tmp_ub[0], 128);
# CHECK-NEXT: AscendC::Sigmoid(b[0], a[0], tmp_ub[0], 512);
# CHECK-NEXT: AscendC::Silu(b[0], a[0], 512);
# CHECK-NEXT: AscendC::Round(b[0], a[0], tmp_ub[0], 512);
# CHECK-NEXT: tl::ascend::Clamp<half>(b[0], a[0], tmp_ub[0], half(-1.0f), half(1.0f), 512);
# CHECK-NEXT: tl::ascend::ClampMax<half>(b[0], a[0], tmp_ub[0], half(1.0f), 256);
# CHECK-NEXT: tl::ascend::ClampMin<half>(b[256], a[256], tmp_ub[0], half(0.0f), 64);
# CHECK-NEXT: AscendC::CreateVecIndex<int>(order[0], 0, 64);
# CHECK-NEXT: tl::ascend::ArithProgression<int>(order[0], 5, -1, 64);
# CHECK-NEXT: tl::ascend::transpose<half, 8, 64>(c[0], a[0]);
# CHECK-NEXT: AscendC::And(words[0], words[0], words[0], 512);
# CHECK-NEXT: AscendC::Or(other[0], other[0], other[0], 512);
# CHECK-NEXT: AscendC::Xor(words[0], words[0], words[0], tmp_ub[0], 512);
# CHECK-NEXT: AscendC::Not(other[0], other[0], 512);
# CHECK-NEXT: AscendC::ShiftLeft(words[0], words[0], int16_t(3), 512);
# CHECK-NEXT: AscendC::ShiftRight(other[0], other[0], uint16_t(vid), 512);
