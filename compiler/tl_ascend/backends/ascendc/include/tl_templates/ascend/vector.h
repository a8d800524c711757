// SPDX-License-Identifier: Apache-2.0
// Vector templates other than reductions and sorting. All on V unless said otherwise.
#ifndef TL_ASCEND_VECTOR_H
#define TL_ASCEND_VECTOR_H

#include "base.h"

namespace tl::ascend {

// Sets count elements. Source: page Duplicate.
template <typename T> TL_DEVICE void Fill(const LocalTensor<T> &dst, const T &value, const int32_t &count) {
  detail::duplicate<T>(dst, value, static_cast<uint32_t>(count));
}

// dst[i] = first + i * diff. V and S. Source: page Arange, by its older name.
template <typename T>
TL_DEVICE void ArithProgression(const LocalTensor<T> &dst, const T firstValue, const T diffValue,
                                const int32_t count) {
  AscendC::ArithProgression<T>(dst, firstValue, diffValue, count);
}

// Stretches axis (0: rows, 1: columns) of src to dst's shape. Source: page Broadcast and the page of its tmp size.
// The shapes are arrays of dim elements, so that a compound literal may be passed.
template <typename T, int32_t dim, int32_t axis, bool isReuseSource = false>
TL_DEVICE void Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
                         const uint32_t (&dstShape)[dim], const uint32_t (&srcShape)[dim]) {
  static_assert(dim == 1 || dim == 2, "Broadcast: one or two dimensions");
  LocalTensor<uint8_t> scratch = tmp;
  AscendC::Broadcast<T, dim, axis, isReuseSource>(dst, src, dstShape, srcShape, scratch);
}

// min(src, limit), max(src, limit) and both. Source: pages Mins and Maxs, which also take integers and may work in
// place; tmp is accepted for the sake of the interface.
template <typename T>
TL_DEVICE void ClampMax(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                        [[maybe_unused]] const LocalTensor<uint8_t> &tmp, const T limit, const int32_t count) {
  AscendC::Mins(dst, src, limit, count);
}

template <typename T>
TL_DEVICE void ClampMin(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                        [[maybe_unused]] const LocalTensor<uint8_t> &tmp, const T limit, const int32_t count) {
  AscendC::Maxs(dst, src, limit, count);
}

template <typename T>
TL_DEVICE void Clamp(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                     [[maybe_unused]] const LocalTensor<uint8_t> &tmp, const T low, const T high,
                     const int32_t count) {
  AscendC::Maxs(dst, src, low, count);
  detail::vector_barrier();
  AscendC::Mins(dst, dst, high, count);
}

namespace detail {

// Transposes whole blocks: 16 rows give, per source block of C0 columns, C0 rows of 16 elements. Each repeat advances
// one block in src and C0 rows in dst (page TransDataTo5HD: 16-bit elements leave one target block per column, 32-bit
// ones two).
template <typename T, uint32_t M, uint32_t N>
TL_DEVICE void transpose_blocks(const LocalTensor<T> &dst, const LocalTensor<T> &src) {
  constexpr uint32_t kCols = kC0<T>;
  constexpr uint32_t kPerColumn = 16 / kCols;
  for (uint32_t row = 0; row < M; row += 16) {
    for (uint32_t col = 0; col < N; col += kMaxRepeat * kCols) {
      const uint32_t repeats = smaller((N - col) / kCols, kMaxRepeat);
      LocalTensor<T> from[16];
      LocalTensor<T> to[16];
      for (uint32_t i = 0; i < 16; ++i) {
        from[i] = src[(row + i) * N + col];
        to[i] = dst[(col + i / kPerColumn) * M + row + i % kPerColumn * kCols];
      }
      AscendC::TransDataTo5HDParams params;
      params.dstHighHalf = false;
      params.srcHighHalf = false;
      params.repeatTimes = static_cast<uint8_t>(repeats);
      params.dstRepStride = static_cast<uint16_t>(repeats == 1 ? 0 : M);
      params.srcRepStride = static_cast<uint16_t>(repeats == 1 ? 0 : 1);
      AscendC::TransDataTo5HD<T>(to, from, params);
    }
  }
}

} // namespace detail

