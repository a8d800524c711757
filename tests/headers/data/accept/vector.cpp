// Vector, reduction and sorting templates over their element types.
#include "tl_templates/ascend/common.h"

template <typename T> using L = AscendC::LocalTensor<T>;
using Tmp = AscendC::LocalTensor<uint8_t>;

template <typename T> void filled(L<T> a) {
  tl::ascend::Fill<T>(a[0], T(1), 100);
  tl::ascend::Fill<T>(a[0], 0, 128);
}

template <typename T> void arithmetic(L<T> a, L<T> b, Tmp tmp_ub) {
  tl::ascend::ArithProgression<T>(a[0], 0, 1, 128);
  tl::ascend::ClampMax<T>(a[0], b[0], tmp_ub[0], 3, 128);
  tl::ascend::ClampMin<T>(a[0], b[0], tmp_ub[0], T(0), 128);
  tl::ascend::Clamp<T>(a[0], b[0], tmp_ub[0], T(0), T(6), 128);
}

template <typename T> void spread(L<T> a, L<T> b, Tmp tmp_ub) {
  tl::ascend::Broadcast<T, 1, 0, false>(a[0],b[0],tmp_ub,(uint32_t[]){64}, (uint32_t[]){1});
  tl::ascend::Broadcast<T, 2, 0, false>(a[0],b[0],tmp_ub,(uint32_t[]){64, 32}, (uint32_t[]){1, 32});
  tl::ascend::Broadcast<T, 2, 1, false>(a[0],b[0],tmp_ub,(uint32_t[]){64, 32}, (uint32_t[]){64, 1});
}

template <typename T, uint32_t M, uint32_t N> void reduced(L<T> a, L<T> b, Tmp tmp_ub) {
  tl::ascend::reduce_max<T, M, N, -1>(a[0], b[0], tmp_ub[0], true);
  tl::ascend::reduce_max<T, M, N, 0>(a[0], b[0], tmp_ub[0], false);
  tl::ascend::reduce_min<T, M, N, -1>(a[0], b[0], tmp_ub[0], true);
  tl::ascend::reduce_min<T, M, N, 0>(a[0], b[0], tmp_ub[0], false);
  tl::ascend::reduce_sum<T, M, N, -1>(a[0], b[0], tmp_ub[0]);
  tl::ascend::reduce_sum<T, M, N, 0>(a[0], b[0], tmp_ub[0], false);
}

template <typename T> void moved(L<T> a, L<T> b, L<uint32_t> index) {
  tl::ascend::transpose<T, 16, 16>(a[0], b[0]);
  tl::ascend::transpose<T, 64, 48>(a[0], b[0]);
  tl::ascend::transpose<T, 16, 4096>(a[0], b[0]);
  tl::ascend::transpose<T, 20, 12>(a[0], b[0]);
  tl::ascend::GatherMask<T>(a[0], b[0], 1);
  tl::ascend::Gather(a[0], b[0], index[0]);
  tl::ascend::Gatherb<T>(a[0], b[0], index[0], 4, 1, 8);
  tl::ascend::brcb<T>(a[0], b[0], 8, 1, 8);
  tl::ascend::Fill_experiment<T>(a[0], T(1), 255, 2, 1, 8);
}

template <typename T> void floating(L<T> a, L<T> b, L<T> c) {
  tl::ascend::mul_mask<T>(a[0], b[0], c[0], 0xFFFFFFFFFFFFFFFF, 0, 8, 1, 1, 0, 8, 8, 1);
  tl::ascend::sub_mask<T>(a[0], b[0], c[0], 0xFFFFFFFFFFFFFFFF, 18446744073709551615ULL, 8, 1, 1, 0, 8, 8, 1);
  tl::ascend::div_mask<T>(a[0], b[0], c[0], 0xFFFFFFFFFFFFFFFF, 0, 8, 1, 1, 0, 8, 8, 1);
  tl::ascend::Sum_experiment<T>(a[0], b[0], 4, 32, 30);
  tl::ascend::Sort<T>(a[0], b[0], c[0], ((1000 + 31) / 32), 1000);
  tl::ascend::TopK<T>(a[0], b[0], c[0], 10, 32, 1000);
}

void vector() {
  filled<half>({});
  filled<bfloat16_t>({});
  filled<float>({});
  filled<int8_t>({});
  filled<uint8_t>({});
  filled<int16_t>({});
  filled<int>({});
  filled<uint32_t>({});
  filled<int64_t>({});

  arithmetic<half>({}, {}, {});
  arithmetic<float>({}, {}, {});
  arithmetic<int16_t>({}, {}, {});
  arithmetic<int>({}, {}, {});

  spread<half>({}, {}, {});
  spread<float>({}, {}, {});
  spread<int8_t>({}, {}, {});
  spread<uint8_t>({}, {}, {});

  reduced<half, 64, 128>({}, {}, {});
  reduced<half, 300, 500>({}, {}, {});
  reduced<half, 1, 20>({}, {}, {});
  reduced<float, 64, 128>({}, {}, {});
  tl::ascend::reduce_sum_half<half>(L<half>{}[0], L<half>{}[0], 128, 64, 8);

  moved<half>({}, {}, {});
  moved<bfloat16_t>({}, {}, {});
  moved<float>({}, {}, {});
  moved<int16_t>({}, {}, {});
  moved<int>({}, {}, {});
  tl::ascend::transpose<int8_t, 32, 32>(L<int8_t>{}[0], L<int8_t>{}[0]);
  tl::ascend::GatherMask<float>(L<float>{}[0], L<float>{}[0], L<uint32_t>{}[0]);
  tl::ascend::GatherMask<half>(L<half>{}[0], L<half>{}[0], L<uint16_t>{}[0]);
  tl::ascend::GatherMask_experiment<half>(L<half>{}[0], L<half>{}[0], L<uint16_t>{}[0], true, 70, 1, 2, 8, 0, 0);

  floating<half>({}, {}, {});
  floating<float>({}, {}, {});
  L<float> s;
  Tmp tmp_ub;
  tl::ascend::MergeSort<float>(s[0], tmp_ub[0], s[0], s[64], 32, 32);
  tl::ascend::MergeSort<float>(s[0], tmp_ub[0], s[0], s[64], s[128], 32, 32, 32);
  tl::ascend::MergeSort<float>(s[0], tmp_ub[0], s[0], s[64], s[128], s[192], 32, 32, 32, 16);
  tl::ascend::InitSortBuf<float>(s[0], 1000);
  tl::ascend::InitSortBuf<float>(s[0], 1000, 0);
}
