// SPDX-License-Identifier: Apache-2.0
// Vector instructions that fill, spread and collect, all on V.
#ifndef TL_ASCEND_TWIN_VECTOR_MOVE_H
#define TL_ASCEND_TWIN_VECTOR_MOVE_H

#include "lanes.h"

namespace AscendC {

struct BrcbRepeatParams {
  BrcbRepeatParams() = default;
  BrcbRepeatParams(uint16_t dst_block, uint16_t dst_repeat) : dstBlkStride(dst_block), dstRepStride(dst_repeat) {}
  uint16_t dstBlkStride = 1;
  uint16_t dstRepStride = 8;
};

struct GatherRepeatParams {
  GatherRepeatParams() = default;
  GatherRepeatParams(uint8_t dst_block, uint8_t dst_repeat) : dstRepStride(dst_repeat), dstBlkStride(dst_block) {}
  uint16_t dstRepStride = 8;
  uint8_t dstBlkStride = 1;
};

struct GatherMaskParams {
  GatherMaskParams() = default;
  GatherMaskParams(uint8_t src0_block, uint16_t repeat, uint16_t src0_repeat, uint8_t src1_repeat)
      : src0BlockStride(src0_block), repeatTimes(repeat), src0RepeatStride(src0_repeat),
        src1RepeatStride(src1_repeat) {}
  uint8_t src0BlockStride = 1;
  uint16_t repeatTimes = 0;
  uint16_t src0RepeatStride = 8;
  uint8_t src1RepeatStride = 8;
};

template <typename T>
twin::OnlyB16B32<T> Duplicate(const LocalTensor<T> &dst, const T &value, const int32_t &count) {
  twin::issue(PIPE_V, "Duplicate", [=, n = static_cast<uint32_t>(count)] {
    twin::map_elements(dst, n, [=](uint32_t) { return value; });
  });
}
template <typename T, bool sets_mask = true>
twin::OnlyB16B32<T> Duplicate(const LocalTensor<T> &dst, const T &value, uint64_t mask[], const uint8_t repeat,
                              const uint16_t dst_block, const uint8_t dst_repeat) {
  twin::issue(PIPE_V, "Duplicate", [=, lanes = twin::Lanes(mask)] {
    twin::map_lanes(dst, lanes, repeat, dst_block, dst_repeat, [=](uint32_t, uint32_t) { return value; });
  });
}
template <typename T, bool sets_mask = true>
twin::OnlyB16B32<T> Duplicate(const LocalTensor<T> &dst, const T &value, uint64_t mask, const uint8_t repeat,
                              const uint16_t dst_block, const uint8_t dst_repeat) {
  twin::issue(PIPE_V, "Duplicate", [=, lanes = twin::Lanes(mask)] {
    twin::map_lanes(dst, lanes, repeat, dst_block, dst_repeat, [=](uint32_t, uint32_t) { return value; });
  });
}

// The vendor's API also waits for S here: the first value is computed by it.
template <typename T> twin::OnlyArithmetic<T> CreateVecIndex(LocalTensor<T> dst, const T &first, uint32_t count) {
  twin::issue(PIPE_V, "CreateVecIndex", [=, start = twin::number(first)] {
    twin::map_elements(dst, count, [=](uint32_t i) { return static_cast<T>(start + i); });
  });
}

template <typename T>
twin::OnlyB16B32<T> Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t repeat,
                         const BrcbRepeatParams &params) {
  constexpr uint32_t block = twin::kBlock / sizeof(T);
  twin::issue(PIPE_V, "Brcb", [=] {
    for (uint32_t i = 0; i < repeat * 8u; ++i) {
      const T value = *twin::reads(src, i, 1);
      const uint32_t at = i / 8 * params.dstRepStride + i % 8 * params.dstBlkStride;
      twin::map_elements(dst[at * block], block, [=](uint32_t) { return value; });
    }
  });
}

