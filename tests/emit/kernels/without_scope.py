#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(
    out_idx=[-1],
    pass_configs={"tl.ascend_auto_sync": True, "tl.ascend_memory_planning": True},
)
def without_scope():

    @T.prim_func
    def main(x: T.Tensor((16, 64), "float"), y: T.Tensor((16, 64), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            a = T.alloc_ub((16, 64), "float")
            if vid == 0:
                T.copy(x, a)
                T.copy(a, y)
                for k in T.serial(3):
                    T.copy(y, a)
                    T.tile.add(a, a, 1.0)
                    T.copy(a, y)

    return main


without_scope()
# CHECK: copy_gm_to_ub<float, 64, 16>(a[0], y[0], 64, 16, 64, 0.0f);
# CHECK: AscendC::Adds(a[0], a[0], 1.0f, 1024);
