// SPDX-License-Identifier: Apache-2.0
// Elementwise vector instructions, all on V. Element types are those of the API pages for A2/A3.
#ifndef TL_ASCEND_TWIN_VECTOR_ARITH_H
#define TL_ASCEND_TWIN_VECTOR_ARITH_H

#include "lanes.h"

#include <cmath>

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

namespace twin {

// NaN wins, as it does in numpy.
template <typename N> N greater(N a, N b) { return a > b || a != a ? a : b; }
template <typename N> N smaller(N a, N b) { return a < b || a != a ? a : b; }

template <typename T, typename F>
void map_binary(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, uint32_t count,
                const F &function) {
  const T *a = reads(src0, 0, count, kBlock), *b = reads(src1, 0, count, kBlock);
  map_elements(dst, count, [=](uint32_t i) { return static_cast<T>(function(wide(a[i]), wide(b[i]))); });
}
template <typename T, typename F>
void map_binary(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1, const Lanes &lanes,
                uint8_t repeat, const BinaryRepeatParams &p, const F &function) {
  map_lanes(dst, lanes, repeat, p.dstBlkStride, p.dstRepStride, [&](uint32_t i, uint32_t lane) {
    const T a = *lane_of(src0, i, lane, p.src0BlkStride, p.src0RepStride);
    const T b = *lane_of(src1, i, lane, p.src1BlkStride, p.src1RepStride);
    return static_cast<T>(function(wide(a), wide(b)));
  });
}
template <typename T, typename F>
void map_unary(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, const F &function) {
  const T *a = reads(src, 0, count, kBlock);
  map_elements(dst, count, [=](uint32_t i) { return static_cast<T>(function(wide(a[i]))); });
}
template <typename T, typename F>
void map_unary(const LocalTensor<T> &dst, const LocalTensor<T> &src, const Lanes &lanes, uint8_t repeat,
               const UnaryRepeatParams &p, const F &function) {
  map_lanes(dst, lanes, repeat, p.dstBlkStride, p.dstRepStride, [&](uint32_t i, uint32_t lane) {
    return static_cast<T>(function(wide(*lane_of(src, i, lane, p.srcBlkStride, p.srcRepStride))));
  });
}

} // namespace twin

// dst = a op b: first count elements; lanes of a mask; a number of lanes.
#define TWIN_BINARY(name, Types, expression)                                                                           \
  template <typename T>                                                                                                \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,               \
                      const int32_t &count) {                                                                          \
    twin::issue(PIPE_V, #name, [=, n = static_cast<uint32_t>(count)] {                                                 \
      twin::map_binary(dst, src0, src1, n, [](auto a, auto b) { return expression; });                                 \
    });                                                                                                                \
  }                                                                                                                    \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,               \
                      uint64_t mask[], const uint8_t repeat, const BinaryRepeatParams &params) {                       \
    twin::issue(PIPE_V, #name, [=, lanes = twin::Lanes(mask)] {                                                        \
      twin::map_binary(dst, src0, src1, lanes, repeat, params, [](auto a, auto b) { return expression; });             \
    });                                                                                                                \
  }                                                                                                                    \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,               \
                      uint64_t mask, const uint8_t repeat, const BinaryRepeatParams &params) {                         \
    twin::issue(PIPE_V, #name, [=, lanes = twin::Lanes(mask)] {                                                        \
      twin::map_binary(dst, src0, src1, lanes, repeat, params, [](auto a, auto b) { return expression; });             \
    });                                                                                                                \
  }

TWIN_BINARY(Add, OnlyArithmetic, a + b)
TWIN_BINARY(Sub, OnlyArithmetic, a - b)
TWIN_BINARY(Mul, OnlyArithmetic, a *b)
TWIN_BINARY(Div, OnlyFloating, a / b)
TWIN_BINARY(Max, OnlyArithmetic, twin::greater(a, b))
TWIN_BINARY(Min, OnlyArithmetic, twin::smaller(a, b))
TWIN_BINARY(And, OnlyWord16, a &b)
TWIN_BINARY(Or, OnlyWord16, a | b)
#undef TWIN_BINARY

// dst = a op scalar; the scalar's type takes part in deduction, so it must be exactly T.
#define TWIN_SCALAR(name, Types, expression)                                                                           \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, const int32_t &count) {   \
    twin::issue(PIPE_V, #name, [=, b = twin::wide(scalar), n = static_cast<uint32_t>(count)] {                         \
      twin::map_unary(dst, src, n, [=](auto a) { return expression; });                                                \
    });                                                                                                                \
  }                                                                                                                    \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, uint64_t mask[],          \
                      const uint8_t repeat, const UnaryRepeatParams &params) {                                         \
    twin::issue(PIPE_V, #name, [=, b = twin::wide(scalar), lanes = twin::Lanes(mask)] {                                \
      twin::map_unary(dst, src, lanes, repeat, params, [=](auto a) { return expression; });                            \
    });                                                                                                                \
  }                                                                                                                    \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, uint64_t mask,            \
                      const uint8_t repeat, const UnaryRepeatParams &params) {                                         \
    twin::issue(PIPE_V, #name, [=, b = twin::wide(scalar), lanes = twin::Lanes(mask)] {                                \
      twin::map_unary(dst, src, lanes, repeat, params, [=](auto a) { return expression; });                            \
    });                                                                                                                \
  }

