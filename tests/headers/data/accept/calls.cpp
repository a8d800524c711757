// API calls that the emitter prints directly, in the form it prints them.
#include "tl_templates/ascend/common.h"
#include "tl_templates/ascend/printf.h"

template <typename T> using L = AscendC::LocalTensor<T>;
template <typename T> using G = AscendC::GlobalTensor<T>;

template <typename T> void arithmetic(L<T> a_ub, L<T> b_ub, L<T> c_ub) {
  AscendC::Add(c_ub[0], a_ub[0], b_ub[0], 16384);
  AscendC::Sub(c_ub[0], a_ub[0], b_ub[0], 16384);
  AscendC::Mul(c_ub[0], a_ub[0], b_ub[0], 16384);
  AscendC::Max(c_ub[0], a_ub[0], b_ub[0], 16384);
  AscendC::Min(c_ub[0], a_ub[0], b_ub[0], 16384);
  AscendC::Adds(c_ub[0], a_ub[0], T(2), 16384);
  AscendC::Muls(c_ub[0], a_ub[0], T(2), 16384);
  AscendC::Maxs(c_ub[0], a_ub[0], T(2), 16384);
  AscendC::Mins(c_ub[0], a_ub[0], T(2), 16384);
  AscendC::CreateVecIndex<T>(c_ub[0], T(0), 128);
}

template <typename T> void floating(L<T> a, L<T> b, L<T> c, L<uint8_t> mask, L<uint8_t> tmp_ub) {
  AscendC::Div(c[0], a[0], b[0], 128);
  AscendC::Exp(c[0], a[0], 128);
  AscendC::Ln(c[0], a[0], 128);
  AscendC::Abs(c[0], a[0], 128);
  AscendC::Reciprocal(c[0], a[0], 128);
  AscendC::Sqrt(c[0], a[0], 128);
  AscendC::Rsqrt(c[0], a[0], 128);
  AscendC::Relu(c[0], a[0], 128);
  AscendC::LeakyRelu(c[0], a[0], T(0.1f), 128);
  AscendC::Axpy(c[0], a[0], T(0.5f), 128);
  AscendC::MulAddDst(c[0], a[0], b[0], 128);
  AscendC::Sin(c[0], a[0], tmp_ub[0], 128);
  AscendC::Cos(c[0], a[0], tmp_ub[0], 128);
  AscendC::Power(c[0], a[0], b[0], tmp_ub[0]);
  AscendC::Sigmoid(c[0], a[0], tmp_ub[0], 128);
  AscendC::Silu(c[0], a[0], 128);
  AscendC::Round(c[0], a[0], tmp_ub[0], 128);
  AscendC::Compare(mask[0], a[0], b[0], AscendC::CMPMODE::GT, 128);
  AscendC::CompareScalar(mask[0], a[0], T(0), AscendC::CMPMODE::NE, 128);
  AscendC::Select(c[0], mask[0], a[0], b[0], AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, 128);
  AscendC::Select<T, uint8_t>(c[0], mask[0], a[0], static_cast<T>(-CUDART_INF_F), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, 128);
  AscendC::WholeReduceMax(c[0], a[0], 64, 8, 1, 1, 8, AscendC::ReduceOrder::ORDER_ONLY_VALUE);
  AscendC::WholeReduceMin(c[0], a[0], 64, 8, 1, 1, 8, AscendC::ReduceOrder::ORDER_VALUE_INDEX);
  AscendC::WholeReduceSum(c[0], a[0], 64, 8, 1, 1, 8);
  AscendC::BlockReduceMax(c[0], a[0], 8, 64, 1, 1, 8);
  AscendC::BlockReduceMin(c[0], a[0], 8, 64, 1, 1, 8);
  AscendC::BlockReduceSum(c[0], a[0], 8, 64, 1, 1, 8);
  AscendC::ReduceSum(c[0], a[0], tmp_ub.ReinterpretCast<T>(), 128);
  AscendC::ReduceSum(c[0], a[0], tmp_ub.ReinterpretCast<T>(), 64, 4, 8);
  AscendC::Sort32(c[0], a[0], mask.ReinterpretCast<uint32_t>()[0], 4);
  AscendC::Gather(c[0], a[0], mask.ReinterpretCast<uint32_t>()[0], 0, 128);
  AscendC::PRINTF("%f at 0x%x\n", a.GetValue(3), c.GetPhyAddr());
}

