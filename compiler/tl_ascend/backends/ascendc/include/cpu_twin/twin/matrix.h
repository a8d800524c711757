// SPDX-License-Identifier: Apache-2.0
// The cube's side: loads on MTE1 (InitConstValue into L1 on MTE2), products on M, results on FIX.
#ifndef TL_ASCEND_TWIN_MATRIX_H
#define TL_ASCEND_TWIN_MATRIX_H

#include "tensor.h"

namespace AscendC {

// Whole fractals of 512 bytes; steps and gaps in fractals.
struct LoadData2DParams {
  uint16_t startIndex = 0;
  uint16_t dstGap = 0;
  uint16_t srcStride = 0;
  bool ifTranspose = false;
  uint8_t repeatTimes = 0;
  uint8_t sid = 0;
  uint8_t addrMode = 0;
};

// Square groups of fractals that turn; source steps in squares, gaps in fractals.
struct LoadData2dTransposeParams {
  uint16_t startIndex = 0;
  uint8_t repeatTimes = 0;
  uint16_t srcStride = 0;
  uint16_t dstGap = 0;
  uint16_t dstFracGap = 0;
  uint8_t addrMode = 0;
};

// Image to column.
template <typename T> struct LoadData3DParamsV2 {
  uint8_t padList[4] = {0, 0, 0, 0};
  uint16_t l1H = 0;
  uint16_t l1W = 0;
  uint16_t channelSize = 0;
  uint16_t kExtension = 0;
  uint16_t mExtension = 0;
  uint16_t kStartPt = 0;
  uint16_t mStartPt = 0;
  uint8_t strideW = 1;
  uint8_t strideH = 1;
  uint8_t filterW = 1;
  uint8_t filterH = 1;
  uint8_t dilationFilterW = 1;
  uint8_t dilationFilterH = 1;
  bool enTranspose = false;
  bool enSmallK = false;
  T padValue = T(0);
  bool filterSizeW = false;
  bool filterSizeH = false;
  bool fMatrixCtrl = false;
};

struct MmadParams {
  uint16_t m = 0;
  uint16_t n = 0;
  uint16_t k = 0;
  bool isBias = false;
  int32_t fmOffset = 0;
  bool enSsparse = false;
  bool enWinogradA = false;
  bool enWinogradB = false;
  uint8_t unitFlag = 0;
  bool kDirectionAlign = false;
  bool cmatrixSource = false;
  bool cmatrixInitVal = true;
};

template <typename T> struct InitConstValueParams {
  InitConstValueParams() = default;
  InitConstValueParams(uint16_t repeat, uint16_t blocks, uint16_t gap, T value)
      : repeatTimes(repeat), blockNum(blocks), dstGap(gap), initValue(value) {}
  uint16_t repeatTimes = 0;
  uint16_t blockNum = 0;
  uint16_t dstGap = 0;
  T initValue = T(0);
};

struct FixpipeConfig {
  CO2Layout format;
};
constexpr FixpipeConfig CFG_NZ = {CO2Layout::NZ};
constexpr FixpipeConfig CFG_ROW_MAJOR = {CO2Layout::ROW_MAJOR};

// srcStride in units of 16 elements, dstStride in elements (row-major) or blocks (NZ).
struct FixpipeParamsV220 {
  uint16_t nSize = 0;
  uint16_t mSize = 0;
  uint16_t srcStride = 0;
  uint32_t dstStride = 0;
  QuantMode_t quantPre = QuantMode_t::NoQuant;
  uint64_t deqScalar = 0;
  uint16_t ndNum = 1;
  uint16_t srcNdStride = 0;
  uint16_t dstNdStride = 0;
  bool reluEn = false;
  uint8_t unitFlag = 0;
  bool isChannelSplit = false;
};

namespace twin {

template <typename Tacc, typename Ta, typename Tb>
using OnlyProduct =
    std::enable_if_t<std::is_same_v<Ta, Tb> && ((kOneOf<Ta, half, bfloat16_t, float> && std::is_same_v<Tacc, float>) ||
                                                (kOneOf<Ta, int8_t, int4b_t> && std::is_same_v<Tacc, int32_t>))>;

template <typename Tdst, typename Tacc>
using OnlyFixpipe =
    std::enable_if_t<(std::is_same_v<Tacc, float> && kOneOf<Tdst, int8_t, uint8_t, half, bfloat16_t, float>) ||
                     (std::is_same_v<Tacc, int32_t> && kOneOf<Tdst, int8_t, uint8_t, half, int32_t>)>;

} // namespace twin

namespace twin {

constexpr uint32_t kFractal = 512; // bytes

template <typename T>
void load_fractals(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParams &params) {
  constexpr uint64_t size = kFractal / sizeof(T);
  for (uint64_t i = 0; i < params.repeatTimes; ++i) {
    T *to = writes(dst, i * (1 + params.dstGap) * size, size, kFractal);
    const T *from = reads(src, (params.startIndex + i * params.srcStride) * size, size, kBlock);
    for (uint64_t j = 0; j < size; ++j) {
      to[j] = params.ifTranspose ? from[j % 16 * 16 + j / 16] : from[j];
    }
  }
}

// Squares of 32 x 32 bytes.
template <typename T>
void load_squares(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2dTransposeParams &params) {
  if constexpr (sizeof(T) != 1) {
    fail("LoadDataWithTranspose: only 8-bit elements are modelled");
  }
  for (uint64_t i = 0; i < params.repeatTimes; ++i) {
    const T *from = reads(src, (params.startIndex + i * params.srcStride) * 1024, 1024, kBlock);
    for (uint64_t upper = 0; upper < 2; ++upper) {
      const uint64_t place = i * (1 + params.dstGap) + upper * (1 + params.dstFracGap);
      T *to = writes(dst, place * kFractal, kFractal, kFractal);
      for (uint64_t j = 0; j < kFractal; ++j) {
        to[j] = from[j % 32 * 32 + upper * 16 + j / 32];
      }
    }
  }
}

// Filter 1 x 1, turned; 32-bit elements. Pixels become K, rounded up to 16; channels become M (L0A) or N (L0B).
template <typename T>
void load_image(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2<T> &params) {
  if constexpr (sizeof(T) != 4) {
    fail("LoadData 3D: only 32-bit elements are modelled");
  }
  const bool left = static_cast<TPosition>(dst.GetPosition()) == TPosition::A2;
  const uint64_t pixels = (params.mExtension + 15u) / 16 * 16;
  const uint64_t width = (params.kExtension + 15u) / 16 * 16;
  for (uint64_t pixel = 0; pixel < pixels; ++pixel) {
    for (uint64_t channel = 0; channel < params.kExtension; ++channel) {
      const uint64_t place = left ? (channel / 16 * (pixels / 8) + pixel / 8) * 128 + channel % 16 * 8 + pixel % 8
                                  : pixel / 8 * width * 8 + channel * 8 + pixel % 8;
      *writes(dst, place, 1) = *reads(src, (channel / 8 * params.l1W + pixel) * 8 + channel % 8, 1);
    }
  }
}

template <typename T> void fill_blocks(const LocalTensor<T> &dst, const InitConstValueParams<T> &params) {
  constexpr uint64_t block = kBlock / sizeof(T);
  for (uint64_t i = 0; i < params.repeatTimes; ++i) {
    T *to = writes(dst, i * (params.blockNum + params.dstGap) * block, params.blockNum * block, kBlock);
    for (uint64_t j = 0; j < params.blockNum * block; ++j) {
      to[j] = params.initValue;
    }
  }
}

// Element (row, k) of A in L0A: rows of fractals; element (k, column) of B in L0B: rows of fractals along K.
template <typename Tacc, typename T>
std::vector<Tacc> left_rows(const LocalTensor<T> &a, uint32_t rows, uint32_t depth) {
  constexpr uint32_t c0 = kBlock / sizeof(T);
  const T *from = reads(a, 0, static_cast<uint64_t>(rows == 1 ? 1 : (rows + 15) / 16 * 16) * depth, kFractal);
  std::vector<Tacc> found(static_cast<size_t>(rows) * depth);
  for (uint32_t row = 0; row < rows; ++row) {
    for (uint32_t k = 0; k < depth; ++k) {
      const uint32_t place = rows == 1 ? k : (row / 16 * (depth / c0) + k / c0) * 16 * c0 + row % 16 * c0 + k % c0;
      found[static_cast<size_t>(row) * depth + k] = static_cast<Tacc>(number(from[place]));
    }
  }
  return found;
}
template <typename Tacc, typename T>
std::vector<Tacc> right_columns(const LocalTensor<T> &b, uint32_t columns, uint32_t depth) {
  constexpr uint32_t c0 = kBlock / sizeof(T);
  const uint32_t wide = (columns + 15) / 16;
  const T *from = reads(b, 0, static_cast<uint64_t>(wide) * 16 * depth, kFractal);
  std::vector<Tacc> found(static_cast<size_t>(wide) * 16 * depth);
  for (uint32_t column = 0; column < wide * 16; ++column) {
    for (uint32_t k = 0; k < depth; ++k) {
      const uint32_t place = (k / c0 * wide + column / 16) * 16 * c0 + column % 16 * c0 + k % c0;
      found[(static_cast<size_t>(column / 16) * depth + k) * 16 + column % 16] = static_cast<Tacc>(number(from[place]));
    }
  }
  return found;
}

// K is consumed in whole blocks; m = 1 reads A as a plain row.
template <typename Tacc, typename T>
void multiply(const LocalTensor<Tacc> &c, const LocalTensor<T> &a, const LocalTensor<T> &b, const MmadParams &params) {
  constexpr uint32_t c0 = kBlock / sizeof(T);
  const uint32_t depth = (params.k + c0 - 1) / c0 * c0, high = (params.m + 15u) / 16 * 16;
  const std::vector<Tacc> left = left_rows<Tacc>(a, params.m, depth);
  const std::vector<Tacc> right = right_columns<Tacc>(b, params.n, depth);
  for (uint32_t n = 0; n < params.n; n += 16) {
    const uint32_t columns = params.n - n < 16 ? params.n - n : 16;
    for (uint32_t m = 0; m < params.m; ++m) {
      Tacc sums[16] = {};
      multiply_row(&left[static_cast<size_t>(m) * depth], &right[static_cast<size_t>(n) * depth], depth, sums);
      if (!params.cmatrixInitVal) {
        reads(c, static_cast<uint64_t>(n) * high + m * 16, columns);
      }
      Tacc *place = writes(c, static_cast<uint64_t>(n) * high + m * 16, columns);
      for (uint32_t i = 0; i < columns; ++i) {
        place[i] = sums[i] + (params.cmatrixInitVal ? Tacc(0) : place[i]);
      }
    }
  }
}

// Rows of blocks of 16 columns to rows of GM.
template <typename Tdst, typename Tacc>
void fixpipe(const GlobalTensor<Tdst> &dst, const LocalTensor<Tacc> &src, const FixpipeParamsV220 &params, bool adds) {
  std::vector<Tdst> row(params.nSize);
  for (uint64_t m = 0; m < params.mSize; ++m) {
    for (uint64_t n = 0; n < params.nSize; ++n) {
      const Tacc value = *reads(src, (n / 16 * params.srcStride + m) * 16 + n % 16, 1);
      row[n] = static_cast<Tdst>(params.reluEn && value < 0 ? Tacc(0) : value);
    }
    stores(dst, m * params.dstStride, row.data(), params.nSize, adds);
  }
}

} // namespace twin

template <typename T>
twin::Only<T, half, bfloat16_t, float, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int4b_t>
LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParams &params) {
  twin::issue(PIPE_MTE1, "LoadData", [=] { twin::load_fractals(dst, src, params); });
}
template <typename T>
twin::Only<T, half, bfloat16_t, float, int8_t, uint8_t, int32_t, uint32_t, int4b_t>
LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2<T> &params) {
  twin::issue(PIPE_MTE1, "LoadData", [=] { twin::load_image(dst, src, params); });
}
template <typename T>
twin::Only<T, half, bfloat16_t, float, int8_t, uint8_t, int32_t, uint32_t, int4b_t>
LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2dTransposeParams &params) {
  twin::issue(PIPE_MTE1, "LoadDataWithTranspose", [=] { twin::load_squares(dst, src, params); });
}

