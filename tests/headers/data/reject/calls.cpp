// Calls of the API with wrong element types, scalars or tensor kinds. Every marked line must fail, and no other.
#include "tl_templates/ascend/common.h"

template <typename T> using L = AscendC::LocalTensor<T>;
template <typename T> using G = AscendC::GlobalTensor<T>;

void types(L<half> h, L<float> f, L<bfloat16_t> b, L<int8_t> i8, L<int32_t> i32, L<uint8_t> u8, L<uint32_t> u32) {
  AscendC::Add(b[0], b[0], b[0], 128); // ~ error
  AscendC::Add(i8[0], i8[0], i8[0], 128); // ~ error
  AscendC::Add(f[0], f[0], h[0], 128); // ~ error
  AscendC::Div(i32[0], i32[0], i32[0], 128); // ~ error
  AscendC::And(i32[0], i32[0], i32[0], 128); // ~ error
  AscendC::Exp(i32[0], i32[0], 128); // ~ error
  AscendC::Duplicate<int8_t>(i8[0], 1, 128); // ~ error
  AscendC::Cast(b[0], h[0], AscendC::RoundMode::CAST_RINT, 128); // ~ error
  AscendC::Cast(i8[0], f[0], AscendC::RoundMode::CAST_RINT, 128); // ~ error
  AscendC::Compare(u32[0], f[0], f[0], AscendC::CMPMODE::LT, 128); // ~ error
  AscendC::Compare(u8[0], f[0], h[0], AscendC::CMPMODE::LT, 128); // ~ error
  AscendC::Select(i32[0], u8[0], i32[0], i32[0], AscendC::SELMODE::VSEL_TENSOR_TENSOR_MODE, 128); // ~ error
  AscendC::Gather(i8[0], i8[0], u32[0], 0, 128); // ~ error
  AscendC::Gather(f[0], f[0], i32[0], 0, 128); // ~ error
  AscendC::Sort32(i32[0], i32[0], u32[0], 4); // ~ error
  AscendC::WholeReduceSum(i32[0], i32[0], 64, 8, 1, 1, 8); // ~ error
  AscendC::ReduceSum(f[0], f[0], u8[0], 128); // ~ error
  AscendC::Power(b[0], b[0], b[0], u8[0]); // ~ error
  AscendC::SetAtomicAdd<uint64_t>(); // ~ error
}

void scalars(L<half> h, L<int32_t> i32, L<float> f, L<bfloat16_t> b) {
  AscendC::Muls(h[0], h[0], 2.0f, 128); // ~ error
  AscendC::Adds(i32[0], i32[0], 2.0f, 128); // ~ error
  AscendC::Adds(f[0], f[0], 2, 128); // ~ error
  AscendC::Adds(f[0], f[0], f[0], 128); // ~ error
  AscendC::ShiftLeft(i32[0], i32[0], 2u, 128); // ~ error
  half from_bfloat = bfloat16_t(1.0f); // ~ error
  (void)from_bfloat;
  f.SetValue(0, float(b.GetValue(0))); // ~ error
}

void kinds(L<half> local, G<half> global, L<float> acc, G<float> out) {
  AscendC::Add(global[0], local[0], local[0], 128); // ~ error
  AscendC::DataCopy(global[0], global[0], 128); // ~ error
  AscendC::Mmad(local, local, local, AscendC::MmadParams()); // ~ error
  AscendC::Fixpipe<float, float>(acc, acc, AscendC::FixpipeParamsV220()); // ~ error
  AscendC::Fixpipe<float, half>(out, local, AscendC::FixpipeParamsV220()); // ~ error
  AscendC::DataCopyPad(local[0], out[0], AscendC::DataCopyExtParams(), AscendC::DataCopyPadExtParams<half>()); // ~ error
}

void synchronisation(L<half> local) {
  AscendC::SetFlag<AscendC::HardEvent::FIX_V>(0); // ~ error
  AscendC::PipeBarrier<PIPE_MTE4>(); // ~ error
  AscendC::SetFlag<PIPE_V>(0); // ~ error
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_3); // ~ error
  local.SetGlobalBuffer(nullptr); // ~ error
}
