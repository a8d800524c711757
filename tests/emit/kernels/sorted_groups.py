#@ emit: ascendc
# Sort32 starts on any block of 32 bytes: the pages of the call and of its instruction ask for no more
# (cpu_twin/twin/vector_sort.h).
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def sorted_groups():

    @T.prim_func
    def main(x: T.Tensor((64,), "float"), p: T.Tensor((64,), "uint32"), y: T.Tensor((128,), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            small = T.alloc_ub((8,), "float")
            values = T.alloc_ub((64,), "float")
            places = T.alloc_ub((64,), "uint32")
            pairs = T.alloc_ub((128,), "float")
            with T.Scope("V"):
                T.tile.fill(small, 0.0)
                T.copy(x, values)
                T.copy(p, places)
                T.barrier_all()
                T.tile.sort32(pairs, values, places)
                T.barrier_all()
                T.copy(pairs, y)

    return main


sorted_groups()

# CHECK: auto values = ascend_ub.GetWithOffset<float>(64, 32);
# CHECK: auto pairs = ascend_ub.GetWithOffset<float>(128, 544);
# CHECK: AscendC::Sort32(pairs[0], values[0], places[0], 2);
