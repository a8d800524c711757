#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def looking_inside():

    @T.prim_func
    def main(x: T.Tensor((8, 64), "int32"), y: T.Tensor((8, 64), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 64), "int32")
            b = T.alloc_ub((8, 64), "float16")
            with T.Scope("V"):
                T.copy(x, a)
                T.barrier_all()
                T.printf("block %d of %s at %p\n", cid, "x", a)
                T.printf("%d%% \\ done\n", 5)
                T.printf("%f\n", b[0, 1])
                T.dump_tensor(a, 7, 64, (8, 8))
                T.dump_tensor(x, 8, 32)
                T.set_deq_scale(0.5)
                T.tile.cast(b, a, "CAST_NONE", 512)
                T.barrier_all()
                T.copy(b, y)

    return main


looking_inside()

# CHECK: #include "tl_templates/ascend/printf.h"
# CHECK: AscendC::PRINTF("block %d of %s at 0x%x\n", cid, "x", a.GetPhyAddr());
# CHECK-NEXT: AscendC::PRINTF("%d%% \\ done\n", 5);
# CHECK-NEXT: AscendC::PRINTF("%f\n", float(b.GetValue(1)));
# CHECK-NEXT: tl::ascend::DumpTensor(a[0], 7, 64, 2, (uint32_t[]){8, 8});
# CHECK-NEXT: tl::ascend::DumpTensor(x[0], 8, 32, 0, nullptr);
# CHECK-NEXT: AscendC::SetDeqScale(half(0.5f));
# CHECK-NEXT: AscendC::Cast(b[0], a[0], AscendC::RoundMode::CAST_NONE, 512);
