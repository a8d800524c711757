#include "tl_templates/ascend/common.h"
#include "acl/acl.h"
#include <runtime/rt_ffts.h>
using namespace Catlass;
using uint = unsigned int;
using uchar = unsigned char;
using ushort = unsigned short;

extern "C" __global__ __aicore__ void product_kernel(GM_ADDR A_handle, GM_ADDR B_handle, GM_ADDR C_handle, uint64_t fftsAddr) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  AscendC::TPipe pipe;

  AscendC::GlobalTensor<half> A;
  A.SetGlobalBuffer((__gm__ half*)A_handle);
  AscendC::GlobalTensor<half> B;
  B.SetGlobalBuffer((__gm__ half*)B_handle);
  AscendC::GlobalTensor<half> C;
  C.SetGlobalBuffer((__gm__ half*)C_handle);

  AscendC::TBuf<AscendC::TPosition::A2> ascend_l0a;
  pipe.InitBuffer(ascend_l0a, 65536);
  AscendC::TBuf<AscendC::TPosition::B2> ascend_l0b;
  pipe.InitBuffer(ascend_l0b, 65536);
  AscendC::TBuf<AscendC::TPosition::A1> ascend_l1;
  pipe.InitBuffer(ascend_l1, 524032);
  AscendC::TBuf<AscendC::TPosition::CO1> ascend_l0c;
  pipe.InitBuffer(ascend_l0c, 131072);
  AscendC::TBuf<AscendC::TPosition::VECCALC> ascend_ub;
  pipe.InitBuffer(ascend_ub, 196352);
  pipe.Destroy();
  auto block = AscendC::GetBlockIdx();
  if ASCEND_IS_AIV {
    block = block / 2;
  }
  auto vid = AscendC::GetSubBlockIdx();
  auto a = ascend_l1.GetWithOffset<half>(16384, 0);
  auto b = ascend_l1.GetWithOffset<half>(16384, 32768);
  auto total = ascend_l0c.GetWithOffset<float>(16384, 0);
  if ASCEND_IS_AIC {
    AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(2);
    AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(3);
    for (int32_t step = 0; step < 16; ++step) {
      AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(2 + step % 2);
      tl::ascend::copy_gm_to_l1<half, 128, 64>(a[step % 2 * 8192], A[block / 8 * 131072 + step * 64], 1024, 128, 64, true);
      tl::ascend::copy_gm_to_l1<half, 64, 128>(b[step % 2 * 8192], B[step * 65536 + block % 8 * 128], 1024, 64, 128, true);
      AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE1>(2 + step % 2);
      AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE1>(2 + step % 2);
      tl::ascend::gemm_v0<half, float, 128, 128, 64, false, false>(a[step % 2 * 8192], b[step % 2 * 8192], total[0], ascend_l0a, ascend_l0b, step == 0);
      AscendC::SetFlag<AscendC::HardEvent::MTE1_MTE2>(2 + step % 2);
    }
    AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(2);
    AscendC::WaitFlag<AscendC::HardEvent::MTE1_MTE2>(3);
    AscendC::SetFlag<AscendC::HardEvent::M_FIX>(2);
    AscendC::WaitFlag<AscendC::HardEvent::M_FIX>(2);
    tl::ascend::copy_l0c_to_gm<float, half, layout::RowMajor, 128, 128, false>(C[block / 8 * 131072 + block % 8 * 128], total[0], 1024, 128, 128);
  }
}

extern "C" void call(uint8_t* A_handle, uint8_t* B_handle, uint8_t* C_handle, aclrtStream stream) {
  uint32_t fftsLen{0};
  uint64_t fftsAddr{0};
  rtGetC2cCtrlAddr(&fftsAddr, &fftsLen);
#ifdef TL_ASCEND_CPU_TWIN
  AscendC::twin::launch(product_kernel, 64, stream, A_handle, B_handle, C_handle, fftsAddr);
#else
  product_kernel<<<64, nullptr, stream>>>(A_handle, B_handle, C_handle, fftsAddr);
#endif
}
