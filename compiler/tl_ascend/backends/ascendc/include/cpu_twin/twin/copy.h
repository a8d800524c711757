// SPDX-License-Identifier: Apache-2.0
// Transfers. Pipe: MTE2 from GM, MTE3 to GM, V within UB, by the positions of the tensors.
#ifndef TL_ASCEND_TWIN_COPY_H
#define TL_ASCEND_TWIN_COPY_H

#include "tensor.h"

namespace AscendC {

// Lengths and gaps in 32-byte blocks.
struct DataCopyParams {
  DataCopyParams() = default;
  DataCopyParams(uint16_t count, uint16_t length, uint16_t source_gap, uint16_t target_gap)
      : blockCount(count), blockLen(length), srcStride(source_gap), dstStride(target_gap) {}
  uint16_t blockCount = 1;
  uint16_t blockLen = 0;
  uint16_t srcStride = 0;
  uint16_t dstStride = 0;
};

// Length in bytes; gaps in bytes on the GM side, in blocks on the UB side.
struct DataCopyExtParams {
  DataCopyExtParams() = default;
  DataCopyExtParams(uint16_t count, uint32_t length, uint32_t source_gap, uint32_t target_gap, uint32_t reserved)
      : blockCount(count), blockLen(length), srcStride(source_gap), dstStride(target_gap), rsv(reserved) {}
  uint16_t blockCount = 1;
  uint32_t blockLen = 0;
  uint32_t srcStride = 0;
  uint32_t dstStride = 0;
  uint32_t rsv = 0;
};

// Elements to add left and right of each row, at most 32 bytes a side.
template <typename T> struct DataCopyPadExtParams {
  DataCopyPadExtParams() = default;
  DataCopyPadExtParams(bool pads, uint8_t left, uint8_t right, T value)
      : isPad(pads), leftPadding(left), rightPadding(right), paddingValue(value) {}
  bool isPad = false;
  uint8_t leftPadding = 0;
  uint8_t rightPadding = 0;
  T paddingValue = T(0);
};

// Row-major to NZ: n rows of d elements; the NZ strides count 32-byte units.
struct Nd2NzParams {
  Nd2NzParams() = default;
  Nd2NzParams(uint16_t matrices, uint16_t rows, uint16_t cols, uint16_t matrix_stride, uint16_t row_stride,
              uint16_t column_stride, uint16_t target_row_stride, uint16_t target_matrix_stride)
      : ndNum(matrices), nValue(rows), dValue(cols), srcNdMatrixStride(matrix_stride), srcDValue(row_stride),
        dstNzC0Stride(column_stride), dstNzNStride(target_row_stride), dstNzMatrixStride(target_matrix_stride) {}
  uint16_t ndNum = 0;
  uint16_t nValue = 0;
  uint16_t dValue = 0;
  uint16_t srcNdMatrixStride = 0;
  uint16_t srcDValue = 0;
  uint16_t dstNzC0Stride = 0;
  uint16_t dstNzNStride = 0;
  uint16_t dstNzMatrixStride = 0;
};

// Strides of Copy, in blocks.
struct CopyRepeatParams {
  CopyRepeatParams() = default;
  CopyRepeatParams(uint16_t target, uint16_t source, uint16_t target_repeat, uint16_t source_repeat)
      : dstStride(target), srcStride(source), dstRepeatSize(target_repeat), srcRepeatSize(source_repeat) {}
  uint16_t dstStride = 1;
  uint16_t srcStride = 1;
  uint16_t dstRepeatSize = 8;
  uint16_t srcRepeatSize = 8;
};

template <typename T>
twin::OnlyStorable<T> DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const uint32_t count);
template <typename T>
twin::OnlyStorable<T> DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count);
template <typename T>
twin::OnlyStorable<T> DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count);
template <typename T>
twin::OnlyStorable<T> DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params);
template <typename T>
twin::OnlyStorable<T> DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params);
template <typename T>
twin::OnlyStorable<T> DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params);
template <typename T>
twin::Only<T, half, bfloat16_t, float, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int4b_t>
DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &params);

template <typename T>
twin::OnlyStorable<T> DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                                  const DataCopyExtParams &params, const DataCopyPadExtParams<T> &padding);
template <typename T>
twin::OnlyStorable<T> DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                                  const DataCopyExtParams &params);

template <typename T, bool sets_mask = true>
twin::OnlyB16B32<T> Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask,
                         const uint8_t repeat, const CopyRepeatParams &params);
template <typename T, bool sets_mask = true>
twin::OnlyB16B32<T> Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[],
                         const uint8_t repeat, const CopyRepeatParams &params);

} // namespace AscendC

#endif // TL_ASCEND_TWIN_COPY_H
