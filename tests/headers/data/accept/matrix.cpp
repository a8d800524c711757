// The matrix templates over operand types, transpositions and shapes that are no multiples of a fractal.
#include "tl_templates/ascend/common.h"
using namespace Catlass;

template <typename T> using L = AscendC::LocalTensor<T>;
template <typename T> using G = AscendC::GlobalTensor<T>;

template <typename T, typename Acc, uint32_t M, uint32_t N, uint32_t K, bool ta, bool tb> void product() {
  AscendC::TBuf<AscendC::TPosition::A2> ascend_l0a;
  AscendC::TBuf<AscendC::TPosition::B2> ascend_l0b;
  L<T> a, b;
  L<Acc> c;
  tl::ascend::gemm_v0<T, Acc, M, N, K, ta, tb>(a[0], b[0], c[0], ascend_l0a, ascend_l0b, true);
}

template <typename T, typename Acc> void products() {
  product<T, Acc, 128, 256, 64, false, false>();
  product<T, Acc, 64, 128, 512, false, true>();
  product<T, Acc, 128, 128, 160, true, false>();
  product<T, Acc, 48, 80, 96, true, true>();
  product<T, Acc, 1, 64, 200, false, false>();
}

template <typename T, typename Acc> void by_hand(L<T> l1, L<T> l0a, L<T> l0b, L<Acc> l0c) {
  tl::ascend::copy_l1_to_l0a<T, 64, 128>(l0a[0], l1[0], 64, 128);
  tl::ascend::copy_l1_to_l0a<T, 64, 128, false>(l0a[0], l1[0], 64, 64);
  tl::ascend::copy_l1_to_l0a<T, 128, 64, true>(l0a[0], l1[0], 64, 72);
  tl::ascend::copy_l1_to_l0b<T, 128, 48>(l0b[0], l1[0], 128, 48);
  tl::ascend::copy_l1_to_l0b<T, 64, 128, true>(l0b[0], l1[0], 128, 64);
  tl::ascend::mma<T, Acc, 64, 64>(l0a[0],l0b[0],l0c[0], true, 128);
  tl::ascend::mma<T, Acc, 128, 256>(l0a[0],l0b[0],l0c[0], false, 64);
}

template <typename Acc, typename T> void results(G<T> gm, L<Acc> l0c) {
  tl::ascend::copy_l0c_to_gm<Acc, T, layout::RowMajor, 64, 64>(gm[0], l0c[0], 1024);
  tl::ascend::copy_l0c_to_gm<Acc, T, layout::RowMajor, 64, 64, true>(gm[0], l0c[0], 1024, 33, 50);
  tl::ascend::atomic_add_l0c_to_gm<Acc, T, layout::RowMajor, 64, 64>(gm[0], l0c[0], 1024, 64, 64);
}

void matrix() {
  products<half, float>();
  products<bfloat16_t, float>();
  products<float, float>();
  products<int8_t, int>();
  by_hand<half, float>({}, {}, {}, {});
  by_hand<bfloat16_t, float>({}, {}, {}, {});
  by_hand<float, float>({}, {}, {}, {});
  by_hand<int8_t, int32_t>({}, {}, {}, {});
  results<float, half>({}, {});
  results<float, bfloat16_t>({}, {});
  results<float, float>({}, {});
  results<int32_t, int32_t>({}, {});
  (void)tl::ascend::thread_block_swizzle<1024, 512, 256, 128, 128>(3);
  (void)tl::ascend::thread_block_swizzle<1000, 500, 256, 128, 128, 2, 1>(3);
}
