#include "tl_templates/ascend/common.h"
#include "acl/acl.h"
#include <runtime/rt_ffts.h>
using namespace Catlass;
using uint = unsigned int;
using uchar = unsigned char;
using ushort = unsigned short;

extern "C" __global__ __aicore__ void main_kernel(GM_ADDR S_handle, GM_ADDR Y_handle, GM_ADDR Z_handle, uint64_t fftsAddr) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  AscendC::TPipe pipe;

  AscendC::GlobalTensor<uint32_t> S;
  S.SetGlobalBuffer((__gm__ uint32_t*)S_handle);
  AscendC::GlobalTensor<uint32_t> Y;
  Y.SetGlobalBuffer((__gm__ uint32_t*)Y_handle);
  AscendC::GlobalTensor<int> Z;
  Z.SetGlobalBuffer((__gm__ int*)Z_handle);

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
  auto s = ascend_ub.GetWithOffset<uint32_t>(16, 0);
  auto y = ascend_ub.GetWithOffset<uint32_t>(16, 64);
  auto z = ascend_ub.GetWithOffset<int>(16, 128);
  uint32_t x = uint32_t(0);
  x = uint32_t(12345);
  if ASCEND_IS_AIV {
    if (vid == 0) {
      tl::ascend::copy_gm_to_ub<uint32_t, 16, 1>(s[0], S[0], 16, 1, 16, uint32_t(0));
      AscendC::SetFlag<AscendC::HardEvent::MTE2_S>(0);
      AscendC::WaitFlag<AscendC::HardEvent::MTE2_S>(0);
      for (int32_t i = 0; i < 16; ++i) {
        x = x * uint32_t(1664525) + uint32_t(1013904223);
        y.SetValue(i, (s.GetValue(i) * uint32_t(1664525) + x) >> uint32_t(16));
        z.SetValue(i, int((s.GetValue(i) - uint32_t(3)) / uint32_t(1000)));
      }
      AscendC::SetFlag<AscendC::HardEvent::S_MTE3>(0);
      AscendC::WaitFlag<AscendC::HardEvent::S_MTE3>(0);
      tl::ascend::copy_ub_to_gm<uint32_t, 16, 1>(Y[0], y[0], 16, 1, 16);
      tl::ascend::copy_ub_to_gm<int, 16, 1>(Z[0], z[0], 16, 1, 16);
    }
  }
}

extern "C" void call(uint8_t* S_handle, uint8_t* Y_handle, uint8_t* Z_handle, aclrtStream stream) {
  uint32_t fftsLen{0};
  uint64_t fftsAddr{0};
  rtGetC2cCtrlAddr(&fftsAddr, &fftsLen);
#ifdef TL_ASCEND_CPU_TWIN
  AscendC::twin::launch(main_kernel, 1, stream, S_handle, Y_handle, Z_handle, fftsAddr);
#else
  main_kernel<<<1, nullptr, stream>>>(S_handle, Y_handle, Z_handle, fftsAddr);
#endif
}
