// SPDX-License-Identifier: Apache-2.0
// Reduction instructions, all on V; half and float on A2/A3.
#ifndef TL_ASCEND_TWIN_VECTOR_REDUCE_H
#define TL_ASCEND_TWIN_VECTOR_REDUCE_H

#include "vector_arith.h"

namespace AscendC {
namespace twin {

enum class Join : uint8_t { kSum, kMax, kMin };

// One result of some numbers, and where it was first.
struct Joined {
  Join how;
  double value = 0;
  uint32_t at = 0, seen = 0;
  void take(double more) {
    const bool better = seen == 0 || std::isnan(more) || (how == Join::kMax ? more > value : more < value);
    at = how != Join::kSum && better ? seen : at;
    value = how == Join::kSum ? value + more : better ? more : value;
    ++seen;
  }
};

template <typename T>
Joined join_lanes(Join how, const LocalTensor<T> &src, uint32_t i, uint32_t first, uint32_t last, int32_t block_stride,
                  int32_t repeat_stride) {
  Joined joined{how};
  for (uint32_t lane = first; lane < last; ++lane) {
    joined.take(number(*lane_of(src, i, lane, static_cast<uint32_t>(block_stride),
                                static_cast<uint32_t>(repeat_stride))));
  }
  return joined;
}

template <typename T> uint32_t lanes_of(int32_t mask) {
  if (mask < 0 || mask > static_cast<int32_t>(8 * kBlock / sizeof(T))) {
    fail("more lanes than a repeat has");
  }
  return static_cast<uint32_t>(mask);
}

// A place as an element: indices are integers of the element's width.
template <typename T> T index_as(uint32_t index) {
  T value;
  const std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t> bits = static_cast<decltype(bits)>(index);
  move_bytes(&value, &bits, sizeof(T));
  return value;
}

// One result a repeat, or a pair with its place.
template <typename T>
void reduce_whole(Join how, const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t mask, int32_t repeat,
                  int32_t dst_repeat, int32_t src_block, int32_t src_repeat, ReduceOrder order) {
  const bool pairs = order == ReduceOrder::ORDER_VALUE_INDEX || order == ReduceOrder::ORDER_INDEX_VALUE;
  for (uint32_t i = 0; i < repeats(repeat); ++i) {
    const Joined joined = join_lanes(how, src, i, 0, lanes_of<T>(mask), src_block, src_repeat);
    const T value = static_cast<T>(joined.value), place = index_as<T>(joined.at);
    T *to = writes(dst, static_cast<uint64_t>(i) * static_cast<uint32_t>(dst_repeat) * (pairs ? 2 : 1), pairs ? 2 : 1);
    to[0] = order == ReduceOrder::ORDER_ONLY_INDEX || order == ReduceOrder::ORDER_INDEX_VALUE ? place : value;
    if (pairs) {
      to[1] = order == ReduceOrder::ORDER_VALUE_INDEX ? place : value;
    }
  }
}

// One result a block, the eight of a repeat side by side.
template <typename T>
void reduce_blocks(Join how, const LocalTensor<T> &dst, const LocalTensor<T> &src, int32_t repeat, int32_t mask,
                   int32_t dst_repeat, int32_t src_block, int32_t src_repeat) {
  constexpr uint32_t block = kBlock / sizeof(T);
  const uint32_t lanes = lanes_of<T>(mask);
  for (uint32_t i = 0; i < repeats(repeat); ++i) {
    for (uint32_t part = 0; part * block < lanes; ++part) {
      const uint32_t last = (part + 1) * block < lanes ? (part + 1) * block : lanes;
      const Joined joined = join_lanes(how, src, i, part * block, last, src_block, src_repeat);
      *writes(dst, static_cast<uint64_t>(i) * static_cast<uint32_t>(dst_repeat) * 8 + part, 1) =
          static_cast<T>(joined.value);
    }
  }
}

// One result of all: value, then place if asked.
template <typename T>
void reduce_all(Join how, const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, bool with_index) {
  const T *from = reads(src, 0, count, kBlock);
  Joined joined{how};
  for (uint32_t i = 0; i < count; ++i) {
    joined.take(number(from[i]));
  }
  T *to = writes(dst, 0, with_index ? 2 : 1);
  to[0] = static_cast<T>(joined.value);
  if (with_index) {
    to[1] = index_as<T>(joined.at);
  }
}

} // namespace twin

// One result per repeat.
#define TWIN_WHOLE(name, how)                                                                                          \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::OnlyFloating<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t mask,                 \
                             const int32_t repeat, const int32_t dst_repeat, const int32_t src_block,                  \
                             const int32_t src_repeat, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX) {           \
    twin::issue(PIPE_V, #name, [=] {                                                                                   \
      twin::reduce_whole(twin::Join::how, dst, src, mask, repeat, dst_repeat, src_block, src_repeat, order);           \
    });                                                                                                                \
  }

