// SPDX-License-Identifier: Apache-2.0
// Functions of the high-level API, which the vendor composes of several instructions. All on V; tmp is UB scratch.
#ifndef TL_ASCEND_TWIN_VECTOR_LIBRARY_H
#define TL_ASCEND_TWIN_VECTOR_LIBRARY_H

#include "vector_reduce.h"

namespace AscendC {

// Axes of a reduction: A stays, R goes.
namespace Pattern::Reduce {
struct AR {};
struct RA {};
} // namespace Pattern::Reduce

namespace twin {

template <typename T, typename P, typename... Allowed>
using OnlyPatternOf = std::enable_if_t<kOneOf<T, Allowed...> && kOneOf<P, Pattern::Reduce::AR, Pattern::Reduce::RA>>;

} // namespace twin

namespace twin {

// Rows start at whole blocks.
template <typename T, typename P>
void reduce_pattern(Join how, const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t high, uint32_t wide) {
  const uint32_t pitch = (wide * static_cast<uint32_t>(sizeof(T)) + kBlock - 1) / kBlock * kBlock / sizeof(T);
  const bool rows = std::is_same_v<P, Pattern::Reduce::AR>;
  reads(src, 0, 0, kBlock);
  map_elements(dst, rows ? high : wide, [&](uint32_t i) {
    Joined joined{how};
    for (uint32_t j = 0; j < (rows ? wide : high); ++j) {
      joined.take(number(*reads(src, rows ? i * pitch + j : j * pitch + i, 1)));
    }
    return static_cast<T>(joined.value);
  });
}

} // namespace twin

// The pattern comes second; aligned must be true on A2/A3.
#define TWIN_PATTERN(name, how, ...)                                                                                   \
  template <typename T, typename P, bool reuses_src = false>                                                           \
  twin::OnlyPatternOf<T, P, __VA_ARGS__> name(const LocalTensor<T> &dst, const LocalTensor<T> &src,                    \
                                              const LocalTensor<uint8_t> &, const uint32_t shape[], bool) {            \
    twin::issue(PIPE_V, #name, [=, high = shape[0], wide = shape[1]] {                                                 \
      twin::reduce_pattern<T, P>(twin::Join::how, dst, src, high, wide);                                               \
    });                                                                                                                \
  }

TWIN_PATTERN(ReduceSum, kSum, float)
TWIN_PATTERN(ReduceMax, kMax, half, float)
TWIN_PATTERN(ReduceMin, kMin, half, float)
#undef TWIN_PATTERN

struct SumParams {
  uint32_t outter = 1;
  uint32_t inner = 0;
  uint32_t n = 0;
};
template <typename T>
twin::OnlyFloating<T> Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SumParams &params) {
  twin::issue(PIPE_V, "Sum", [=] {
    twin::map_elements(dst, params.outter, [&](uint32_t row) {
      double sum = 0;
      for (uint32_t i = 0; i < params.n; ++i) {
        sum += twin::number(*twin::reads(src, row * params.inner + i, 1));
      }
      return static_cast<T>(sum);
    });
  });
}

template <typename T, int32_t dim, int32_t axis, bool reuses_src = false>
twin::Only<T, int8_t, uint8_t, half, float> Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                                      const uint32_t dst_shape[dim], const uint32_t src_shape[dim],
                                                      LocalTensor<uint8_t> &) {
  const uint32_t rows = dim == 2 ? dst_shape[0] : 1, cols = dst_shape[dim - 1];
  const uint32_t high = dim == 2 ? src_shape[0] : 1, wide = src_shape[dim - 1];
  twin::issue(PIPE_V, "Broadcast", [=] {
    const T *from = twin::reads(src, 0, high * wide, twin::kBlock);
    twin::map_elements(dst, rows * cols, [=](uint32_t i) { return from[i / cols % high * wide + i % cols % wide]; });
  });
}

template <typename T>
twin::OnlyArithmetic<T> ArithProgression(const LocalTensor<T> &dst, const T first, const T difference,
                                         const int32_t count) {
  twin::issue(PIPE_V, "ArithProgression", [=, a = twin::wide(first), step = twin::wide(difference)] {
    twin::map_elements(dst, static_cast<uint32_t>(count), [=](uint32_t i) { return static_cast<T>(a + i * step); });
  });
}

#define TWIN_FUNCTION(name, expression)                                                                                \
  template <typename T, bool reuses_src = false>                                                                       \
  twin::OnlyFloating<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,       \
                             const uint32_t count) {                                                                   \
    twin::issue(PIPE_V, #name, [=] { twin::map_unary(dst, src, count, [](double a) { return expression; }); });        \
  }

TWIN_FUNCTION(Sin, std::sin(a))
TWIN_FUNCTION(Cos, std::cos(a))
TWIN_FUNCTION(Round, std::nearbyint(a))
TWIN_FUNCTION(Sigmoid, 1 / (1 + std::exp(-a)))
#undef TWIN_FUNCTION

template <typename T, bool reuses_src = false>
twin::OnlyFloating<T> Silu(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count) {
  twin::issue(PIPE_V, "Silu",
              [=] { twin::map_unary(dst, src, count, [](double a) { return a / (1 + std::exp(-a)); }); });
}

template <typename T, bool reuses_src = false>
twin::OnlyWord16<T> Xor(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                        const LocalTensor<uint8_t> &, const uint32_t count) {
  twin::issue(PIPE_V, "Xor",
              [=] { twin::map_binary(dst, src0, src1, count, [](int64_t a, int64_t b) { return a ^ b; }); });
}
template <typename T, bool reuses_src = false>
twin::OnlyWord16<T> Xor(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                        const LocalTensor<uint8_t> &tmp) {
  Xor(dst, src0, src1, tmp, src0.GetSize());
}
template <typename T, bool reuses_src = false>
twin::Only<T, half, float, int32_t> Power(const LocalTensor<T> &dst, const LocalTensor<T> &base,
                                          const LocalTensor<T> &exponent, const LocalTensor<uint8_t> &,
                                          uint32_t count) {
  twin::issue(PIPE_V, "Power", [=] {
    const auto power = [](auto a, auto b) { return std::pow(static_cast<double>(a), static_cast<double>(b)); };
    twin::map_binary(dst, base, exponent, count, power);
  });
}
template <typename T, bool reuses_src = false>
twin::Only<T, half, float, int32_t> Power(const LocalTensor<T> &dst, const LocalTensor<T> &base,
                                          const LocalTensor<T> &exponent, const LocalTensor<uint8_t> &tmp) {
  Power(dst, base, exponent, tmp, base.GetSize());
}

} // namespace AscendC

#endif // TL_ASCEND_TWIN_VECTOR_LIBRARY_H
