// Every transfer template with every element type it takes.
#include "tl_templates/ascend/common.h"
using namespace Catlass;

template <typename T> using L = AscendC::LocalTensor<T>;
template <typename T> using G = AscendC::GlobalTensor<T>;

template <typename T> void through_ub(L<T> ub, L<T> other, G<T> gm) {
  tl::ascend::copy_gm_to_ub<T, 64>(ub[0], gm[0], 64);
  tl::ascend::copy_gm_to_ub<T, 64, 8>(ub[0], gm[0], 100, 7, 33, T(1));
  tl::ascend::copy_gm_to_ub<T, 32, 5000>(ub[0], gm[0], 32);
  tl::ascend::copy_ub_to_gm<T, 64>(gm[0], ub[0], 64);
  tl::ascend::copy_ub_to_gm<T, 64, 8>(gm[0], ub[0], 100, 7, 33);
  tl::ascend::copy_ub_to_ub<T, T, 64>(ub[0], other[0]);
  tl::ascend::copy_ub_to_ub<T, T, 48>(ub[0], other[0], 4, 12, 64, 4, 12, 12);
}

template <typename T> void into_l1(L<T> l1, G<T> gm) {
  tl::ascend::copy_gm_to_l1<T, 128, 64>(l1[0], gm[0], 1024, 128, 64, true);
  tl::ascend::copy_gm_to_l1<T, 72, 40>(l1[0], gm[0], 100000, 9, 17, false);
  tl::ascend::copy_gm_to_l1<T, 1, 64>(l1[0], gm[0]);
}

template <typename Tdst, typename Tsrc> void converting(L<Tdst> dst, L<Tsrc> src) {
  tl::ascend::copy_ub_to_ub<Tdst, Tsrc, 256>(dst[0], src[0]);
  tl::ascend::copy_ub_to_ub<Tdst, Tsrc, 256>(dst[0], src[0], 8, 32, 64, 8, 32, 32);
}

template <typename T> void adding(G<T> gm, L<T> ub) {
  tl::ascend::atomic_add_ub_to_gm<T, 64>(gm[0], ub[0], 64, 1, 64);
  tl::ascend::atomic_add_ub_to_gm<T, 64, 8>(gm[0], ub[0], 128, 8, 60);
}

void copies() {
  through_ub<half>({}, {}, {});
  through_ub<bfloat16_t>({}, {}, {});
  through_ub<float>({}, {}, {});
  through_ub<int8_t>({}, {}, {});
  through_ub<uint8_t>({}, {}, {});
  through_ub<int16_t>({}, {}, {});
  through_ub<uint16_t>({}, {}, {});
  through_ub<int>({}, {}, {});
  through_ub<uint32_t>({}, {}, {});
  through_ub<int64_t>({}, {}, {});
  through_ub<uint64_t>({}, {}, {});

  into_l1<half>({}, {});
  into_l1<bfloat16_t>({}, {});
  into_l1<float>({}, {});
  into_l1<int8_t>({}, {});
  into_l1<int32_t>({}, {});

  converting<float, half>({}, {});
  converting<float, bfloat16_t>({}, {});
  converting<float, int16_t>({}, {});
  converting<float, int32_t>({}, {});
  converting<half, float>({}, {});
  converting<half, int8_t>({}, {});
  converting<half, uint8_t>({}, {});
  converting<half, int16_t>({}, {});
  converting<bfloat16_t, float>({}, {});
  converting<int8_t, half>({}, {});
  converting<int32_t, float>({}, {});
  converting<int32_t, half>({}, {});
  converting<int16_t, int32_t>({}, {});
  converting<int64_t, int32_t>({}, {});

  adding<half>({}, {});
  adding<bfloat16_t>({}, {});
  adding<float>({}, {});
  adding<int8_t>({}, {});
  adding<int16_t>({}, {});
  adding<int32_t>({}, {});
}