TWIN_WHOLE(WholeReduceMax, kMax)
TWIN_WHOLE(WholeReduceMin, kMin)
#undef TWIN_WHOLE

template <typename T, bool sets_mask = true>
twin::OnlyFloating<T> WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t mask,
                                     const int32_t repeat, const int32_t dst_repeat, const int32_t src_block,
                                     const int32_t src_repeat) {
  twin::issue(PIPE_V, "WholeReduceSum", [=] {
    twin::reduce_whole(twin::Join::kSum, dst, src, mask, repeat, dst_repeat, src_block, src_repeat,
                       ReduceOrder::ORDER_ONLY_VALUE);
  });
}

// One result per block; here the repeats come before the mask.
#define TWIN_BLOCK(name, how)                                                                                          \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::OnlyFloating<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeat,               \
                             const int32_t mask, const int32_t dst_repeat, const int32_t src_block,                    \
                             const int32_t src_repeat) {                                                               \
    twin::issue(PIPE_V, #name, [=] {                                                                                   \
      twin::reduce_blocks(twin::Join::how, dst, src, repeat, mask, dst_repeat, src_block, src_repeat);                 \
    });                                                                                                                \
  }

TWIN_BLOCK(BlockReduceSum, kSum)
TWIN_BLOCK(BlockReduceMax, kMax)
TWIN_BLOCK(BlockReduceMin, kMin)
#undef TWIN_BLOCK

// One result for all; tmp has the element type.
template <typename T, bool sets_mask = true>
twin::OnlyFloating<T> ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &,
                                const int32_t count) {
  twin::issue(PIPE_V, "ReduceSum",
              [=] { twin::reduce_all(twin::Join::kSum, dst, src, static_cast<uint32_t>(count), false); });
}
template <typename T>
twin::OnlyFloating<T> ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &,
                                const int32_t mask, const int32_t repeat, const int32_t src_repeat) {
  twin::issue(PIPE_V, "ReduceSum", [=] {
    double sum = 0;
    for (uint32_t i = 0; i < twin::repeats(repeat); ++i) {
      sum += twin::join_lanes(twin::Join::kSum, src, i, 0, twin::lanes_of<T>(mask), 1, src_repeat).value;
    }
    *twin::writes(dst, 0, 1) = static_cast<T>(sum);
  });
}
template <typename T>
twin::OnlyFloating<T> ReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &,
                                const int32_t count, bool with_index = false) {
  twin::issue(PIPE_V, "ReduceMax",
              [=] { twin::reduce_all(twin::Join::kMax, dst, src, static_cast<uint32_t>(count), with_index); });
}
template <typename T>
twin::OnlyFloating<T> ReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &,
                                const int32_t count, bool with_index = false) {
  twin::issue(PIPE_V, "ReduceMin",
              [=] { twin::reduce_all(twin::Join::kMin, dst, src, static_cast<uint32_t>(count), with_index); });
}

} // namespace AscendC

#endif // TL_ASCEND_TWIN_VECTOR_REDUCE_H
