#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True})
def exchanged():

    @T.prim_func
    def main(x: T.Tensor((8, 64), "float"), y: T.Tensor((8, 64), "float"), z: T.Tensor((8, 64), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((8, 64), "float")
            b = T.alloc_ub((8, 64), "float")
            with T.Scope("V"):
                T.copy(x, a)
                T.copy(y, b)
                for i, j in T.Parallel(8, 64):
                    t = a[i, j]
                    a[i, j] = b[i, j]
                    b[i, j] = t * 2.0
                for i, j in T.Parallel(8, 64):
                    t = a[i, j]
                    if b[i, j] > 1.0:
                        a[i, j] = b[i, j] - t
                        b[i, j] = t
                T.tile.sub(a, a, b)
                T.copy(a, z)

    return main


exchanged()

# The value of a name outlives the tile that it was read from.
# CHECK: AscendC::Muls(
