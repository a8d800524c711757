// An emitted vector kernel: a running softmax over row blocks with a tail.
#include "tl_templates/ascend/common.h"
#include "acl/acl.h"
#include <runtime/rt_ffts.h>
using namespace Catlass;

extern "C" __global__ __aicore__ void softmax_kernel(GM_ADDR X_handle, GM_ADDR Y_handle, int64_t n, float scale, uint64_t fftsAddr) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_1);
  AscendC::TPipe pipe;
  AscendC::GlobalTensor<half> X; X.SetGlobalBuffer((__gm__ half*)X_handle);
  AscendC::GlobalTensor<half> Y; Y.SetGlobalBuffer((__gm__ half*)Y_handle);
  AscendC::TBuf<AscendC::TPosition::VECCALC> ascend_ub; pipe.InitBuffer(ascend_ub, 196352);
  pipe.Destroy();
  auto cid = AscendC::GetBlockIdx();
  auto x_ub = ascend_ub.GetWithOffset<half>(8192, 0);
  auto f_ub = ascend_ub.GetWithOffset<float>(8192, 16384);
  auto m_ub = ascend_ub.GetWithOffset<float>(64, 49152);
  auto old_ub = ascend_ub.GetWithOffset<float>(64, 49408);
  auto s_ub = ascend_ub.GetWithOffset<float>(64, 49664);
  auto wide_ub = ascend_ub.GetWithOffset<float>(8192, 49920);
  auto tmp_ub = ascend_ub.GetWithOffset<uint8_t>(32768, 82688);
  if ASCEND_IS_AIV {
    tl::ascend::Fill<float>(m_ub[0], -CUDART_INF_F, 64);
    tl::ascend::Fill<float>(s_ub[0], 0.000000e+00f, 64);
    for (int32_t i = 0; i < ((n + 127) / 128); ++i) {
      tl::ascend::copy_gm_to_ub<half, 128, 64>(x_ub[0], X[((cid * 64) * n) + (i * 128)], n, 64, (((n - (i * 128)) >= 128) ? 128 : (n - (i * 128))), half(-CUDART_INF_F));
      AscendC::SetFlag<AscendC::HardEvent::MTE2_V>(1);
      AscendC::WaitFlag<AscendC::HardEvent::MTE2_V>(1);
      AscendC::Cast(f_ub[0], x_ub[0], AscendC::RoundMode::CAST_NONE, 8192);
      AscendC::PipeBarrier<PIPE_V>();
      {
        AscendC::Muls(f_ub[0], f_ub[0], scale, 8192);
      }
      tl::ascend::copy_ub_to_ub<float, float, 64>(old_ub[0], m_ub[0], 1, 64, 64, 1, 64, 64);
      tl::ascend::reduce_max<float, 64, 128, -1>(m_ub[0], f_ub[0], tmp_ub[0], false);
      AscendC::Max(m_ub[0], m_ub[0], old_ub[0], 64);
      tl::ascend::Broadcast<float, 2, 1, false>(wide_ub[0],m_ub[0],tmp_ub,(uint32_t[]){64, 128}, (uint32_t[]){64, 1});
      AscendC::Sub(f_ub[0], f_ub[0], wide_ub[0], 8192);
      AscendC::Exp(f_ub[0], f_ub[0], 8192);
      tl::ascend::reduce_sum<float, 64, 128, -1>(s_ub[0], f_ub[0], tmp_ub[0], true);
      AscendC::Div(f_ub[0], f_ub[0], wide_ub[0], 8192);
      {
        AscendC::PipeBarrier<PIPE_ALL>();
        auto s_ub_scalar = s_ub.GetValue(0);
        AscendC::Adds(f_ub[0], f_ub[0], s_ub_scalar, 8192);
      }
      AscendC::Cast(x_ub[0], f_ub[0], AscendC::RoundMode::CAST_RINT, 8192);
      AscendC::SetFlag<AscendC::HardEvent::V_MTE3>(1);
      AscendC::WaitFlag<AscendC::HardEvent::V_MTE3>(1);
      tl::ascend::copy_ub_to_gm<half, 128, 64>(Y[((cid * 64) * n) + (i * 128)], x_ub[0], n, 64, (((n - (i * 128)) >= 128) ? 128 : (n - (i * 128))));
    }
    AscendC::SyncAll<false>();
  }
}
