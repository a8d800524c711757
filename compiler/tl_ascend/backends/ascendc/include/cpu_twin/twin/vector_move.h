// SPDX-License-Identifier: Apache-2.0
// Vector instructions that fill, spread, collect, turn and sort, all on V.
#ifndef TL_ASCEND_TWIN_VECTOR_MOVE_H
#define TL_ASCEND_TWIN_VECTOR_MOVE_H

#include "tensor.h"

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
twin::OnlyB16B32<T> Duplicate(const LocalTensor<T> &dst, const T &value, const int32_t &count);
template <typename T, bool sets_mask = true>
twin::OnlyB16B32<T> Duplicate(const LocalTensor<T> &dst, const T &value, uint64_t mask[], const uint8_t repeat,
                              const uint16_t dst_block, const uint8_t dst_repeat);
template <typename T, bool sets_mask = true>
twin::OnlyB16B32<T> Duplicate(const LocalTensor<T> &dst, const T &value, uint64_t mask, const uint8_t repeat,
                              const uint16_t dst_block, const uint8_t dst_repeat);

// The vendor's API also waits for S here: the first value is computed by it.
template <typename T> twin::OnlyArithmetic<T> CreateVecIndex(LocalTensor<T> dst, const T &first, uint32_t count);

template <typename T>
twin::OnlyB16B32<T> Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t repeat,
                         const BrcbRepeatParams &params);

// Byte offsets.
template <typename T>
twin::OnlyB16B32<T> Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
                           const uint32_t base, const uint32_t count);
template <typename T>
twin::Only<T, uint16_t, uint32_t> Gatherb(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                          const LocalTensor<uint32_t> &offset, const uint8_t repeat,
                                          const GatherRepeatParams &params);

namespace twin {

// The pattern is an unsigned integer of the element's width.
template <typename T, typename U>
using OnlyPattern = std::enable_if_t<(kOneOf<T, int16_t, uint16_t, half, bfloat16_t> && std::is_same_v<U, uint16_t>) ||
                                     (kOneOf<T, int32_t, uint32_t, float> && std::is_same_v<U, uint32_t>)>;

} // namespace twin

template <typename T, typename U, GatherMaskMode mode = GatherMaskMode::VERSION_V2>
twin::OnlyPattern<T, U> GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                   const LocalTensor<U> &pattern, const bool counts, const uint32_t mask,
                                   const GatherMaskParams &params, uint64_t &kept);
template <typename T, GatherMaskMode mode = GatherMaskMode::VERSION_V2>
twin::OnlyB16B32<T> GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t pattern,
                               const bool counts, const uint32_t mask, const GatherMaskParams &params,
                               uint64_t &kept);

template <typename T>
twin::Only<T, half, int16_t, uint16_t> Transpose(const LocalTensor<T> &dst, const LocalTensor<T> &src);
template <typename T>
twin::Only<T, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float>
TransDataTo5HD(const LocalTensor<T> (&dst)[16], const LocalTensor<T> (&src)[16], const TransDataTo5HDParams &params);

template <typename T>
twin::OnlyFloating<T> Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &score,
                             const LocalTensor<uint32_t> &index, const int32_t repeat);
template <typename T>
twin::OnlyFloating<T> MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &info);

template <typename T>
twin::Only<T, half> BilinearInterpolation(const LocalTensor<T> &dst, const LocalTensor<T> &src0,
                                          const LocalTensor<uint32_t> &offset, const LocalTensor<T> &src1,
                                          uint64_t mask, uint8_t horizontal_repeat, bool repeat_mode,
                                          uint16_t dst_block, uint16_t vertical_offset, uint8_t vertical_repeat,
                                          const LocalTensor<uint8_t> &tmp);

} // namespace AscendC

#endif // TL_ASCEND_TWIN_VECTOR_MOVE_H
