// Device calls that kernels make beyond those of the numeric tests of emission, for the immediate machine.
#ifndef TESTS_SIMULATE_MORE_H
#define TESTS_SIMULATE_MORE_H

#include "machine.h"

namespace AscendC {

MACHINE_UNARY(Ln, OnlyFloating, std::log(a))
MACHINE_UNARY(Reciprocal, OnlyFloating, 1 / a)
MACHINE_UNARY(Sqrt, OnlyFloating, std::sqrt(a))
MACHINE_UNARY(Rsqrt, OnlyFloating, 1 / std::sqrt(a))

#define MORE_LIBRARY(name, expression)                                                                                 \
  template <typename T, bool>                                                                                          \
  twin::OnlyFloating<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &,       \
                             const uint32_t count) {                                                                   \
    for (uint32_t i = 0; i < count; ++i) {                                                                             \
      const double a = machine::number(machine::aligned(src)[i]);                                                      \
      machine::aligned(dst)[i] = static_cast<T>(expression);                                                           \
    }                                                                                                                  \
  }
MORE_LIBRARY(Sin, std::sin(a))
MORE_LIBRARY(Cos, std::cos(a))
MORE_LIBRARY(Round, std::nearbyint(a))
MORE_LIBRARY(Sigmoid, 1 / (1 + std::exp(-a)))

template <typename T, bool>
twin::OnlyFloating<T> Silu(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const double a = machine::number(machine::aligned(src)[i]);
    machine::aligned(dst)[i] = static_cast<T>(a / (1 + std::exp(-a)));
  }
}

template <typename T, bool>
twin::Only<T, half, float, int32_t> Power(const LocalTensor<T> &dst, const LocalTensor<T> &base,
                                          const LocalTensor<T> &exponent, const LocalTensor<uint8_t> &,
                                          uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    const double a = machine::number(machine::aligned(base)[i]), b = machine::number(machine::aligned(exponent)[i]);
    machine::aligned(dst)[i] = static_cast<T>(std::pow(a, b));
  }
}

#define MORE_BITS(name, expression)                                                                                    \
  template <typename T>                                                                                                \
  twin::OnlyWord16<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,          \
                           const int32_t &count) {                                                                     \
    for (int32_t i = 0; i < count; ++i) {                                                                              \
      const T a = machine::aligned(src0)[i], b = machine::aligned(src1)[i];                                            \
      machine::aligned(dst)[i] = static_cast<T>(expression);                                                           \
    }                                                                                                                  \
  }
MORE_BITS(And, a &b)
MORE_BITS(Or, a | b)

template <typename T, bool>
twin::OnlyWord16<T> Xor(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                        const LocalTensor<uint8_t> &, const uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    machine::aligned(dst)[i] = static_cast<T>(machine::aligned(src0)[i] ^ machine::aligned(src1)[i]);
  }
}

template <typename T>
twin::Only<T, int16_t, uint16_t> Not(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count) {
  for (int32_t i = 0; i < count; ++i) {
    machine::aligned(dst)[i] = static_cast<T>(~machine::aligned(src)[i]);
  }
}

template <typename T, bool>
twin::OnlyFloating<T> LeakyRelu(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar,
                                const int32_t &count) {
  for (int32_t i = 0; i < count; ++i) {
    const double a = machine::number(machine::aligned(src)[i]);
    machine::aligned(dst)[i] = static_cast<T>(a > 0 ? a : a * machine::number(scalar));
  }
}

template <typename T, typename U>
twin::OnlyFused<T, U> Axpy(const LocalTensor<T> &dst, const LocalTensor<U> &src, const U &scalar,
                           const int32_t &count) {
  for (int32_t i = 0; i < count; ++i) {
    const double a = machine::number(machine::aligned(src)[i]) * machine::number(scalar);
    machine::aligned(dst)[i] = static_cast<T>(machine::number(machine::aligned(dst)[i]) + a);
  }
}

template <typename T, typename U>
twin::OnlyFused<T, U> MulAddDst(const LocalTensor<T> &dst, const LocalTensor<U> &src0, const LocalTensor<U> &src1,
                                const int32_t &count) {
  for (int32_t i = 0; i < count; ++i) {
    const double a = machine::number(machine::aligned(src0)[i]) * machine::number(machine::aligned(src1)[i]);
    machine::aligned(dst)[i] = static_cast<T>(machine::number(machine::aligned(dst)[i]) + a);
  }
}

} // namespace AscendC

#endif // TESTS_SIMULATE_MORE_H
