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

template <typename T>
twin::Only<T, half, bfloat16_t, float, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int4b_t>
LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParams &params);
template <typename T>
twin::Only<T, half, bfloat16_t, float, int8_t, uint8_t, int32_t, uint32_t, int4b_t>
LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2<T> &params);
template <typename T>
twin::Only<T, half, bfloat16_t, float, int8_t, uint8_t, int32_t, uint32_t, int4b_t>
LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2dTransposeParams &params);

template <typename T>
twin::OnlyB16B32<T> InitConstValue(const LocalTensor<T> &dst, const InitConstValueParams<T> &params);

template <typename Tacc, typename Ta, typename Tb>
twin::OnlyProduct<Tacc, Ta, Tb> Mmad(const LocalTensor<Tacc> &c, const LocalTensor<Ta> &a, const LocalTensor<Tb> &b,
                                     const MmadParams &params);

template <typename Tdst, typename Tacc, const FixpipeConfig &config = CFG_ROW_MAJOR>
twin::OnlyFixpipe<Tdst, Tacc> Fixpipe(const GlobalTensor<Tdst> &dst, const LocalTensor<Tacc> &src,
                                      const FixpipeParamsV220 &params);

} // namespace AscendC

#endif // TL_ASCEND_TWIN_MATRIX_H
