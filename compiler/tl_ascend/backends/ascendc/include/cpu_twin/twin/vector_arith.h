// SPDX-License-Identifier: Apache-2.0
// Elementwise vector instructions, all on V. Element types are those of the API pages for A2/A3.
#ifndef TL_ASCEND_TWIN_VECTOR_ARITH_H
#define TL_ASCEND_TWIN_VECTOR_ARITH_H

#include "tensor.h"

namespace AscendC {

// Strides in blocks, within a repeat and between repeats.
struct BinaryRepeatParams {
  BinaryRepeatParams() = default;
  BinaryRepeatParams(uint8_t dst_block, uint8_t src0_block, uint8_t src1_block, uint8_t dst_repeat,
                     uint8_t src0_repeat, uint8_t src1_repeat)
      : dstBlkStride(dst_block), src0BlkStride(src0_block), src1BlkStride(src1_block), dstRepStride(dst_repeat),
        src0RepStride(src0_repeat), src1RepStride(src1_repeat) {}
  uint8_t dstBlkStride = 1;
  uint8_t src0BlkStride = 1;
  uint8_t src1BlkStride = 1;
  uint8_t dstRepStride = 8;
  uint8_t src0RepStride = 8;
  uint8_t src1RepStride = 8;
};

struct UnaryRepeatParams {
  UnaryRepeatParams() = default;
  UnaryRepeatParams(uint16_t dst_block, uint16_t src_block, uint8_t dst_repeat, uint8_t src_repeat)
      : dstBlkStride(dst_block), srcBlkStride(src_block), dstRepStride(dst_repeat), srcRepStride(src_repeat) {}
  uint16_t dstBlkStride = 1;
  uint16_t srcBlkStride = 1;
  uint8_t dstRepStride = 8;
  uint8_t srcRepStride = 8;
};

// dst = a op b: first count elements; lanes of a mask; a number of lanes.
#define TWIN_BINARY(name, Types)                                                                                       \
  template <typename T>                                                                                                \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,               \
                      const int32_t &count);                                                                           \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,               \
                      uint64_t mask[], const uint8_t repeat, const BinaryRepeatParams &params);                        \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,               \
                      uint64_t mask, const uint8_t repeat, const BinaryRepeatParams &params);

TWIN_BINARY(Add, OnlyArithmetic)
TWIN_BINARY(Sub, OnlyArithmetic)
TWIN_BINARY(Mul, OnlyArithmetic)
TWIN_BINARY(Div, OnlyFloating)
TWIN_BINARY(Max, OnlyArithmetic)
TWIN_BINARY(Min, OnlyArithmetic)
TWIN_BINARY(And, OnlyWord16)
TWIN_BINARY(Or, OnlyWord16)
#undef TWIN_BINARY

// dst = a op scalar; the scalar's type takes part in deduction, so it must be exactly T.
#define TWIN_SCALAR(name, Types)                                                                                       \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, const int32_t &count);    \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, uint64_t mask[],          \
                      const uint8_t repeat, const UnaryRepeatParams &params);                                          \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, uint64_t mask,            \
                      const uint8_t repeat, const UnaryRepeatParams &params);

TWIN_SCALAR(Adds, OnlyArithmetic)
TWIN_SCALAR(Muls, OnlyArithmetic)
TWIN_SCALAR(Maxs, OnlyArithmetic)
TWIN_SCALAR(Mins, OnlyArithmetic)
TWIN_SCALAR(LeakyRelu, OnlyFloating)
TWIN_SCALAR(ShiftLeft, OnlyShiftable)
TWIN_SCALAR(ShiftRight, OnlyShiftable)
#undef TWIN_SCALAR

#define TWIN_UNARY(name, ...)                                                                                          \
  template <typename T>                                                                                                \
  twin::Only<T, __VA_ARGS__> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count);         \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::Only<T, __VA_ARGS__> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask[],               \
                                  const uint8_t repeat, const UnaryRepeatParams &params);                              \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::Only<T, __VA_ARGS__> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask,                 \
                                  const uint8_t repeat, const UnaryRepeatParams &params);

TWIN_UNARY(Exp, half, float)
TWIN_UNARY(Ln, half, float)
TWIN_UNARY(Abs, half, float)
TWIN_UNARY(Reciprocal, half, float)
TWIN_UNARY(Sqrt, half, float)
TWIN_UNARY(Rsqrt, half, float)
TWIN_UNARY(Relu, half, float, int32_t)
TWIN_UNARY(Not, int16_t, uint16_t)
#undef TWIN_UNARY

namespace twin {

// dst may be wider than the factors of a multiply-add.
template <typename T, typename U>
using OnlyFused = std::enable_if_t<(kOneOf<T, half, float> && std::is_same_v<T, U>) ||
                                   (std::is_same_v<T, float> && std::is_same_v<U, half>)>;

// Conversions of the Cast page for A2/A3, source by source.
template <typename T, typename U>
constexpr bool kCasts = (kOneOf<U, int4b_t, int8_t, uint8_t> && std::is_same_v<T, half>) ||
                        (std::is_same_v<U, int16_t> && kOneOf<T, half, float>) ||
                        (std::is_same_v<U, half> && kOneOf<T, int4b_t, int8_t, uint8_t, int16_t, int32_t, float>) ||
                        (std::is_same_v<U, bfloat16_t> && kOneOf<T, int32_t, float>) ||
                        (std::is_same_v<U, int32_t> && kOneOf<T, int16_t, half, float, int64_t>) ||
                        (std::is_same_v<U, float> &&
                         kOneOf<T, int16_t, half, bfloat16_t, int32_t, float, int64_t>) ||
                        (std::is_same_v<U, int64_t> && kOneOf<T, int32_t, float>);

template <typename T, typename U> using OnlyCast = std::enable_if_t<kCasts<T, U>>;

} // namespace twin

// dst += src * scalar; dst += a * b.
template <typename T, typename U>
twin::OnlyFused<T, U> Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalar,
                           const int32_t &count);
template <typename T, typename U>
twin::OnlyFused<T, U> MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                                const int32_t &count);

template <typename T, typename U>
twin::OnlyCast<T, U> Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode,
                          const uint32_t count);
void SetDeqScale(half scale);

namespace twin {

template <typename T, typename U>
using OnlyCompare = std::enable_if_t<kOneOf<T, half, float, int32_t> && kOneOf<U, int8_t, uint8_t>>;
template <typename T, typename U>
using OnlySelect = std::enable_if_t<kOneOf<T, half, float> && kOneOf<U, uint8_t, uint16_t, uint32_t, uint64_t>>;

} // namespace twin

// One bit per element.
template <typename T, typename U>
twin::OnlyCompare<T, U> Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                                CMPMODE mode, uint32_t count);
template <typename T, typename U>
twin::OnlyCompare<T, U> CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1,
                                      CMPMODE mode, uint32_t count);
template <typename T, typename U>
twin::OnlySelect<T, U> Select(const LocalTensor<T> &dst, const LocalTensor<U> &mask, const LocalTensor<T> &src0,
                              const LocalTensor<T> &src1, SELMODE mode, uint32_t count);
template <typename T, typename U>
twin::OnlySelect<T, U> Select(const LocalTensor<T> &dst, const LocalTensor<U> &mask, const LocalTensor<T> &src0,
                              T src1, SELMODE mode, uint32_t count);

} // namespace AscendC

#endif // TL_ASCEND_TWIN_VECTOR_ARITH_H