// Byte offsets.
template <typename T>
twin::OnlyB16B32<T> Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
                           const uint32_t base, const uint32_t count) {
  twin::issue(PIPE_V, "Gather", [=] {
    const uint32_t *at = twin::reads(offset, 0, count, twin::kBlock);
    twin::map_elements(dst, count, [=](uint32_t i) { return *twin::reads(src, (base + at[i]) / sizeof(T), 1); });
  });
}
template <typename T>
twin::Only<T, uint16_t, uint32_t> Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                          const LocalTensor<uint32_t> &offset, const uint8_t repeat,
                                          const GatherRepeatParams &params) {
  constexpr uint32_t block = twin::kBlock / sizeof(T);
  twin::issue(PIPE_V, "Gatherb", [=] {
    for (uint32_t i = 0; i < repeat * 8u; ++i) {
      const T *from = twin::reads(src, *twin::reads(offset, i, 1) / sizeof(T), block, twin::kBlock);
      const uint32_t at = i / 8 * params.dstRepStride + i % 8 * params.dstBlkStride;
      twin::map_elements(dst[at * block], block, [=](uint32_t j) { return from[j]; });
    }
  });
}

namespace twin {

// The pattern is an unsigned integer of the element's width.
template <typename T, typename U>
using OnlyPattern = std::enable_if_t<(kOneOf<T, int16_t, uint16_t, half, bfloat16_t> && std::is_same_v<U, uint16_t>) ||
                                     (kOneOf<T, int32_t, uint32_t, float> && std::is_same_v<U, uint32_t>)>;

// What is kept lies together. A repeat covers mask elements where it counts, else 256 bytes.
template <typename T, typename Keeps>
void gather_kept(const LocalTensor<T> &dst, const LocalTensor<T> &src, bool counts, uint32_t mask,
                 const GatherMaskParams &params, const Keeps &keeps) {
  constexpr uint32_t block = kBlock / sizeof(T);
  const uint32_t lanes = counts ? mask : 8 * block;
  std::vector<T> kept;
  for (uint32_t i = 0; i < params.repeatTimes; ++i) {
    for (uint32_t lane = 0; lane < lanes; ++lane) {
      if (keeps(i, lane)) {
        kept.push_back(*lane_of(src, i, lane, params.src0BlockStride, params.src0RepeatStride));
      }
    }
  }
  map_elements(dst, static_cast<uint32_t>(kept.size()), [&](uint32_t i) { return kept[i]; });
}

// P0101, P1010, P0001, P0010, P0100, P1000, P1111.
inline bool in_pattern(uint8_t pattern, uint32_t lane) {
  return pattern == 7 || (pattern < 3 ? lane % 2 + 1 == pattern : lane % 4 + 3 == pattern);
}

// The counter comes from V, so S must wait before it reads it: until then it is no number of anything.
constexpr uint64_t kNoCount = ~0ULL;

} // namespace twin

template <typename T, typename U, GatherMaskMode mode = GatherMaskMode::VERSION_V2>
twin::OnlyPattern<T, U> GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                   const LocalTensor<U> &pattern, const bool counts, const uint32_t mask,
                                   const GatherMaskParams &params, uint64_t &kept) {
  kept = twin::kNoCount;
  twin::issue(PIPE_V, "GatherMask", [=] {
    constexpr uint32_t bits = 8 * sizeof(U);
    twin::gather_kept(dst, src, counts, mask, params, [&](uint32_t i, uint32_t lane) {
      const uint32_t word = i * params.src1RepeatStride * (twin::kBlock / sizeof(U)) + lane / bits;
      return (*twin::reads(pattern, word, 1) >> lane % bits & 1) != 0;
    });
  });
}
template <typename T, GatherMaskMode mode = GatherMaskMode::VERSION_V2>
twin::OnlyB16B32<T> GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t pattern,
                               const bool counts, const uint32_t mask, const GatherMaskParams &params,
                               uint64_t &kept) {
  kept = twin::kNoCount;
  twin::issue(PIPE_V, "GatherMask", [=] {
    const auto keeps = [=](uint32_t, uint32_t lane) { return twin::in_pattern(pattern, lane); };
    twin::gather_kept(dst, src, counts, mask, params, keeps);
  });
}

} // namespace AscendC

#endif // TL_ASCEND_TWIN_VECTOR_MOVE_H
