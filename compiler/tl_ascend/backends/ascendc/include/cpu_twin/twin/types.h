// SPDX-License-Identifier: Apache-2.0
// Qualifiers, element types and enumerations.
#ifndef TL_ASCEND_TWIN_TYPES_H
#define TL_ASCEND_TWIN_TYPES_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

// Address spaces and function kinds of the device compiler have no counterpart on a CPU.
#define __global__
#define __aicore__
#define __gm__
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define GM_ADDR __gm__ uint8_t *

namespace AscendC::twin {

// memcpy, for formats that have constructors too.
inline void move_bytes(void *to, const void *from, size_t bytes) { std::memcpy(to, from, bytes); }

// Round to nearest even, in integers.
inline uint16_t half_bits(float value) {
  uint32_t raw;
  std::memcpy(&raw, &value, sizeof(raw));
  const uint32_t sign = raw >> 16 & 0x8000, size = raw & 0x7FFFFFFF;
  if (size > 0x7F800000) {
    return static_cast<uint16_t>(sign | 0x7E00);
  }
  if (size >= 0x477FF000) {
    return static_cast<uint16_t>(sign | 0x7C00);
  }
  if (size < 0x38800000) { // below the least normal number: a multiple of 2^-24
    float units = value < 0 ? -value : value;
    units = units * 16777216.0f + 8388608.0f; // adding 2^23 rounds to a whole number
    uint32_t whole;
    std::memcpy(&whole, &units, sizeof(whole));
    return static_cast<uint16_t>(sign | (whole & 0x7FF));
  }
  return static_cast<uint16_t>(sign | (size - 0x38000000 + 0xFFF + (size >> 13 & 1)) >> 13);
}

inline float half_value(uint16_t bits) {
  const uint32_t sign = static_cast<uint32_t>(bits & 0x8000) << 16, size = bits & 0x7FFF;
  uint32_t raw = sign | ((size << 13) + (size >= 0x7C00 ? 0x70000000 : 0x38000000));
  float value;
  std::memcpy(&value, &raw, sizeof(value));
  if (size < 0x400) {
    value = static_cast<float>(size) / 16777216.0f;
    value = sign != 0 ? -value : value;
  }
  return value;
}

inline uint16_t bfloat16_bits(float value) {
  uint32_t raw;
  std::memcpy(&raw, &value, sizeof(raw));
  if ((raw & 0x7FFFFFFF) > 0x7F800000) {
    return static_cast<uint16_t>(raw >> 16 | 0x40);
  }
  return static_cast<uint16_t>((raw + 0x7FFF + (raw >> 16 & 1)) >> 16);
}

inline float bfloat16_value(uint16_t bits) {
  const uint32_t raw = static_cast<uint32_t>(bits) << 16;
  float value;
  std::memcpy(&value, &raw, sizeof(value));
  return value;
}

} // namespace AscendC::twin

struct bfloat16_t;
namespace AscendC {
float ToFloat(const bfloat16_t &value);
}

// Storage formats with the conversions that device scalars have: any number converts in, a half
// converts out as float.
struct half {
  half() = default;
  template <typename Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  half(Number value) : bits(AscendC::twin::half_bits(static_cast<float>(value))) {}
  operator float() const { return AscendC::twin::half_value(bits); }
  half &operator+=(half other) { return *this = half(float(*this) + float(other)); }
  half &operator-=(half other) { return *this = half(float(*this) - float(other)); }
  half &operator*=(half other) { return *this = half(float(*this) * float(other)); }
  half &operator/=(half other) { return *this = half(float(*this) / float(other)); }

private:
  uint16_t bits;
};

struct bfloat16_t {
  bfloat16_t() = default;
  template <typename Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  bfloat16_t(Number value) : bits(AscendC::twin::bfloat16_bits(static_cast<float>(value))) {}

private:
  friend float AscendC::ToFloat(const bfloat16_t &value);
  uint16_t bits;
};

namespace AscendC {
// The device's compiler casts constants, but no computed value (header kernel_scalar_convert.h of asc-devkit).
inline float ToFloat(const bfloat16_t &value) { return twin::bfloat16_value(value.bits); }
inline bfloat16_t ToBfloat16(const float &value) { return bfloat16_t(value); }
} // namespace AscendC

enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_FIX };

enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

// Conversions on the way out of L0C (page "Fixpipe (L0C to GM)").
enum class QuantMode_t {
  NoQuant,
  F322F16,
  F322BF16,
  DEQF16,
  VDEQF16,
  QF322B8_PRE,
  VQF322B8_PRE,
  REQ8,
  VREQ8,
};

namespace AscendC {

// Two 4-bit integers to a byte.
struct int4b_t {
  uint8_t storage : 4;
};

enum class TPosition : uint8_t {
  GM,
  A1,
  A2,
  B1,
  B2,
  C1,
  C2,
  CO1,
  CO2,
  VECIN,
  VECOUT,
  VECCALC,
  LCM = VECCALC,
  SPM,
  SHM = SPM,
  TSCM,
  C2PIPE2GM,
  C2PIPE2LOCAL,
  MAX,
};
using QuePosition = TPosition;

// Source pipe, then waiting pipe (page SetFlag/WaitFlag).
enum class HardEvent : uint8_t {
  MTE2_MTE1,
  MTE1_MTE2,
  MTE1_M,
  M_MTE1,
  MTE2_V,
  V_MTE2,
  MTE3_V,
  V_MTE3,
  M_V,
  V_M,
  V_V,
  MTE3_MTE1,
  MTE1_MTE3,
  MTE1_V,
  MTE2_M,
  M_MTE2,
  V_MTE1,
  M_FIX,
  FIX_M,
  MTE3_MTE2,
  MTE2_MTE3,
  S_V,
  V_S,
  S_MTE2,
  MTE2_S,
  S_MTE3,
  MTE3_S,
  MTE2_FIX,
  FIX_MTE2,
  FIX_S,
  M_S,
  FIX_MTE3,
  MTE1_FIX,
  FIX_MTE1,
  FIX_FIX,
};

enum class RoundMode : uint8_t { CAST_NONE, CAST_RINT, CAST_FLOOR, CAST_CEIL, CAST_ROUND, CAST_TRUNC, CAST_ODD };
enum class CMPMODE : uint8_t { LT, GT, EQ, LE, GE, NE };
enum class SELMODE : uint8_t { VSEL_CMPMASK_SPR, VSEL_TENSOR_SCALAR_MODE, VSEL_TENSOR_TENSOR_MODE };
enum class ReduceOrder : uint8_t { ORDER_VALUE_INDEX, ORDER_INDEX_VALUE, ORDER_ONLY_VALUE, ORDER_ONLY_INDEX };
enum class CacheLine : uint8_t { SINGLE_CACHE_LINE, ENTIRE_DATA_CACHE };
enum class DcciDst : uint8_t { CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT, CACHELINE_ATOMIC };
enum class CO2Layout : uint8_t { NZ, ROW_MAJOR, COLUMN_MAJOR };
enum class GatherMaskMode : uint8_t { VERSION_V1, VERSION_V2 };

namespace twin {

template <typename T, typename... Allowed> constexpr bool kOneOf = (std::is_same_v<T, Allowed> || ...);

// Return type void, provided that T is one of the allowed element types.
template <typename T, typename... Allowed> using Only = std::enable_if_t<kOneOf<T, Allowed...>>;

// The groups that the vector pages list for A2/A3.
template <typename T> using OnlyFloating = Only<T, half, float>;
template <typename T> using OnlyArithmetic = Only<T, half, float, int16_t, int32_t>;
template <typename T> using OnlyWord16 = Only<T, int16_t, uint16_t>;
template <typename T> using OnlyShiftable = Only<T, int16_t, uint16_t, int32_t, uint32_t>;
template <typename T>
using OnlyB16B32 = Only<T, half, bfloat16_t, int16_t, uint16_t, float, int32_t, uint32_t>;
template <typename T>
using OnlyStorable =
    Only<T, half, bfloat16_t, float, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t>;

} // namespace twin
} // namespace AscendC

#endif // TL_ASCEND_TWIN_TYPES_H
