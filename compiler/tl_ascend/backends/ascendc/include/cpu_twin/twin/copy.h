// SPDX-License-Identifier: Apache-2.0
// Transfers. Pipe: MTE2 from GM, MTE3 to GM, V within UB, by the positions of the tensors.
#ifndef TL_ASCEND_TWIN_COPY_H
#define TL_ASCEND_TWIN_COPY_H

#include "lanes.h"

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

namespace twin {

// Rows of whole blocks; gaps in blocks.
template <typename T>
void copy_in(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params) {
  constexpr uint64_t block = kBlock / sizeof(T);
  for (uint64_t i = 0; i < params.blockCount; ++i) {
    const uint64_t to = i * (params.blockLen + params.dstStride) * block;
    const T *from = reads(src, i * (params.blockLen + params.srcStride) * block, params.blockLen * block);
    move_bytes(writes(dst, to, params.blockLen * block, kBlock), from, params.blockLen * kBlock);
  }
}
template <typename T>
void copy_out(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params, bool adds) {
  constexpr uint64_t block = kBlock / sizeof(T);
  for (uint64_t i = 0; i < params.blockCount; ++i) {
    const T *from = reads(src, i * (params.blockLen + params.srcStride) * block, params.blockLen * block, kBlock);
    stores(dst, i * (params.blockLen + params.dstStride) * block, from, params.blockLen * block, adds);
  }
}
template <typename T>
void copy_within(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params) {
  constexpr uint64_t block = kBlock / sizeof(T);
  for (uint64_t i = 0; i < params.blockCount; ++i) {
    const uint64_t to = i * (params.blockLen + params.dstStride) * block;
    const T *from = reads(src, i * (params.blockLen + params.srcStride) * block, params.blockLen * block, kBlock);
    std::memmove(static_cast<void *>(writes(dst, to, params.blockLen * block, kBlock)), from, params.blockLen * kBlock);
  }
}

template <typename T> void move_to_nz(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &params) {
  constexpr uint64_t c0 = kBlock / sizeof(T);
  for (uint64_t row = 0; row < params.nValue; ++row) {
    const T *from = reads(src, row * params.srcDValue, params.dValue);
    for (uint64_t col = 0; col < params.dValue; col += c0) {
      T *to = writes(dst, (col / c0 * params.dstNzC0Stride + row * params.dstNzNStride) * c0, c0, kBlock);
      for (uint64_t i = 0; i < c0; ++i) {
        to[i] = col + i < params.dValue ? from[col + i] : T();
      }
    }
  }
}

// A row ends inside of a block: what the padding does not name is some number.
template <typename T>
void pad_in(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyExtParams &params,
            const DataCopyPadExtParams<T> &padding) {
  const uint64_t count = params.blockLen / sizeof(T);
  const uint64_t left = padding.isPad ? padding.leftPadding : 0;
  const uint64_t whole = ((left + count) * sizeof(T) + kBlock - 1) / kBlock * kBlock / sizeof(T);
  for (uint64_t row = 0; row < params.blockCount; ++row) {
    T *to = writes(dst, row * (whole + params.dstStride * kBlock / sizeof(T)), whole, kBlock);
    const T *from = reads(src, row * (count + params.srcStride / sizeof(T)), count);
    for (uint64_t i = 0; i < whole; ++i) {
      const bool inside = i >= left && i < left + count;
      const bool named = padding.isPad && i < left + count + padding.rightPadding;
      to[i] = inside ? from[i - left] : named ? padding.paddingValue : from[0];
    }
  }
}
template <typename T>
void pad_out(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyExtParams &params, bool adds) {
  const uint64_t count = params.blockLen / sizeof(T);
  const uint64_t whole = (params.blockLen + kBlock - 1) / kBlock * kBlock / sizeof(T);
  for (uint64_t row = 0; row < params.blockCount; ++row) {
    const T *from = reads(src, row * (whole + params.srcStride * kBlock / sizeof(T)), count, kBlock);
    stores(dst, row * (count + params.dstStride / sizeof(T)), from, count, adds);
  }
}

// Blocks that hold count elements, in one row.
template <typename T> DataCopyParams one_row(uint32_t count) {
  DataCopyParams params;
  params.blockLen = static_cast<uint16_t>(count * sizeof(T) / kBlock);
  return params;
}

} // namespace twin

template <typename T>
twin::OnlyStorable<T> DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const DataCopyParams &params) {
  if (twin::has(static_cast<TPosition>(dst.GetPosition()))) {
    twin::issue(PIPE_MTE2, "DataCopy", [=] { twin::copy_in(dst, src, params); });
  }
}
template <typename T>
twin::OnlyStorable<T> DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params) {
  if (twin::has(static_cast<TPosition>(src.GetPosition()))) {
    twin::issue(PIPE_MTE3, "DataCopy", [=, adds = twin::adding()] { twin::copy_out(dst, src, params, adds); });
  }
}
template <typename T>
twin::OnlyStorable<T> DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params) {
  twin::issue(PIPE_V, "DataCopy", [=] { twin::copy_within(dst, src, params); });
}
template <typename T>
twin::OnlyStorable<T> DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const uint32_t count) {
  DataCopy(dst, src, twin::one_row<T>(count));
}
template <typename T>
twin::OnlyStorable<T> DataCopy(const GlobalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count) {
  DataCopy(dst, src, twin::one_row<T>(count));
}
template <typename T>
twin::OnlyStorable<T> DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count) {
  DataCopy(dst, src, twin::one_row<T>(count));
}
template <typename T>
twin::Only<T, half, bfloat16_t, float, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int4b_t>
DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &params) {
  if (twin::has(static_cast<TPosition>(dst.GetPosition()))) {
    twin::issue(PIPE_MTE2, "DataCopy", [=] { twin::move_to_nz(dst, src, params); });
  }
}

template <typename T>
twin::OnlyStorable<T> DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                                  const DataCopyExtParams &params, const DataCopyPadExtParams<T> &padding) {
  if (twin::has(static_cast<TPosition>(dst.GetPosition()))) {
    twin::issue(PIPE_MTE2, "DataCopyPad", [=] { twin::pad_in(dst, src, params, padding); });
  }
}
template <typename T>
twin::OnlyStorable<T> DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                                  const DataCopyExtParams &params) {
  if (twin::has(static_cast<TPosition>(src.GetPosition()))) {
    twin::issue(PIPE_MTE3, "DataCopyPad", [=, adds = twin::adding()] { twin::pad_out(dst, src, params, adds); });
  }
}

template <typename T, bool sets_mask = true>
twin::OnlyB16B32<T> Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask,
                         const uint8_t repeat, const CopyRepeatParams &params) {
  twin::issue(PIPE_V, "Copy", [=] {
    const twin::Lanes lanes(mask);
    twin::map_lanes(dst, lanes, repeat, params.dstStride, params.dstRepeatSize, [&](uint32_t i, uint32_t lane) {
      return *twin::lane_of(src, i, lane, params.srcStride, params.srcRepeatSize);
    });
  });
}
template <typename T, bool sets_mask = true>
twin::OnlyB16B32<T> Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask[],
                         const uint8_t repeat, const CopyRepeatParams &params) {
  twin::issue(PIPE_V, "Copy", [=, lanes = twin::Lanes(mask)] {
    twin::map_lanes(dst, lanes, repeat, params.dstStride, params.dstRepeatSize, [&](uint32_t i, uint32_t lane) {
      return *twin::lane_of(src, i, lane, params.srcStride, params.srcRepeatSize);
    });
  });
}

} // namespace AscendC

#endif // TL_ASCEND_TWIN_COPY_H
