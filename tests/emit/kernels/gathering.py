#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def gathering():

    @T.prim_func
    def main(x: T.Tensor((256,), "float16"), y: T.Tensor((256,), "float16")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            source = T.alloc_ub((256,), "float16")
            target = T.alloc_ub((256,), "float16")
            offsets = T.alloc_ub((128,), "uint32")
            square = T.alloc_ub((16, 32), "float16")
            turned = T.alloc_ub((32, 16), "float16")
            with T.Scope("V"):
                T.copy(x, source)
                T.barrier_all()
                T.tile.gather(target, source, offsets, 0)
                T.tile.gatherb(target, source, offsets, 2, 1, 8)
                T.tile.gather_mask(target, source, "P1010")
                T.tile.gather_mask(target, source, offsets)
                T.tile.transpose(turned, square)
                T.barrier_all()
                T.copy(target, y)

    return main


gathering()

# CHECK: AscendC::Gather(target[0], source[0], offsets[0], 0, 128);
# CHECK-NEXT: tl::ascend::Gatherb<half>(target[0], source[0], offsets[0], 2, 1, 8);
# CHECK-NEXT: tl::ascend::GatherMask<half>(target[0], source[0], 2);
# CHECK-NEXT: tl::ascend::Gather(target[0], source[0], offsets[0]);
# CHECK-NEXT: tl::ascend::transpose<half, 16, 32>(turned[0], square[0]);