template <typename T>
twin::OnlyB16B32<T> InitConstValue(const LocalTensor<T> &dst, const InitConstValueParams<T> &params) {
  const TPosition position = static_cast<TPosition>(dst.GetPosition());
  const bool l1 = position == TPosition::A1 || position == TPosition::B1;
  if (twin::has(position)) {
    twin::issue(l1 ? PIPE_MTE2 : PIPE_MTE1, "InitConstValue", [=] { twin::fill_blocks(dst, params); });
  }
}

// Products of ten fractals and more wait for each other by themselves (page Mmad, "notes on synchronisation").
template <typename Tacc, typename Ta, typename Tb>
twin::OnlyProduct<Tacc, Ta, Tb> Mmad(const LocalTensor<Tacc> &c, const LocalTensor<Ta> &a, const LocalTensor<Tb> &b,
                                     const MmadParams &params) {
  const bool waits = params.m / 16 * (params.n / 16) >= 10;
  if constexpr (std::is_same_v<Ta, int4b_t>) {
    twin::fail("Mmad: 4-bit integers are not modelled");
  } else {
    twin::issue(PIPE_M, "Mmad", [=] { twin::multiply(c, a, b, params); }, waits);
  }
}

template <typename Tdst, typename Tacc, const FixpipeConfig &config = CFG_ROW_MAJOR>
twin::OnlyFixpipe<Tdst, Tacc> Fixpipe(const GlobalTensor<Tdst> &dst, const LocalTensor<Tacc> &src,
                                      const FixpipeParamsV220 &params) {
  if (config.format != CO2Layout::ROW_MAJOR || params.ndNum != 1) {
    twin::fail("Fixpipe: only one row-major matrix is modelled");
  }
  twin::issue(PIPE_FIX, "Fixpipe", [=, adds = twin::adding()] { twin::fixpipe(dst, src, params, adds); });
}

} // namespace AscendC

#endif // TL_ASCEND_TWIN_MATRIX_H
