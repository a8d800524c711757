// SPDX-License-Identifier: Apache-2.0
// Vector instructions that turn and sort, all on V.
#ifndef TL_ASCEND_TWIN_VECTOR_SORT_H
#define TL_ASCEND_TWIN_VECTOR_SORT_H

#include "lanes.h"

#include <algorithm>
#include <utility>

namespace AscendC {

struct TransDataTo5HDParams {
  bool dstHighHalf = false;
  bool srcHighHalf = false;
  uint8_t repeatTimes = 1;
  uint16_t dstRepStride = 0;
  uint16_t srcRepStride = 0;
};

// Lengths count pairs of 8 bytes.
struct MrgSort4Info {
  uint16_t elementLengths[4] = {0, 0, 0, 0};
  bool ifExhaustedSuspension = false;
  uint16_t validBit = 0;
  uint8_t repeatTimes = 1;
};

template <typename T> struct MrgSortSrcList {
  MrgSortSrcList() = default;
  MrgSortSrcList(const LocalTensor<T> &list1, const LocalTensor<T> &list2, const LocalTensor<T> &list3,
                 const LocalTensor<T> &list4)
      : src1(list1), src2(list2), src3(list3), src4(list4) {}
  LocalTensor<T> src1;
  LocalTensor<T> src2;
  LocalTensor<T> src3;
  LocalTensor<T> src4;
};

template <typename T>
twin::Only<T, half, int16_t, uint16_t> Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src) {
  twin::issue(PIPE_V, "Transpose", [=] {
    const T *from = twin::reads(src, 0, 256, twin::kBlock);
    const std::vector<T> values(from, from + 256);
    twin::map_elements(dst, 256, [&](uint32_t i) { return values[i % 16 * 16 + i / 16]; });
  });
}

namespace twin {

template <typename T> struct Sixteen {
  explicit Sixteen(const LocalTensor<T> (&list)[16]) { std::copy_n(list, 16, tensors); }
  LocalTensor<T> tensors[16];
};

// 16 rows of one block each; every column of 16 elements fills one or two target blocks.
template <typename T>
void turn_blocks(const Sixteen<T> &dst, const Sixteen<T> &src, const TransDataTo5HDParams &params) {
  constexpr uint32_t block = kBlock / sizeof(T);
  if (sizeof(T) == 1) {
    fail("TransDataTo5HD: 8-bit elements are not modelled");
  }
  for (uint32_t i = 0; i < params.repeatTimes; ++i) {
    std::vector<T> values;
    for (const LocalTensor<T> &row : src.tensors) {
      const T *from = reads(row, static_cast<uint64_t>(i) * params.srcRepStride * block, block, kBlock);
      values.insert(values.end(), from, from + block);
    }
    for (uint32_t part = 0; part < 16; ++part) {
      T *to = writes(dst.tensors[part], static_cast<uint64_t>(i) * params.dstRepStride * block, block, kBlock);
      for (uint32_t j = 0; j < block; ++j) {
        const uint32_t place = part * block + j;
        to[j] = values[place % 16 * block + place / 16];
      }
    }
  }
}

// A pair of 8 bytes: the score in the low ones, the index in the high four. What lies between a half and its index is
// reserved (page Sort32); upstream's test of sort32 on devices finds 0 there.
template <typename T> using Pair = std::pair<T, uint32_t>;
template <typename T> Pair<T> pair_at(const LocalTensor<T> &list, uint32_t at) {
  const uint8_t *place = reads(list.template ReinterpretCast<uint8_t>(), static_cast<uint64_t>(at) * 8, 8, 8);
  Pair<T> found{};
  move_bytes(&found.first, place, sizeof(T));
  move_bytes(&found.second, place + 4, 4);
  return found;
}
template <typename T> void put_pairs(const LocalTensor<T> &dst, const std::vector<Pair<T>> &pairs) {
  uint8_t *place = writes(dst.template ReinterpretCast<uint8_t>(), 0, pairs.size() * 8, kBlock);
  for (const Pair<T> &pair : pairs) {
    const uint32_t reserved = 0;
    move_bytes(place, &reserved, 4);
    move_bytes(place, &pair.first, sizeof(T));
    move_bytes(place + 4, &pair.second, 4);
    place += 8;
  }
}

// Operands start on blocks of 32 bytes: so say the parameters on the page Sort32 and the page of the instruction itself.
// That each repeat takes 128 bytes and writes 256 is how far a repeat moves on.
template <typename T>
void sort_groups(const LocalTensor<T> &dst, const LocalTensor<T> &score, const LocalTensor<uint32_t> &index,
                 uint32_t groups) {
  const T *scores = reads(score, 0, groups * 32, kBlock);
  const uint32_t *numbers = reads(index, 0, groups * 32, kBlock);
  std::vector<Pair<T>> pairs;
  for (uint32_t i = 0; i < groups * 32; ++i) {
    pairs.emplace_back(scores[i], numbers[i]);
  }
  for (uint32_t group = 0; group < groups; ++group) {
    const auto first = pairs.begin() + group * 32;
    std::stable_sort(first, first + 32, [](const Pair<T> &a, const Pair<T> &b) { return a.first > b.first; });
  }
  put_pairs(dst, pairs);
}

template <typename T> struct List {
  LocalTensor<T> pairs;
  uint32_t length, taken;
};
template <typename T> void merge(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &info) {
  std::vector<List<T>> lists;
  const LocalTensor<T> *all[4] = {&src.src1, &src.src2, &src.src3, &src.src4};
  for (uint32_t i = 0; i < 4; ++i) {
    if ((info.validBit >> i & 1) != 0) {
      lists.push_back({*all[i], info.elementLengths[i], 0});
    }
    if (info.elementLengths[i] > 4095) {
      fail("MrgSort: a list of more than 4095 pairs");
    }
  }
  std::vector<Pair<T>> merged;
  for (;;) {
    List<T> *best = nullptr;
    for (List<T> &list : lists) {
      const bool left = list.taken < list.length;
      if (left && (best == nullptr ||
                   pair_at(list.pairs, list.taken).first > pair_at(best->pairs, best->taken).first)) {
        best = &list;
      }
    }
    if (best == nullptr) {
      break;
    }
    merged.push_back(pair_at(best->pairs, best->taken++));
  }
  put_pairs(dst, merged);
}

} // namespace twin

