#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def bits():

    @T.prim_func
    def main(x: T.Tensor((64,), "int16"), y: T.Tensor((64,), "int16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((64,), "int16")
            b = T.alloc_ub((64,), "int16")
            c = T.alloc_ub((64,), "int16")
            mask = T.alloc_ub((2, 64), "uint8")
            with T.Scope("V"):
                T.copy(x, a)
                T.barrier_all()
                T.tile.bitwise_and(b, a, c)
                T.tile.bitwise_or(b, a, c)
                T.tile.bitwise_xor(b, a, c)
                T.tile.bitwise_not(b, a)
                T.tile.bitwise_lshift(b, a, 3)
                T.tile.bitwise_rshift(b, a, 3)
                T.tile.bitwise_or(mask, mask, mask)
                T.barrier_all()
                T.copy(b, y)

    return main


bits()

# CHECK: AscendC::And(b[0], a[0], c[0], 64);
# CHECK-NEXT: AscendC::Or(b[0], a[0], c[0], 64);
# CHECK-NEXT: AscendC::Xor(b[0], a[0], c[0], tmp_ub[0], 64);
# CHECK-NEXT: AscendC::Not(b[0], a[0], 64);
# CHECK-NEXT: AscendC::ShiftLeft(b[0], a[0], int16_t(3), 64);
# CHECK-NEXT: AscendC::ShiftRight(b[0], a[0], int16_t(3), 64);
# Bytes are taken as words: half as many.
# CHECK-NEXT: AscendC::Or(mask[0].ReinterpretCast<uint16_t>(), mask[0].ReinterpretCast<uint16_t>(), mask[0].ReinterpretCast<uint16_t>(), 64);
