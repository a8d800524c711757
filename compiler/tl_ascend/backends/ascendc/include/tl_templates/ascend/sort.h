// SPDX-License-Identifier: Apache-2.0
// Sorting: groups of 32 by Sort32, then up to four lists at a time by MrgSort. V.
//
// A sorted element is a pair of 8 bytes: the score in the low four, the index in the high four (page Sort32). Indices
// are generated as floats, so a sorted tensor of float reads value, index, value, index.
#ifndef TL_ASCEND_SORT_H
#define TL_ASCEND_SORT_H

#include "base.h"
#include "copy.h"

namespace tl::ascend {
namespace detail {

constexpr uint32_t kSortGroup = 32;

// Merges quarter the number of lists.
TL_DEVICE uint32_t merge_rounds(uint32_t lists) {
  uint32_t rounds = 0;
  for (; lists > 1; lists = ceil_div(lists, 4)) {
    ++rounds;
  }
  return rounds;
}

// -inf from element `from` up to `to`, where `to` ends a block. A vector call must start on a block, so the block that
// holds both kinds is written under a mask.
TL_DEVICE void pad_scores(const LocalTensor<float> &scores, uint32_t from, uint32_t to) {
  const float lowest = -CUDART_INF_F;
  const uint32_t block = from / kC0<float> * kC0<float>;
  const uint32_t next = ceil_to(from, kC0<float>);
  if (block != next) {
    uint64_t mask[2] = {(0xFFULL << (from - block)) & 0xFFULL, 0};
    AscendC::Duplicate<float>(scores[block], lowest, mask, 1, 1, 8);
  }
  if (next < to) {
    AscendC::Duplicate<float>(scores[next], lowest, static_cast<int32_t>(to - next));
  }
  vector_barrier();
}

// One round: lists of length pairs (the last may be shorter) in `from` become lists of 4 * length in `to`.
TL_DEVICE void merge_round(const LocalTensor<float> &to, const LocalTensor<float> &from, uint32_t length,
                           uint32_t total) {
  for (uint32_t start = 0; start < total; start += 4 * length) {
    const uint32_t pairs = smaller(total - start, 4 * length);
    const uint32_t lists = ceil_div(pairs, length);
    if (lists == 1) {
      AscendC::DataCopy(to[start * 2], from[start * 2], pairs * 2);
      continue;
    }
    AscendC::MrgSort4Info info;
    for (uint32_t list = 0; list < 4; ++list) {
      const uint32_t skipped = smaller(list * length, pairs);
      info.elementLengths[list] = static_cast<uint16_t>(smaller(pairs - skipped, length));
    }
    info.ifExhaustedSuspension = false;
    info.validBit = static_cast<uint16_t>((1U << lists) - 1);
    info.repeatTimes = 1;
    const uint32_t first = start * 2;
    const uint32_t step = length * 2;
    const AscendC::MrgSortSrcList<float> sources(from[first], from[first + step],
                                                 from[lists > 2 ? first + 2 * step : first],
                                                 from[lists > 3 ? first + 3 * step : first]);
    AscendC::MrgSort<float>(to[first], sources, info);
  }
  vector_barrier();
}

// Sorts groups * 32 scores. `start` and `other` hold twice as many floats each; the index lies in `other`. The result
// ends in `start` where merge_rounds(groups) is even, else in `other`.
TL_DEVICE void sort_scores(const LocalTensor<float> &start, const LocalTensor<float> &other,
                           const LocalTensor<float> &scores, const LocalTensor<float> &index, uint32_t groups) {
  for (uint32_t group = 0; group < groups; group += kMaxRepeat) {
    const uint32_t first = group * kSortGroup;
    AscendC::Sort32<float>(start[first * 2], scores[first], index[first].ReinterpretCast<uint32_t>(),
                           static_cast<int32_t>(smaller(groups - group, kMaxRepeat)));
  }
  vector_barrier();
  const uint32_t total = groups * kSortGroup;
  bool in_start = true;
  for (uint32_t length = kSortGroup; length < total; length *= 4) {
    merge_round(in_start ? other : start, in_start ? start : other, length, total);
    in_start = !in_start;
  }
}

TL_DEVICE void number_scores(const LocalTensor<float> &index, uint32_t count) {
  AscendC::ArithProgression<float>(index, 0.0f, 1.0f, static_cast<int32_t>(count));
  vector_barrier();
}

// Sorts halves as floats in work (eight elements of half per score) and returns where the pairs are. MrgSort would take
// half too, but its pair then spans four elements, not two.
TL_DEVICE LocalTensor<float> sort_halves(const LocalTensor<half> &src, const LocalTensor<half> &work, uint32_t groups,
                                         uint32_t valid) {
  const uint32_t count = groups * kSortGroup;
  const LocalTensor<float> start = work.ReinterpretCast<float>();
  const LocalTensor<float> other = start[2 * count];
  const LocalTensor<float> scores = other[count];
  AscendC::Cast(scores, src, AscendC::RoundMode::CAST_NONE, count);
  number_scores(other, count);
  if (valid < count) {
    pad_scores(scores, valid, count);
  }
  sort_scores(start, other, scores, other, groups);
  return merge_rounds(groups) % 2 == 0 ? start : other;
}

} // namespace detail

// dst = pairs (value, index) of src in descending order; 32 * repeatTimes elements, of which actualCount count.
// tmp: 2 elements per score for float, 8 for half. For float src is overwritten with -inf behind actualCount. V.
// Source: pages Sort32, MrgSort.
template <typename T>
TL_DEVICE void Sort(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &tmp,
                    const int32_t repeatTimes, const int32_t actualCount) {
  static_assert(detail::is_one_of<T, float, half>, "Sort: float or half");
  const uint32_t groups = static_cast<uint32_t>(repeatTimes);
  const uint32_t valid = static_cast<uint32_t>(actualCount);
  const uint32_t count = groups * detail::kSortGroup;
  if constexpr (std::is_same_v<T, half>) {
    const LocalTensor<float> sorted = detail::sort_halves(src, tmp, groups, valid);
    AscendC::Cast(dst, sorted, AscendC::RoundMode::CAST_RINT, 2 * count);
    detail::vector_barrier();
  } else {
    const bool even = detail::merge_rounds(groups) % 2 == 0;
    const LocalTensor<float> start = even ? dst : tmp;
    const LocalTensor<float> other = even ? tmp : dst;
    detail::number_scores(other, count);
    if (valid < count) {
      detail::pad_scores(src, valid, count);
    }
    detail::sort_scores(start, other, src, other, groups);
  }
}

// dst = the first K pairs of Sort. tmp: 4 elements per score for float, 8 for half. V.
template <typename T>
TL_DEVICE void TopK(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &tmp, const int32_t K,
                    const int32_t repeatTimes, const int32_t actualCount) {
  static_assert(detail::is_one_of<T, float, half>, "TopK: float or half");
  const uint32_t groups = static_cast<uint32_t>(repeatTimes);
  const uint32_t wanted = 2 * static_cast<uint32_t>(K);
  if constexpr (std::is_same_v<T, half>) {
    const LocalTensor<float> sorted = detail::sort_halves(src, tmp, groups, static_cast<uint32_t>(actualCount));
    AscendC::Cast(dst, sorted, AscendC::RoundMode::CAST_RINT, wanted);
  } else {
    const LocalTensor<float> sorted = tmp;
    Sort<float>(sorted, src, tmp[2 * groups * detail::kSortGroup], repeatTimes, actualCount);
    detail::vector_barrier();
    detail::copy_run<float>(dst, sorted, wanted);
  }
  detail::vector_barrier();
}

namespace detail {

// One MrgSort of two to four lists of pairs.
template <typename T>
TL_DEVICE void merge_lists(const LocalTensor<T> &dst, const AscendC::MrgSortSrcList<T> &sources, uint32_t length0,
                           uint32_t length1, uint32_t length2, uint32_t length3, uint16_t valid) {
  static_assert(std::is_same_v<T, float>, "MergeSort: float (a pair of half spans four elements)");
  AscendC::MrgSort4Info info;
  info.elementLengths[0] = static_cast<uint16_t>(length0);
  info.elementLengths[1] = static_cast<uint16_t>(length1);
  info.elementLengths[2] = static_cast<uint16_t>(length2);
  info.elementLengths[3] = static_cast<uint16_t>(length3);
  info.ifExhaustedSuspension = false;
  info.validBit = valid;
  info.repeatTimes = 1;
  AscendC::MrgSort<T>(dst, sources, info);
  vector_barrier();
}

} // namespace detail

// Merges two, three or four sorted lists of pairs; lengths count pairs. tmp is not used (the other route needs it). V.
// Source: page MrgSort.
template <typename T>
TL_DEVICE void MergeSort(const LocalTensor<T> &dst, [[maybe_unused]] const LocalTensor<uint8_t> &tmp,
                         const LocalTensor<T> &src0, const LocalTensor<T> &src1, uint32_t blockLen0,
                         uint32_t blockLen1) {
  detail::merge_lists<T>(dst, AscendC::MrgSortSrcList<T>(src0, src1, src0, src0), blockLen0, blockLen1, 0, 0, 3);
}

template <typename T>
TL_DEVICE void MergeSort(const LocalTensor<T> &dst, [[maybe_unused]] const LocalTensor<uint8_t> &tmp,
                         const LocalTensor<T> &src0, const LocalTensor<T> &src1, const LocalTensor<T> &src2,
                         uint32_t blockLen0, uint32_t blockLen1, uint32_t blockLen2) {
  detail::merge_lists<T>(dst, AscendC::MrgSortSrcList<T>(src0, src1, src2, src0), blockLen0, blockLen1, blockLen2, 0,
                         7);
}

template <typename T>
TL_DEVICE void MergeSort(const LocalTensor<T> &dst, [[maybe_unused]] const LocalTensor<uint8_t> &tmp,
                         const LocalTensor<T> &src0, const LocalTensor<T> &src1, const LocalTensor<T> &src2,
                         const LocalTensor<T> &src3, uint32_t blockLen0, uint32_t blockLen1, uint32_t blockLen2,
                         uint32_t blockLen3) {
  detail::merge_lists<T>(dst, AscendC::MrgSortSrcList<T>(src0, src1, src2, src3), blockLen0, blockLen1, blockLen2,
                         blockLen3, 15);
}

// Fills count elements with empty pairs (-inf, -1), so that what is not loaded sorts last. V.
// Source: page Duplicate, mask per lane: even lanes hold scores, odd lanes indices.
template <typename T>
TL_DEVICE void InitSortBuf(const LocalTensor<T> &buffer, int64_t count, [[maybe_unused]] int64_t rsv = 0) {
  static_assert(sizeof(T) == 4, "InitSortBuf: 32-bit elements");
  constexpr uint32_t kLanes = detail::kRepeatBytes / 4;
  constexpr int32_t kLowest = static_cast<int32_t>(0xFF800000U);
  const LocalTensor<int32_t> words = buffer.template ReinterpretCast<int32_t>();
  const uint32_t total = static_cast<uint32_t>(count);
  for (uint32_t done = 0; done < total;) {
    const uint32_t whole = (total - done) / kLanes;
    const uint32_t repeats = whole == 0 ? 1 : detail::smaller(whole, detail::kMaxRepeat);
    const uint64_t live = whole == 0 ? (1ULL << (total - done)) - 1 : ~0ULL;
    uint64_t scores[2] = {live & 0x5555555555555555ULL, 0};
    uint64_t indices[2] = {live & 0xAAAAAAAAAAAAAAAAULL, 0};
    AscendC::Duplicate<int32_t>(words[done], kLowest, scores, static_cast<uint8_t>(repeats), 1, 8);
    AscendC::Duplicate<int32_t>(words[done], -1, indices, static_cast<uint8_t>(repeats), 1, 8);
    done += whole == 0 ? total - done : repeats * kLanes;
  }
  detail::vector_barrier();
}

} // namespace tl::ascend

#endif // TL_ASCEND_SORT_H
