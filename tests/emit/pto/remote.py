#@ emit: pto
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1], target="pto")
def remote():

    @T.prim_func
    def main(x: T.Tensor((64,), "float"), y: T.Tensor((64,), "float"), z: T.Tensor((64,), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            tile = T.alloc_ub((64,), "float")
            with T.Scope("V"):
                T.shmem_put_nbi(y, x, 50, 1)
                T.barrier_all()
                T.shmem_get_nbi(z, x, 64, 1)
                T.shmem_ub_get_nbi(tile, x, 64, 1)
                T.barrier_all()
                T.shmem_ub_put_nbi(tile, z, 24, 1, 40)

    return main


remote()

# CHECK: #include "tl_templates/pto/remote.h"
# CHECK: tl::ascend_pto::shmem_put_nbi<float>(y_handle, x_handle, 50, 1);
# CHECK: tl::ascend_pto::shmem_get_nbi<float>(z_handle, x_handle, 64, 1);
# CHECK-NEXT: tl::ascend_pto::shmem_ub_get_nbi<float, 64>({{.*}}, x_handle, 64, 1);
# CHECK: tl::ascend_pto::shmem_ub_put_nbi<float, 24>({{.*}}, z_handle, 24, 1, 40);
