// SPDX-License-Identifier: Apache-2.0
// Conversions, comparisons and selections, all on V.
#ifndef TL_ASCEND_TWIN_VECTOR_CHOOSE_H
#define TL_ASCEND_TWIN_VECTOR_CHOOSE_H

#include "lanes.h"

#include <cmath>
#include <limits>

namespace AscendC {
namespace twin {

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

// The modes of the same table: the device writes nothing under any other. From int32_t to half none has an effect.
template <typename T, typename U> constexpr bool takes(RoundMode mode) {
  constexpr bool kScaled = std::is_same_v<U, int32_t> && std::is_same_v<T, half>;
  constexpr bool kExact = kOneOf<U, int4b_t, int8_t, uint8_t> || (std::is_same_v<T, float> && sizeof(U) == 2) ||
                          (std::is_integral_v<T> && std::is_integral_v<U>);
  constexpr bool kEither = (std::is_same_v<U, half> && sizeof(T) == 1) ||
                           (std::is_same_v<U, int16_t> && std::is_same_v<T, half>) ||
                           (std::is_same_v<U, int32_t> && std::is_same_v<T, float>);
  if (kScaled || (std::is_same_v<U, float> && std::is_same_v<T, half>)) {
    return true;
  }
  return mode == RoundMode::CAST_NONE ? kExact || kEither : mode != RoundMode::CAST_ODD && !kExact;
}

inline double whole(double value, RoundMode mode) {
  switch (mode) {
  case RoundMode::CAST_FLOOR:
    return std::floor(value);
  case RoundMode::CAST_CEIL:
    return std::ceil(value);
  case RoundMode::CAST_TRUNC:
    return std::trunc(value);
  case RoundMode::CAST_ROUND:
    return std::round(value);
  default:
    return std::nearbyint(value);
  }
}

// One step of the last place, away from zero or towards it.
template <typename T> T beside(T value, int step) {
  std::conditional_t<sizeof(T) == 4, uint32_t, uint16_t> bits;
  move_bytes(&bits, &value, sizeof(T));
  bits = static_cast<decltype(bits)>(bits + step);
  move_bytes(&value, &bits, sizeof(T));
  return value;
}

// A number in a narrower float type, where the mode asks for one of its two neighbours.
template <typename T> T narrowed(double value, RoundMode mode) {
  const T nearest = static_cast<T>(value);
  const double found = number(nearest);
  if (found == value || std::isnan(value) || std::isinf(value) || mode == RoundMode::CAST_NONE ||
      mode == RoundMode::CAST_RINT) {
    return nearest;
  }
  const bool over = std::fabs(found) > std::fabs(value);
  const T inner = over ? beside(nearest, -1) : nearest, outer = over ? nearest : beside(nearest, 1);
  if (mode == RoundMode::CAST_ROUND) {
    return std::fabs(value - number(inner)) < std::fabs(number(outer) - value) ? inner : outer;
  }
  if (mode == RoundMode::CAST_ODD) {
    uint16_t bits;
    move_bytes(&bits, &inner, sizeof(bits));
    return bits & 1 ? inner : outer;
  }
  const bool away = (mode == RoundMode::CAST_CEIL && value > 0) || (mode == RoundMode::CAST_FLOOR && value < 0);
  return away ? outer : inner;
}

// As double, in which a number of more digits becomes the odd one of its neighbours: it rounds the same way.
template <typename U> double widened(U from) {
  if constexpr (sizeof(U) == 8) {
    if (std::fabs(number(from)) >= 9007199254740992.0) {
      return number((from >> 11) | ((from & 0x7FF) != 0)) * 2048;
    }
  }
  return number(from);
}

// Integers beyond the range of a type become its ends, and NaN becomes 0.
template <typename T, typename U> T converted(U from, RoundMode mode) {
  if constexpr (!std::is_integral_v<T>) {
    return std::is_same_v<T, U> ? static_cast<T>(whole(number(from), mode)) : narrowed<T>(widened(from), mode);
  } else if constexpr (std::is_integral_v<U>) {
    const int64_t least = std::numeric_limits<T>::min(), most = std::numeric_limits<T>::max();
    const int64_t value = static_cast<int64_t>(from);
    return static_cast<T>(value < least ? least : value > most ? most : value);
  } else {
    using Limits = std::numeric_limits<T>;
    const double rounded = whole(number(from), mode);
    return std::isnan(rounded)                              ? T(0)
           : rounded >= static_cast<double>(Limits::max()) ? Limits::max()
           : rounded <= static_cast<double>(Limits::min()) ? Limits::min()
                                                           : static_cast<T>(rounded);
  }
}

} // namespace twin

template <typename T, typename U>
twin::OnlyCast<T, U> Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode,
                          const uint32_t count) {
  constexpr bool kScaled = std::is_same_v<U, int32_t> && std::is_same_v<T, half>;
  if constexpr (std::is_same_v<T, int4b_t> || std::is_same_v<U, int4b_t>) {
    twin::fail("Cast: 4-bit integers are not modelled");
  } else if (!twin::takes<T, U>(mode)) {
    twin::fail("Cast: no mode " + std::to_string(static_cast<int>(mode)) + " between these types");
  } else {
    twin::issue(PIPE_V, "Cast", [=, scale = kScaled ? twin::scale() : 1.0] {
      const U *from = twin::reads(src, 0, count, twin::kBlock);
      const std::vector<U> values(from, from + count); // the tensors may overlap
      twin::map_elements(dst, count, [&](uint32_t i) {
        return kScaled ? static_cast<T>(twin::number(values[i]) * scale) : twin::converted<T>(values[i], mode);
      });
    });
  }
}
inline void SetDeqScale(half scale) { twin::set_scale(static_cast<float>(scale)); }

