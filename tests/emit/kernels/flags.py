#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def flags():

    @T.prim_func
    def main(x: T.Tensor((64, 64), "float16"), y: T.Tensor((64, 64), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a_l1 = T.alloc_L1((64, 64), "float16")
            c = T.alloc_L0C((64, 64), "float")
            tile = T.alloc_ub((32, 64), "float")
            with T.Scope("C"):
                T.copy(x, a_l1)
                T.set_flag("mte2", "mte1", 3)
                T.wait_flag("mte2", "mte1", 3)
                T.gemm_v0(a_l1, a_l1, c, init=True)
                T.pipe_barrier("m")
                T.barrier_all()
                T.copy(c, y)
                T.set_cross_flag("FIX", 2)
            with T.Scope("V"):
                T.wait_cross_flag(2)
                for i in T.serial(4):
                    T.copy(y[vid * 32, 0], tile)
                    T.set_flag("MTE2", "V", i % 2)
                    T.wait_flag("MTE2", "V", i % 2)
                    T.tile.abs(tile, tile)
                    T.pipe_barrier("v")
            T.sync_all()

    return main


flags()

# CHECK: if ASCEND_IS_AIC {
# CHECK: AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE1>(3);
# CHECK-NEXT: AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE1>(3);
# CHECK: AscendC::PipeBarrier<PIPE_M>();
# CHECK-NEXT: AscendC::PipeBarrier<PIPE_ALL>();
# CHECK: AscendC::CrossCoreSetFlag<0x2, PIPE_FIX>(2);
# CHECK-NEXT: }
# CHECK-NEXT: if ASCEND_IS_AIV {
# CHECK-NEXT: AscendC::CrossCoreWaitFlag(2);
# CHECK: AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(i % 2);
# CHECK: AscendC::PipeBarrier<PIPE_V>();
# CHECK: AscendC::SyncAll<false>();
