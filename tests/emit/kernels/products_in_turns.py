#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[2], pass_configs={tilelang.PassConfigKey.TL_ASCEND_AUTO_SYNC: True})
def products_in_turns():

    @T.prim_func
    def main(x: T.Tensor((32, 160), "float16"), z: T.Tensor((160, 32), "float16"), y: T.Tensor((32, 32), "float")):
        with T.Kernel(1, is_npu=True) as (cid, vid):
            left = T.alloc_L1((32, 32), "float16")
            right = T.alloc_L1((32, 32), "float16")
            sums = T.alloc_L0C((32, 32), "float")
            with T.Scope("C"):
                for step in T.Pipelined(5, num_stages=2):
                    T.copy(x[0, step * 32], left)
                    T.copy(z[step * 32, 0], right)
                    T.gemm_v0(left, right, sums, init=(step == 0))
                T.copy(sums, y)

    return main


products_in_turns()

# The program orders what a product touches: the template must not wait for the copies of later steps.
# CHECK: #ifndef TL_ORDERED
# CHECK-NEXT: #define TL_ORDERED
# CHECK-NEXT: #endif
# CHECK: AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE1>(
# CHECK-NEXT: tl::ascend::gemm_v0<half, float, 32, 32, 32, false, false TL_ORDERED>(left[