template <typename T>
twin::Only<T, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float>
TransDataTo5HD(const LocalTensor<T> (&dst)[16], const LocalTensor<T> (&src)[16], const TransDataTo5HDParams &params) {
  twin::issue(PIPE_V, "TransDataTo5HD", [to = twin::Sixteen<T>(dst), from = twin::Sixteen<T>(src), params] {
    twin::turn_blocks(to, from, params);
  });
}

template <typename T>
twin::OnlyFloating<T> Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &score,
                             const LocalTensor<uint32_t> &index, const int32_t repeat) {
  twin::issue(PIPE_V, "Sort32", [=] { twin::sort_groups(dst, score, index, twin::repeats(repeat)); });
}
template <typename T>
twin::OnlyFloating<T> MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &info) {
  twin::issue(PIPE_V, "MrgSort", [=] { twin::merge(dst, src, info); });
}

namespace twin {

// Blocks that offsets select, times a weight for each step or for each block, added over the steps of a
// line. Scratch holds the blocks, then each weight as a block.
template <typename T>
void blend(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
           const LocalTensor<T> &weight, const LocalTensor<T> &scratch, uint32_t lanes, uint32_t across, uint32_t down,
           bool by_block, uint32_t apart, uint32_t line_step) {
  constexpr uint32_t block = kBlock / sizeof(T), all = 8 * block;
  std::vector<T> sums(down * all);
  for (uint32_t step = 0; step < across * down; ++step) {
    for (uint32_t lane = 0; lane < all; ++lane) {
      const uint32_t from = step * 8 + lane / block;
      const T *part = reads(src, *reads(offset, from, 1) / sizeof(T), block, kBlock);
      const T product = static_cast<T>(wide(part[lane % block]) * wide(*reads(weight, by_block ? from : step, 1)));
      T &sum = sums[step / across * all + lane];
      sum = step % across == 0 ? product : static_cast<T>(wide(sum) + wide(product));
    }
  }
  map_elements(scratch, across * down * all + weight.GetSize() / 8 * all, [](uint32_t) { return T(0); });
  for (uint32_t line = 0; line < down; ++line) {
    for (uint32_t one = 0; one * block < lanes; ++one) {
      const T *from = &sums[line * all + one * block];
      map_elements(dst[line * line_step + one * apart * block], std::min(block, lanes - one * block),
                   [=](uint32_t i) { return from[i]; });
    }
  }
}

} // namespace twin

template <typename T>
twin::Only<T, half> BilinearInterpolation(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                                          const LocalTensor<uint32_t> &src0Offset, const LocalTensor<T> &src1,
                                          uint64_t mask, uint8_t hRepeat, bool repeatMode, uint16_t dstBlkStride,
                                          uint16_t vROffset, uint8_t vRepeat,
                                          const LocalTensor<uint8_t> &sharedTmpBuffer) {
  const auto scratch = sharedTmpBuffer.template ReinterpretCast<T>();
  twin::issue(PIPE_V, "BilinearInterpolation", [=, lanes = static_cast<uint32_t>(mask)] {
    twin::blend(dst, src0, src0Offset, src1, scratch, lanes, hRepeat, vRepeat, repeatMode, dstBlkStride, vROffset);
  });
}

} // namespace AscendC

#endif // TL_ASCEND_TWIN_VECTOR_SORT_H