// dst (N x M) = src (M x N) transposed, both dense. V for 16- and 32-bit elements in whole blocks; other shapes go
// element by element on S, between barriers.
template <typename T, uint32_t M = 16, uint32_t N = 16>
TL_DEVICE void transpose(LocalTensor<T> const &dst, LocalTensor<T> const &src) {
  if constexpr ((sizeof(T) == 2 || sizeof(T) == 4) && M % 16 == 0 && N % detail::kC0<T> == 0) {
    using Bits = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
    detail::transpose_blocks<Bits, M, N>(dst.template ReinterpretCast<Bits>(), src.template ReinterpretCast<Bits>());
  } else {
    AscendC::PipeBarrier<PIPE_ALL>();
    for (uint32_t row = 0; row < M; ++row) {
      for (uint32_t col = 0; col < N; ++col) {
        dst.SetValue(col * M + row, src.GetValue(row * N + col));
      }
    }
    AscendC::PipeBarrier<PIPE_ALL>();
  }
}

namespace detail {

// Collects the elements of src under a pattern, whole tensor, no mask (page GatherMask, normal mode).
template <typename T, typename Pattern>
TL_DEVICE void gather_mask(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Pattern &pattern) {
  AscendC::GatherMaskParams params;
  params.repeatTimes = static_cast<uint16_t>(ceil_div(src.GetSize() * sizeof(T), kRepeatBytes));
  params.src0BlockStride = 1;
  params.src0RepeatStride = 8;
  params.src1RepeatStride = 0;
  uint64_t kept = 0;
  AscendC::GatherMask(dst, src, pattern, false, static_cast<uint32_t>(0), params, kept);
}

} // namespace detail

// Built-in pattern 1..7 (P0101, P1010, P0001, P0010, P0100, P1000, P1111).
template <typename T>
TL_DEVICE void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint8_t src1Pattern) {
  detail::gather_mask<T, uint8_t>(dst, src, src1Pattern);
  detail::vector_barrier();
}

// Bits of a tensor as pattern, the same bits in every repeat.
template <typename T, typename U>
TL_DEVICE void GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<U> &src1Pattern) {
  detail::gather_mask<T, LocalTensor<U>>(dst, src, src1Pattern);
}

template <typename T, typename U>
TL_DEVICE void GatherMask_experiment(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                                     const LocalTensor<U> &src1Pattern, const bool reduceMode, const uint32_t mask,
                                     const uint32_t src0BlockStride, const uint32_t repeatTimes,
                                     const uint32_t src0RepeatStride, const uint32_t src1RepeatStride,
                                     uint64_t rsvdCnt) {
  const AscendC::GatherMaskParams params(static_cast<uint8_t>(src0BlockStride), static_cast<uint16_t>(repeatTimes),
                                         static_cast<uint16_t>(src0RepeatStride),
                                         static_cast<uint8_t>(src1RepeatStride));
  AscendC::GatherMask(dst, src0, src1Pattern, reduceMode, mask, params, rsvdCnt);
}

// dst[i] = src[index[i]]. The instruction wants byte offsets (page Gather): the index is shifted up in place and back.
template <typename T>
TL_DEVICE void Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &index) {
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "Gather: 16- and 32-bit elements");
  constexpr uint32_t kShift = sizeof(T) == 2 ? 1 : 2;
  const uint32_t count = index.GetSize();
  AscendC::ShiftLeft(index, index, kShift, static_cast<int32_t>(count));
  detail::vector_barrier();
  AscendC::Gather(dst, src, index, static_cast<uint32_t>(0), count);
  detail::vector_barrier();
  AscendC::ShiftRight(index, index, kShift, static_cast<int32_t>(count));
  detail::vector_barrier();
}

