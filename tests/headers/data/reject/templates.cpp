// Templates with wrong element types, tensor kinds, shapes or layouts. Every marked line must fail, and no other.
#include "tl_templates/ascend/common.h"
using namespace Catlass;

template <typename T> using L = AscendC::LocalTensor<T>;
template <typename T> using G = AscendC::GlobalTensor<T>;

void copies(L<half> h, L<float> f, G<half> gh, G<float> gf, L<int64_t> i64, G<int64_t> gi64, L<bfloat16_t> b) {
  tl::ascend::copy_gm_to_l1<half, 128, 64>(h[0], gf[0], 64); // ~ error
  tl::ascend::copy_gm_to_l1<half, 128, 64>(f[0], gh[0], 64); // ~ error
  tl::ascend::copy_gm_to_l1<half, 128, 64>(gh[0], h[0], 64); // ~ error
  tl::ascend::copy_gm_to_l1<int64_t, 128, 64>(i64[0], gi64[0], 64); // ~ error
  tl::ascend::copy_gm_to_ub<half, 64>(h[0], h[0], 64); // ~ error
  tl::ascend::copy_ub_to_gm<half, 64>(h[0], h[0], 64); // ~ error
  tl::ascend::copy_ub_to_gm<float, 64>(gf[0], h[0], 64); // ~ error
  tl::ascend::copy_ub_to_ub<half, bfloat16_t, 64>(h[0], b[0]); // ~ error
  tl::ascend::copy_ub_to_ub<half, float, 64>(h[0], h[0]); // ~ error
  tl::ascend::atomic_add_ub_to_gm<int64_t, 64>(gi64[0], i64[0], 64); // ~ error
}

void matrix(L<half> h, L<float> f, L<int8_t> i8, L<int32_t> i32, L<uint8_t> u8, G<half> gh, G<float> gf) {
  AscendC::TBuf<AscendC::TPosition::A2> ascend_l0a;
  AscendC::TBuf<AscendC::TPosition::B2> ascend_l0b;
  tl::ascend::copy_l1_to_l0a<uint8_t, 64, 64>(u8[0], u8[0], 64, 64); // ~ error
  tl::ascend::copy_l1_to_l0b<half, 64, 64>(h[0], f[0], 64, 64); // ~ error
  tl::ascend::mma<half, half, 64, 64>(h[0], h[0], h[0], true, 64); // ~ error
  tl::ascend::mma<half, float, 64, 64>(h[0], f[0], f[0], true, 64); // ~ error
  tl::ascend::mma<int8_t, float, 64, 64>(i8[0], i8[0], f[0], true, 64); // ~ error
  tl::ascend::gemm_v0<half, float, 64, 64, 64>(h[0], h[0], h[0], ascend_l0a, ascend_l0b, true); // ~ error
  tl::ascend::gemm_v0<half, float, 64, 64, 64>(h[0], h[0], f[0], ascend_l0b, ascend_l0a, true); // ~ error
  tl::ascend::gemm_v0<half, float, 2048, 64, 128>(h[0], h[0], f[0], ascend_l0a, ascend_l0b, true); // ~ error
  tl::ascend::gemm_v0<int8_t, int32_t, 64, 64, 48, true, false>(i8[0], i8[0], i32[0], ascend_l0a, ascend_l0b, true); // ~ error
  tl::ascend::copy_l0c_to_gm<float, half, layout::ColumnMajor, 64, 64>(gh[0], f[0], 64); // ~ error
  tl::ascend::copy_l0c_to_gm<int32_t, half, layout::RowMajor, 64, 64>(gh[0], i32[0], 64); // ~ error
  tl::ascend::copy_l0c_to_gm<float, float, layout::RowMajor, 64, 64>(gf[0], h[0], 64); // ~ error
}

void vector(L<half> h, L<float> f, L<int32_t> i32, L<bfloat16_t> b, L<uint8_t> u8, G<float> gf, L<uint16_t> u16) {
  tl::ascend::Fill<half>(f[0], 0, 64); // ~ error
  tl::ascend::ArithProgression<bfloat16_t>(b[0], 0, 1, 64); // ~ error
  tl::ascend::Broadcast<int32_t, 2, 1, false>(i32[0], i32[0], u8, (uint32_t[]){64, 8}, (uint32_t[]){64, 1}); // ~ error
  tl::ascend::Broadcast<float, 2, 1, false>(f[0], f[0], u8, (uint32_t[]){64}, (uint32_t[]){64, 1}); // ~ error
  tl::ascend::Broadcast<float, 2, 1, false>(f[0], f[0], f, (uint32_t[]){64, 8}, (uint32_t[]){64, 1}); // ~ error
  tl::ascend::reduce_max<int32_t, 64, 64, -1>(i32[0], i32[0], u8[0], true); // ~ error
  tl::ascend::reduce_sum<float, 64, 64, 1>(f[0], f[0], u8[0], true); // ~ error
  tl::ascend::reduce_sum<float, 64, 64, -1>(f[0], f[0], f[0], true); // ~ error
  tl::ascend::reduce_sum_half<float>(f[0], f[0], 64, 64, 8); // ~ error
  tl::ascend::ClampMax<bfloat16_t>(b[0], b[0], u8[0], bfloat16_t(1.0f), 64); // ~ error
  tl::ascend::Gather<float>(f[0], f[0], i32[0]); // ~ error
  tl::ascend::GatherMask<float>(f[0], f[0], u16[0]); // ~ error
  tl::ascend::Sort<bfloat16_t>(b[0], b[0], b[0], 4, 128); // ~ error
  tl::ascend::TopK<float>(f[0], h[0], f[0], 4, 4, 128); // ~ error
  tl::ascend::MergeSort<half>(h[0], u8[0], h[0], h[0], 32, 32); // ~ error
  tl::ascend::mul_mask<int32_t>(i32[0], i32[0], gf[0], 1, 0, 1, 1, 1, 1, 8, 8, 8); // ~ error
  tl::ascend::transpose<float, 16, 16>(f[0], h[0]); // ~ error
  tl::ascend::copy_ub_to_l1<half, 16, 16>(h[0], h[0]); // ~ error
}