TWIN_SCALAR(Adds, OnlyArithmetic, a + b)
TWIN_SCALAR(Muls, OnlyArithmetic, a *b)
TWIN_SCALAR(Maxs, OnlyArithmetic, twin::greater(a, b))
TWIN_SCALAR(Mins, OnlyArithmetic, twin::smaller(a, b))
TWIN_SCALAR(LeakyRelu, OnlyFloating, a > 0 ? a : a * b)
TWIN_SCALAR(ShiftLeft, OnlyShiftable, static_cast<uint64_t>(a) << b)
TWIN_SCALAR(ShiftRight, OnlyShiftable, a >> b)
#undef TWIN_SCALAR

#define TWIN_UNARY(name, expression, ...)                                                                              \
  template <typename T>                                                                                                \
  twin::Only<T, __VA_ARGS__> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count) {        \
    twin::issue(PIPE_V, #name, [=, n = static_cast<uint32_t>(count)] {                                                 \
      twin::map_unary(dst, src, n, [](auto a) { return expression; });                                                 \
    });                                                                                                                \
  }                                                                                                                    \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::Only<T, __VA_ARGS__> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask[],               \
                                  const uint8_t repeat, const UnaryRepeatParams &params) {                             \
    twin::issue(PIPE_V, #name, [=, lanes = twin::Lanes(mask)] {                                                        \
      twin::map_unary(dst, src, lanes, repeat, params, [](auto a) { return expression; });                             \
    });                                                                                                                \
  }                                                                                                                    \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::Only<T, __VA_ARGS__> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint64_t mask,                 \
                                  const uint8_t repeat, const UnaryRepeatParams &params) {                             \
    twin::issue(PIPE_V, #name, [=, lanes = twin::Lanes(mask)] {                                                        \
      twin::map_unary(dst, src, lanes, repeat, params, [](auto a) { return expression; });                             \
    });                                                                                                                \
  }

TWIN_UNARY(Exp, std::exp(a), half, float)
TWIN_UNARY(Ln, std::log(a), half, float)
TWIN_UNARY(Abs, std::fabs(a), half, float)
TWIN_UNARY(Reciprocal, 1 / a, half, float)
TWIN_UNARY(Sqrt, std::sqrt(a), half, float)
TWIN_UNARY(Rsqrt, 1 / std::sqrt(a), half, float)
TWIN_UNARY(Relu, twin::greater(a, decltype(a)(0)), half, float, int32_t)
TWIN_UNARY(Not, ~a, int16_t, uint16_t)
#undef TWIN_UNARY

namespace twin {

// dst may be wider than the factors of a multiply-add.
template <typename T, typename U>
using OnlyFused = std::enable_if_t<(kOneOf<T, half, float> && std::is_same_v<T, U>) ||
                                   (std::is_same_v<T, float> && std::is_same_v<U, half>)>;

} // namespace twin

// dst += src * scalar; dst += a * b.
template <typename T, typename U>
twin::OnlyFused<T, U> Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalar,
                           const int32_t &count) {
  twin::issue(PIPE_V, "Axpy", [=, b = twin::number(scalar), n = static_cast<uint32_t>(count)] {
    const U *a = twin::reads(src, 0, n, twin::kBlock);
    const T *old = twin::reads(dst, 0, n);
    twin::map_elements(dst, n, [=](uint32_t i) {
      return static_cast<T>(twin::number(old[i]) + twin::number(a[i]) * b);
    });
  });
}
template <typename T, typename U>
twin::OnlyFused<T, U> MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                                const int32_t &count) {
  twin::issue(PIPE_V, "MulAddDst", [=, n = static_cast<uint32_t>(count)] {
    const U *a = twin::reads(src0, 0, n, twin::kBlock), *b = twin::reads(src1, 0, n, twin::kBlock);
    const T *old = twin::reads(dst, 0, n);
    twin::map_elements(dst, n, [=](uint32_t i) {
      return static_cast<T>(twin::number(old[i]) + twin::number(a[i]) * twin::number(b[i]));
    });
  });
}

} // namespace AscendC

#endif // TL_ASCEND_TWIN_VECTOR_ARITH_H