// Collects 32-byte blocks at byte offsets, eight a repeat. Source: page Gatherb (uint16 and uint32 only, so any type
// travels as words).
template <typename T>
TL_DEVICE void Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<uint32_t> &offset,
                       uint8_t repeat_time, uint8_t dst_blk_stride, uint8_t dst_rep_stride) {
  const AscendC::GatherRepeatParams params(dst_blk_stride, dst_rep_stride);
  AscendC::Gatherb(dst.template ReinterpretCast<uint32_t>(), src0.template ReinterpretCast<uint32_t>(), offset,
                   repeat_time, params);
  detail::vector_barrier();
}

// Spreads eight elements a repeat, each over one block. Source: page Brcb.
template <typename T>
TL_DEVICE void brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const uint8_t repeatTime,
                    const uint16_t dstBlkStride, const uint16_t dstRepStride) {
  AscendC::Brcb<T>(dst, src0, repeatTime, AscendC::BrcbRepeatParams(dstBlkStride, dstRepStride));
}

// Binary operations with lane mask and strides. Source: pages Mul, Sub, Div, sliced form.
template <typename T>
TL_DEVICE void mul_mask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                        const uint64_t mask0, const uint64_t mask1, const uint8_t repeatTime,
                        const uint8_t dstBlkStride, const uint8_t src0BlkStride, const uint8_t src1BlkStride,
                        const uint8_t dstRepStride, const uint8_t src0RepStride, const uint8_t src1RepStride) {
  uint64_t mask[2] = {mask0, mask1};
  AscendC::Mul<T>(dst, src0, src1, mask, repeatTime,
                  AscendC::BinaryRepeatParams(dstBlkStride, src0BlkStride, src1BlkStride, dstRepStride, src0RepStride,
                                              src1RepStride));
}

template <typename T>
TL_DEVICE void sub_mask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                        const uint64_t mask0, const uint64_t mask1, const uint8_t repeatTime,
                        const uint8_t dstBlkStride, const uint8_t src0BlkStride, const uint8_t src1BlkStride,
                        const uint8_t dstRepStride, const uint8_t src0RepStride, const uint8_t src1RepStride) {
  uint64_t mask[2] = {mask0, mask1};
  AscendC::Sub<T>(dst, src0, src1, mask, repeatTime,
                  AscendC::BinaryRepeatParams(dstBlkStride, src0BlkStride, src1BlkStride, dstRepStride, src0RepStride,
                                              src1RepStride));
}

template <typename T>
TL_DEVICE void div_mask(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                        const uint64_t mask0, const uint64_t mask1, const uint8_t repeatTime,
                        const uint8_t dstBlkStride, const uint8_t src0BlkStride, const uint8_t src1BlkStride,
                        const uint8_t dstRepStride, const uint8_t src0RepStride, const uint8_t src1RepStride) {
  uint64_t mask[2] = {mask0, mask1};
  AscendC::Div<T>(dst, src0, src1, mask, repeatTime,
                  AscendC::BinaryRepeatParams(dstBlkStride, src0BlkStride, src1BlkStride, dstRepStride, src0RepStride,
                                              src1RepStride));
}

// Duplicate with a lane mask; 64 lanes are reachable. Source: page Duplicate, sliced form.
template <typename T>
TL_DEVICE void Fill_experiment(const LocalTensor<T> &dst, const T &value, uint64_t mask0, const uint8_t repeatTime,
                               const uint16_t dstBlockStride, const uint8_t dstRepeatStride) {
  uint64_t mask[2] = {mask0, 0};
  AscendC::Duplicate<T>(dst, value, mask, repeatTime, dstBlockStride, dstRepeatStride);
}

// Sums of outter rows of n elements, inner apart. Source: page Sum.
template <typename T>
TL_DEVICE void Sum_experiment(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t outter,
                              const uint32_t inner, const uint32_t n) {
  AscendC::SumParams params;
  params.outter = outter;
  params.inner = inner;
  params.n = n;
  AscendC::Sum(dst, src, params);
}

} // namespace tl::ascend

#endif // TL_ASCEND_VECTOR_H