namespace twin {

template <typename T, typename U>
using OnlyCompare = std::enable_if_t<kOneOf<T, half, float, int32_t> && kOneOf<U, int8_t, uint8_t>>;
template <typename T, typename U>
using OnlySelect = std::enable_if_t<kOneOf<T, half, float> && kOneOf<U, uint8_t, uint16_t, uint32_t, uint64_t>>;

} // namespace twin

namespace twin {

inline bool compares(CMPMODE mode, double a, double b) {
  switch (mode) {
  case CMPMODE::LT:
    return a < b;
  case CMPMODE::GT:
    return a > b;
  case CMPMODE::EQ:
    return a == b;
  case CMPMODE::LE:
    return a <= b;
  case CMPMODE::GE:
    return a >= b;
  default:
    return a != b;
  }
}

// A mask holds one bit an element, the first in the lowest.
template <typename U, typename Holds> void set_bits(const LocalTensor<U> &dst, uint32_t count, const Holds &holds) {
  map_elements(dst, (count + 7) / 8, [&](uint32_t byte) {
    uint32_t bits = 0;
    for (uint32_t j = 0; j < 8 && byte * 8 + j < count; ++j) {
      bits |= static_cast<uint32_t>(holds(byte * 8 + j)) << j;
    }
    return static_cast<U>(bits);
  });
}

// The bits for elements of a size. By the mask register each repeat takes the same (page "Select", mode 0).
template <typename U>
std::vector<bool> bits_of(const LocalTensor<U> &mask, uint32_t count, SELMODE mode, size_t element) {
  const uint32_t lanes = 256 / element; // of a repeat
  const uint32_t held = mode == SELMODE::VSEL_CMPMASK_SPR && lanes < count ? lanes : count;
  const uint8_t *from = reads(mask.template ReinterpretCast<uint8_t>(), 0, (held + 7) / 8, kBlock);
  std::vector<bool> result(count);
  for (uint32_t i = 0; i < count; ++i) {
    const uint32_t at = i % held;
    result[i] = (from[at / 8] >> at % 8 & 1) != 0;
  }
  return result;
}

} // namespace twin

template <typename T, typename U>
twin::OnlyCompare<T, U> Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                                CMPMODE mode, uint32_t count) {
  twin::issue(PIPE_V, "Compare", [=] {
    const T *a = twin::reads(src0, 0, count, twin::kBlock), *b = twin::reads(src1, 0, count, twin::kBlock);
    twin::set_bits(dst, count, [=](uint32_t i) {
      return twin::compares(mode, twin::number(a[i]), twin::number(b[i]));
    });
  });
}
template <typename T, typename U>
twin::OnlyCompare<T, U> CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1,
                                      CMPMODE mode, uint32_t count) {
  twin::issue(PIPE_V, "CompareScalar", [=, b = twin::number(src1)] {
    const T *a = twin::reads(src0, 0, count, twin::kBlock);
    twin::set_bits(dst, count, [=](uint32_t i) { return twin::compares(mode, twin::number(a[i]), b); });
  });
}
template <typename T, typename U>
twin::OnlySelect<T, U> Select(const LocalTensor<T> &dst, const LocalTensor<U> &mask, const LocalTensor<T> &src0,
                              const LocalTensor<T> &src1, SELMODE mode, uint32_t count) {
  twin::issue(PIPE_V, "Select", [=] {
    const std::vector<bool> bits = twin::bits_of(mask, count, mode, sizeof(T));
    const T *a = twin::reads(src0, 0, count, twin::kBlock), *b = twin::reads(src1, 0, count, twin::kBlock);
    twin::map_elements(dst, count, [&](uint32_t i) { return bits[i] ? a[i] : b[i]; });
  });
}
template <typename T, typename U>
twin::OnlySelect<T, U> Select(const LocalTensor<T> &dst, const LocalTensor<U> &mask, const LocalTensor<T> &src0,
                              T src1, SELMODE mode, uint32_t count) {
  twin::issue(PIPE_V, "Select", [=] {
    const std::vector<bool> bits = twin::bits_of(mask, count, mode, sizeof(T));
    const T *a = twin::reads(src0, 0, count, twin::kBlock);
    twin::map_elements(dst, count, [&](uint32_t i) { return bits[i] ? a[i] : src1; });
  });
}

} // namespace AscendC

#endif // TL_ASCEND_TWIN_VECTOR_CHOOSE_H
