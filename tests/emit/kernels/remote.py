#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def remote():

    @T.prim_func
    def main(x: T.Tensor((64,), "float"), y: T.Tensor((64,), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            tile = T.alloc_ub((64,), "float")
            with T.Scope("V"):
                T.shmem_put_nbi(y, x, 64, 1)
                T.shmem_get_nbi(y, x, 64, 1)
                T.shmem_ub_get_nbi(tile, x, 64, 1)
                T.barrier_all()
                T.shmem_ub_put_nbi(tile, y, 64, 1)

    return main


remote()

# CHECK: tl::ascend::shmem_put_nbi<float>(y[0], x[0], 64, 1);
# CHECK-NEXT: tl::ascend::shmem_get_nbi<float>(y[0], x[0], 64, 1);
# CHECK-NEXT: tl::ascend::shmem_ub_get_nbi<float>(tile[0], x[0], 64, 1);
# CHECK: tl::ascend::shmem_ub_put_nbi<float>(tile[0], y[0], 64, 1, 0);
