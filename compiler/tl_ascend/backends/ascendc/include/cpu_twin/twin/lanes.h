// SPDX-License-Identifier: Apache-2.0
// Sliced vector instructions: repeats of eight blocks, of whose elements a mask keeps some.
#ifndef TL_ASCEND_TWIN_LANES_H
#define TL_ASCEND_TWIN_LANES_H

#include "tensor.h"

namespace AscendC::twin {

// Lanes of a repeat that take part: bit by bit, or the first ones.
struct Lanes {
  explicit Lanes(const uint64_t mask[]) : words{mask[0], mask[1]} {}
  explicit Lanes(uint64_t count) {
    words[0] = count >= 64 ? ~0ULL : (1ULL << count) - 1;
    words[1] = count >= 128 ? ~0ULL : count > 64 ? (1ULL << (count - 64)) - 1 : 0;
  }
  bool keep(uint32_t lane) const { return (words[lane / 64] >> lane % 64 & 1) != 0; }
  uint64_t words[2];
};

// A call takes at most 255 repeats.
inline uint32_t repeats(int64_t count) {
  if (count < 0 || count > 255) {
    fail("more than 255 repeats");
  }
  return static_cast<uint32_t>(count);
}

// Element `lane` of repeat `i`; strides in blocks.
template <typename T>
const T *lane_of(const LocalTensor<T> &src, uint32_t i, uint32_t lane, uint32_t block_stride, uint32_t repeat_stride) {
  constexpr uint32_t block = kBlock / sizeof(T);
  return reads(src, (i * repeat_stride + lane / block * block_stride) * block + lane % block, 1);
}

// dst = value(repeat, lane) for the lanes that take part.
template <typename T, typename Value>
void map_lanes(const LocalTensor<T> &dst, const Lanes &lanes, uint32_t repeat, uint32_t block_stride,
               uint32_t repeat_stride, const Value &value) {
  constexpr uint32_t block = kBlock / sizeof(T);
  reads(dst, 0, 0, kBlock);
  for (uint32_t i = 0; i < repeat; ++i) {
    for (uint32_t lane = 0; lane < 8 * block; ++lane) {
      if (lanes.keep(lane)) {
        const T found = value(i, lane);
        *writes(dst, (i * repeat_stride + lane / block * block_stride) * block + lane % block, 1) = found;
      }
    }
  }
}

// dst[i] = value(i) for the first elements.
template <typename T, typename Value> void map_elements(const LocalTensor<T> &dst, uint32_t count, const Value &value) {
  T *to = writes(dst, 0, count, kBlock);
  for (uint32_t i = 0; i < count; ++i) {
    to[i] = value(i);
  }
}

} // namespace AscendC::twin

#endif // TL_ASCEND_TWIN_LANES_H
