#@ emit: ascendc
import tilelang
import tilelang.language as T

length = T.symbolic("length")


@tilelang.jit(out_idx=[-1])
def outside():

    @T.prim_func
    def main(x: T.Tensor((length, 64), "float16"), y: T.Tensor((length, 64), "float")):
        with T.Kernel(4, is_npu=True) as (cid, vid):
            a_l1 = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float")
            with T.Scope("C"):
                T.copy(x[cid * 64, 0], a_l1)
                T.barrier_all()
                T.gemm_v0(a_l1, a_l1, c, init=True)
                T.barrier_all()
                T.copy(c, y[cid * 64, 0])

    return main


outside()

# The templates read a tail of 0 as none: a tile that may lie outside is guarded, and is all zeros.
# CHECK: if (cid * 64 < length) {
# CHECK-NEXT: copy_gm_to_l1<half, 64, 64>(a_l1[0], x[cid * 4096], 64, tl_min<int64_t>(64, length - cid * 64), 64, true);
# CHECK-NEXT: } else {
# CHECK-NEXT: AscendC::InitConstValue(a_l1[0].ReinterpretCast<uint32_t>(), AscendC::InitConstValueParams<uint32_t>(1, 256, 0, 0));
# CHECK-NEXT: AscendC::PipeBarrier<PIPE_MTE2>();
# CHECK-NEXT: }
# CHECK: if (cid * 64 < length) {
# CHECK-NEXT: copy_l0c_to_gm<float, float, layout::RowMajor, 64, 64, false>(y[cid * 4096], c[0], 64, tl_min<int64_t>(64, length - cid * 64), 64);
