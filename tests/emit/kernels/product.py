#@ emit: ascendc
import tilelang
import tilelang.language as T


@tilelang.jit(out_idx=[-1])
def product(M, N, K, tile_m, tile_n, tile_k):
    columns = N // tile_n

    @T.prim_func
    def main(
        left: T.Tensor((M, K), "float16"),
        right: T.Tensor((K, N), "float16"),
        out: T.Tensor((M, N), "float16"),
    ):
        with T.Kernel(M // tile_m * columns, is_npu=True) as (block, half_core):
            left_l1 = T.alloc_L1((tile_m, tile_k), "float16")
            right_l1 = T.alloc_L1((tile_k, tile_n), "float16")
            sums = T.alloc_L0C((tile_m, tile_n), "float")
            row, column = block // columns, block % columns
            with T.Scope("C"):
                for step in T.serial(K // tile_k):
                    T.copy(left[row * tile_m, step * tile_k], left_l1)
                    T.copy(right[step * tile_k, column * tile_n], right_l1)
                    T.barrier_all()
                    T.gemm_v0(left_l1, right_l1, sums, init=(step == 0))
                    T.barrier_all()
                T.copy(sums, out[row * tile_m, column * tile_n])

    return main


product(64, 96, 128, 32, 48, 64)

# CHECK: #include "tl_templates/ascend/common.h"
# CHECK: using namespace Catlass;
# CHECK: extern "C" __global__ __aicore__ void main_kernel(GM_ADDR left_handle, GM_ADDR right_handle, GM_ADDR out_handle, uint64_t fftsAddr) {
# CHECK-NEXT: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
# CHECK-NEXT: AscendC::TPipe pipe;
# CHECK: AscendC::GlobalTensor<half> left;
# CHECK-NEXT: left.SetGlobalBuffer((__gm__ half*)left_handle);
# CHECK: AscendC::TBuf<AscendC::TPosition::A2> ascend_l0a;
# CHECK-NEXT: pipe.InitBuffer(ascend_l0a, 65536);
# CHECK: pipe.InitBuffer(ascend_l1, 524032);
# CHECK: pipe.InitBuffer(ascend_ub, 196352);
# CHECK-NEXT: pipe.Destroy();
# CHECK-NEXT: auto block = AscendC::GetBlockIdx();
# CHECK-NEXT: if ASCEND_IS_AIV {
# CHECK-NEXT: block = block / 2;
# CHECK: auto half_core = AscendC::GetSubBlockIdx();
# CHECK-NEXT: auto left_l1 = ascend_l1.GetWithOffset<half>(2048, 0);
# CHECK-NEXT: auto right_l1 = ascend_l1.GetWithOffset<half>(3072, 4096);
# CHECK-NEXT: auto sums = ascend_l0c.GetWithOffset<float>(1536, 0);
# CHECK-NEXT: if ASCEND_IS_AIC {
# CHECK-NEXT: for (int32_t step = 0; step < 2; ++step) {
# CHECK-NEXT: tl::ascend::copy_gm_to_l1<half, 32, 64>(left_l1[0], left[block / 2 * 4096 + step * 64], 128, 32, 64, true);
# CHECK-NEXT: tl::ascend::copy_gm_to_l1<half, 64, 48>(right_l1[0], right[step * 6144 + block % 2 * 48], 96, 64, 48, true);
# CHECK-NEXT: AscendC::PipeBarrier<PIPE_ALL>();
# CHECK-NEXT: tl::ascend::gemm_v0<half, float, 32, 48, 64, false, false>(left_l1[0], right_l1[0], sums[0], ascend_l0a, ascend_l0b, step == 0);
# CHECK-NEXT: AscendC::PipeBarrier<PIPE_ALL>();
# CHECK-NEXT: }
# CHECK-NEXT: tl::ascend::copy_l0c_to_gm<float, half, layout::RowMajor, 32, 48, false>(out[block / 2 * 3072 + block % 2 * 48], sums[0], 96, 32, 48);
# CHECK: extern "C" void call(uint8_t* left_handle, uint8_t* right_handle, uint8_t* out_handle, aclrtStream stream) {
# CHECK: rtGetC2cCtrlAddr(&fftsAddr, &fftsLen);
# CHECK-NEXT: #ifdef TL_ASCEND_CPU_TWIN
# CHECK-NEXT: AscendC::twin::launch(main_kernel, 4, stream, left_handle, right_handle, out_handle, fftsAddr);
# CHECK-NEXT: #else
# CHECK-NEXT: main_kernel<<<4, nullptr, stream>>>(left_handle, right_handle, out_handle, fftsAddr);
# CHECK-NEXT: #endif
