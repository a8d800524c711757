// The narrow floats of the device, which old compilers have only in part: what the library must know of _Float16, and
// bfloat16_t, for which the simulator takes _Float16 otherwise. Stands before the simulator.
#pragma once

#include <bit>
#include <cstdint>
#include <limits>
#include <type_traits>

#ifndef __STDCPP_FLOAT16_T__
// Without this the simulator fills up with 0 where the device fills up with infinity.
template <> struct std::numeric_limits<_Float16> {
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr int digits = 11;
  static constexpr _Float16 min() { return std::bit_cast<_Float16>(uint16_t{0x0400}); }
  static constexpr _Float16 max() { return std::bit_cast<_Float16>(uint16_t{0x7bff}); }
  static constexpr _Float16 lowest() { return std::bit_cast<_Float16>(uint16_t{0xfbff}); }
  static constexpr _Float16 infinity() { return std::bit_cast<_Float16>(uint16_t{0x7c00}); }
  static constexpr _Float16 quiet_NaN() { return std::bit_cast<_Float16>(uint16_t{0x7e00}); }
};
#endif

// The upper half of a float; to the nearest, halves to the even one. Neither A2 nor A3 computes with it.
class bfloat16 {
public:
  bfloat16() = default;

  template <typename T>
    requires(std::is_arithmetic_v<T> || std::is_same_v<T, _Float16>)
  constexpr bfloat16(T value) : bits_(rounded(static_cast<float>(value))) {}

  constexpr operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits_) << 16); }

private:
  static constexpr uint16_t rounded(float value) {
    const uint32_t bits = std::bit_cast<uint32_t>(value);
    if ((bits & 0x7fffffffu) > 0x7f800000u) {
      return static_cast<uint16_t>(bits >> 16 | 0x40); // NaN stays one
    }
    return static_cast<uint16_t>((bits + 0x7fffu + (bits >> 16 & 1)) >> 16);
  }

  uint16_t bits_;
};

template <> struct std::numeric_limits<bfloat16> {
  static constexpr bool is_specialized = true, is_signed = true, is_integer = false, has_infinity = true;
  static constexpr bool has_quiet_NaN = true;
  static constexpr int digits = 8;
  static constexpr bfloat16 min() { return std::bit_cast<bfloat16>(uint16_t{0x0080}); }
  static constexpr bfloat16 max() { return std::bit_cast<bfloat16>(uint16_t{0x7f7f}); }
  static constexpr bfloat16 lowest() { return std::bit_cast<bfloat16>(uint16_t{0xff7f}); }
  static constexpr bfloat16 infinity() { return std::bit_cast<bfloat16>(uint16_t{0x7f80}); }
  static constexpr bfloat16 quiet_NaN() { return std::bit_cast<bfloat16>(uint16_t{0x7fc0}); }
};

// The simulator names its own type once, where it has none; everything after that means ours.
#define bfloat16_t no_bfloat16_t
#include <pto/common/type.hpp>
#undef bfloat16_t
using bfloat16_t = bfloat16;