template <typename T> void integer(L<T> a, L<T> b, L<T> c, L<uint8_t> tmp_ub) {
  AscendC::And(c[0], a[0], b[0], 128);
  AscendC::Or(c[0], a[0], b[0], 128);
  AscendC::Not(c[0], a[0], 128);
  AscendC::Xor(c[0], a[0], b[0], tmp_ub[0]);
  AscendC::ShiftLeft(c[0], a[0], T(2), 128);
  AscendC::ShiftRight(c[0], a[0], T(2), 128);
}

void scalars(L<half> h, L<float> f, L<int> i, int64_t n) {
  half half_var = half(0.000000e+00f);
  float float_var = 0.000000e+00f;
  bool flag = true;
  if ((h.GetValue(n) > half(1.000000e+00f)) && flag) {
    half_var = half(-(float)h.GetValue(0));
  }
  float_var = ((float)half_var * 2.000000e+00f) + f.GetValue(1);
  half_var += h.GetValue(2);
  h.SetValue(0, half(1.0f / (float)h.GetValue(1)));
  f.SetValue(3, float_var);
  i.SetValue(n, ((float_var < CUDART_INF_F) ? 1 : 0));
  i.SetValue(0, (int)AscendC::ToFloat(AscendC::ToBfloat16(float_var)));
  float_var = AscendC::ToFloat(bfloat16_t(1.0f));
  AscendC::LocalTensor<int32_t> view = f.ReinterpretCast<int32_t>();
  view.SetValue(0, 1);
}

void others(L<half> h, L<uint32_t> u, L<uint8_t> tmp_ub, G<float> gm, L<float> f) {
  AscendC::BilinearInterpolation(h[0], h[0], u[0], h[0], 128, 2, false, 1, 128, 2, tmp_ub[0]);
  AscendC::SetDeqScale(half(1.0f));
  AscendC::DataCacheCleanAndInvalid<float, AscendC::CacheLine::SINGLE_CACHE_LINE, AscendC::DcciDst::CACHELINE_OUT>(gm[0]);
  AscendC::PipeBarrier<PIPE_MTE2>();
  AscendC::SetFlag<AscendC::HardEvent::MTE1_M>(3);
  AscendC::WaitFlag<AscendC::HardEvent::MTE1_M>(3);
  AscendC::CrossCoreSetFlag<2, PIPE_MTE3>(5);
  AscendC::CrossCoreWaitFlag(5);
  tl::ascend::DumpTensor(gm[0],1, 64, 2, (uint32_t[]){8, 8});
  tl::ascend::DumpTensor(f[0],2, 64, 0, nullptr);
  tl::ascend::shmem_put_nbi<float>(gm[0], gm[0], 64, 1);
  tl::ascend::shmem_get_nbi<float>(gm[0], gm[0], 64, 1);
  tl::ascend::shmem_ub_put_nbi<float>(f[0], gm[0], 64, 1, 0);
  tl::ascend::shmem_ub_get_nbi<float>(f[0], gm[0], 64, 1);
  int4b_t small;
  (void)small;
}

void calls() {
  arithmetic<half>({}, {}, {});
  arithmetic<float>({}, {}, {});
  arithmetic<int16_t>({}, {}, {});
  arithmetic<int>({}, {}, {});
  floating<half>({}, {}, {}, {}, {});
  floating<float>({}, {}, {}, {}, {});
  integer<int16_t>({}, {}, {}, {});
  integer<uint16_t>({}, {}, {}, {});
}
