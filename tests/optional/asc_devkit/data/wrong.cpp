// Each marked line must be refused by the real headers, and no other.
#include "tl_templates/ascend/common.h"
using namespace Catlass;

template <typename T> using L = AscendC::LocalTensor<T>;
template <typename T> using G = AscendC::GlobalTensor<T>;

void operands(L<half> h, L<float> f, G<half> gh, G<float> gf, L<uint8_t> tmp) {
  AscendC::TBuf<AscendC::TPosition::A2> l0a;
  AscendC::TBuf<AscendC::TPosition::B2> l0b;
  tl::ascend::gemm_v0<half, float, 64, 64, 64>(h[0], h[0], f[0], l0a, l0b, true);
  tl::ascend::gemm_v0<half, float, 64, 64, 64>(f[0], h[0], f[0], l0a, l0b, true); // ~ error
  tl::ascend::copy_gm_to_l1<half, 128, 64>(f[0], gh[0], 64);                      // ~ error
  AscendC::Add(f[0], f[0], h[0], 128);                                            // ~ error
  AscendC::Muls(h[0], h[0], 2.0f, 128);                                           // ~ error
  AscendC::ReduceSum(f[0], f[0], tmp[0], 128);                                    // ~ error
  AscendC::DataCopyPad(gf[0], h[0], AscendC::DataCopyExtParams());                // ~ error
}

void arguments(L<half> h, L<float> f, L<int8_t> i8, L<uint8_t> u8, G<half> gh) {
  tl::ascend::copy_l0c_to_gm<float, half, layout::RowMajor, 64>(gh[0], f[0], 64);                    // ~ error
  tl::ascend::copy_l0c_to_gm<float, int64_t, layout::RowMajor, 64, 64>(gh[0], f[0], 64);             // ~ error
  AscendC::SetFlag<AscendC::HardEvent::FIX_V2>(0);                                                   // ~ error
  AscendC::SetFlag<PIPE_V>(0);                                                                       // ~ error
  AscendC::PipeBarrier<PIPE_X>();                                                                    // ~ error
  AscendC::Cast(h[0], f[0], AscendC::RoundMode::CAST_UP, 128);                                       // ~ error
  AscendC::Select<float, uint8_t>(f[0], u8[0], f[0], 0.0f, AscendC::SELMODE::VSEL_TENSOR_MODE, 128); // ~ error
}

void names(L<half> h, L<float> f) {
  AscendC::Addd(h[0], h[0], h[0], 128);                 // ~ error
  AscendC::Exponential(f[0], f[0], 128);                // ~ error
  AscendC::LocalTensr<half> tile;                       // ~ error
  f.SetValues(0, 1.0f);                                 // ~ error
  tl::ascend::copy_ub_to_l1<half, 16, 16>(h[0], h[0]);  // ~ error
  AscendC::MmadParams params; params.depth = 4;         // ~ error
  vaddd(h, h, h);                                       // ~ error
}

void conversions(L<bfloat16_t> b, L<float> f, float x, int32_t i) {
  tl::ascend::Fill<bfloat16_t>(b[0], bfloat16_t(0.5f), 64);
  tl::ascend::Fill<bfloat16_t>(b[0], bfloat16_t(-CUDART_INF_F), 64);
  tl::ascend::Fill<bfloat16_t>(b[0], AscendC::ToBfloat16(x), 64);
  f.SetValue(0, AscendC::ToFloat(b.GetValue(0)));
  f.SetValue(0, float(b.GetValue(0)));                // ~ error
  tl::ascend::Fill<bfloat16_t>(b[0], bfloat16_t(x), 64); // ~ error
  b.SetValue(0, bfloat16_t(float(i)));                // ~ error
}
