#include "tl_templates/ascend/common.h"
#include "acl/acl.h"
#include <runtime/rt_ffts.h>
using namespace Catlass;
using uint = unsigned int;
using uchar = unsigned char;
using ushort = unsigned short;

template <typename T>
static __aicore__ inline T tl_floormod(T a, T b) {
  return (a % b + b) % b;
}

extern "C" __global__ __aicore__ void main_kernel(GM_ADDR A_handle, GM_ADDR I_handle, GM_ADDR B_handle, uint64_t fftsAddr) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  AscendC::TPipe pipe;

  AscendC::GlobalTensor<float> A;
  A.SetGlobalBuffer((__gm__ float*)A_handle);
  AscendC::GlobalTensor<int> I;
  I.SetGlobalBuffer((__gm__ int*)I_handle);
  AscendC::GlobalTensor<float> B;
  B.SetGlobalBuffer((__gm__ float*)B_handle);

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
  auto cid = AscendC::GetBlockIdx();
  if ASCEND_IS_AIV {
    cid = cid / 2;
  }
  auto vid = AscendC::GetSubBlockIdx();
  auto a = ascend_ub.GetWithOffset<float>(64, 0);
  if ASCEND_IS_AIV {
    AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(0);
    for (int32_t k = 0; k < 8; ++k) {
      int row = I.GetValue(k);
      AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(0);
      tl::ascend::copy_gm_to_ub<float, 64>(a[0], A[tl_floormod<int64_t>((int64_t)row * 7 + k, 13) * 64], 4096, 1, 64, 0.0f);
      AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE3>(0);
      AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE3>(0);
      tl::ascend::copy_ub_to_gm<float, 64>(B[tl_floormod<int64_t>((int64_t)row * 7 + k, 13) * 64], a[0], 4096, 1, 64);
      AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(0);
      AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(0);
      tl::ascend::copy_gm_to_ub<float, 64>(a[0], A[tl_floormod<int64_t>((int64_t)row * 7 + k, 13) / 3 * 64], 4096, 1, 64, 0.0f);
      AscendC::SetFlag<AscendC::HardEvent::MTE2_MTE3>(0);
      AscendC::WaitFlag<AscendC::HardEvent::MTE2_MTE3>(0);
      tl::ascend::copy_ub_to_gm<float, 64>(B[(tl_floormod<int64_t>((int64_t)row * 7 + k, 13) / 3 + tl_floormod<int64_t>((int64_t)row * 7 + k, 13)) * 64], a[0], 4096, 1, 64);
      AscendC::SetFlag<AscendC::HardEvent::MTE3_MTE2>(0);
    }
    AscendC::WaitFlag<AscendC::HardEvent::MTE3_MTE2>(0);
  }
}

extern "C" void call(uint8_t* A_handle, uint8_t* I_handle, uint8_t* B_handle, aclrtStream stream) {
  uint32_t fftsLen{0};
  uint64_t fftsAddr{0};
  rtGetC2cCtrlAddr(&fftsAddr, &fftsLen);
#ifdef TL_ASCEND_CPU_TWIN
  AscendC::twin::launch(main_kernel, 1, stream, A_handle, I_handle, B_handle, fftsAddr);
#else
  main_kernel<<<1, nullptr, stream>>>(A_handle, I_handle, B_handle, fftsAddr);
#endif
}
