// The vector instructions of the immediate machine (see immediate.h). Calls check the alignment that the API pages ask.
#ifndef TESTS_HEADERS_IMMEDIATE_VECTOR_H
#define TESTS_HEADERS_IMMEDIATE_VECTOR_H

#include "immediate.h"

#include <algorithm>
#include <limits>

namespace machine {

template <typename T> T *aligned(const AscendC::LocalTensor<T> &tensor, uint64_t bytes = 32) {
  if ((tensor.GetPhyAddr() - reinterpret_cast<uint64_t>(memory(AscendC::TPosition::VECCALC).data())) % bytes != 0) {
    fail("a vector operand is not aligned");
  }
  return at(tensor);
}

// What is computed before it is stored: integers wrap around.
template <typename T> using Wide = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
template <typename T> Wide<T> wide(T value) { return static_cast<Wide<T>>(value); }

// Lanes of a repeat that a mask keeps.
inline bool keeps(const uint64_t mask[], uint32_t lane) { return mask[lane / 64] >> lane % 64 & 1; }

inline uint32_t repeats(int64_t count) {
  if (count < 0 || count > 255) {
    fail("more than 255 repeats");
  }
  return static_cast<uint32_t>(count);
}

} // namespace machine

namespace AscendC {

template <typename T> twin::OnlyB16B32<T> Duplicate(const LocalTensor<T> &dst, const T &value, const int32_t &count) {
  std::fill_n(machine::aligned(dst), count, value);
}
template <typename T, bool>
twin::OnlyB16B32<T> Duplicate(const LocalTensor<T> &dst, const T &value, uint64_t mask[], const uint8_t repeat,
                              const uint16_t dst_block, const uint8_t dst_repeat) {
  constexpr uint32_t block = 32 / sizeof(T);
  for (uint32_t i = 0; i < repeat; ++i) {
    for (uint32_t lane = 0; lane < 256 / sizeof(T); ++lane) {
      if (machine::keeps(mask, lane)) {
        machine::aligned(dst)[i * dst_repeat * block + lane / block * dst_block * block + lane % block] = value;
      }
    }
  }
}

namespace twin {

inline double whole(double value, RoundMode mode) {
  return mode == RoundMode::CAST_FLOOR   ? std::floor(value)
         : mode == RoundMode::CAST_CEIL  ? std::ceil(value)
         : mode == RoundMode::CAST_TRUNC ? std::trunc(value)
         : mode == RoundMode::CAST_ROUND ? std::round(value)
                                         : std::nearbyint(value);
}

// Integers beyond the range of a type become its ends, and NaN becomes 0.
template <typename T> T converted(double value, RoundMode mode) {
  if constexpr (std::is_integral_v<T>) {
    using Limits = std::numeric_limits<T>;
    const double rounded = whole(value, mode);
    return std::isnan(rounded)                              ? T(0)
           : rounded >= static_cast<double>(Limits::max()) ? Limits::max()
           : rounded <= static_cast<double>(Limits::min()) ? Limits::min()
                                                           : static_cast<T>(rounded);
  } else {
    return static_cast<T>(value);
  }
}

} // namespace twin

template <typename T, typename U>
twin::OnlyCast<T, U> Cast(const LocalTensor<T> &dst, const LocalTensor<U> &src, const RoundMode &mode,
                          const uint32_t count) {
  const std::vector<double> values = machine::numbers(src, count);
  for (uint32_t i = 0; i < count; ++i) {
    // Floats as floats are rounded to whole numbers (page Cast).
    const double value = std::is_same_v<T, U> ? twin::whole(values[i], mode) : values[i];
    machine::aligned(dst)[i] = twin::converted<T>(value, mode);
  }
}

#define MACHINE_BINARY(name, Types, expression)                                                                        \
  template <typename T>                                                                                                \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,               \
                      const int32_t &count) {                                                                          \
    for (int32_t i = 0; i < count; ++i) {                                                                              \
      const machine::Wide<T> a = machine::wide(machine::aligned(src0)[i]);                                             \
      const machine::Wide<T> b = machine::wide(machine::aligned(src1)[i]);                                             \
      machine::aligned(dst)[i] = static_cast<T>(expression);                                                           \
    }                                                                                                                  \
  }
MACHINE_BINARY(Add, OnlyArithmetic, a + b)
#undef MACHINE_BINARY

#define MACHINE_SCALAR(name, Types, expression)                                                                        \
  template <typename T, bool>                                                                                          \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar, const int32_t &count) {   \
    for (int32_t i = 0; i < count; ++i) {                                                                              \
      const machine::Wide<T> a = machine::wide(machine::aligned(src)[i]), b = machine::wide(scalar);                   \
      machine::aligned(dst)[i] = static_cast<T>(expression);                                                           \
    }                                                                                                                  \
  }
MACHINE_SCALAR(Adds, OnlyArithmetic, a + b)
MACHINE_SCALAR(Maxs, OnlyArithmetic, std::max(a, b))
MACHINE_SCALAR(Mins, OnlyArithmetic, std::min(a, b))
MACHINE_SCALAR(ShiftLeft, OnlyShiftable, static_cast<uint64_t>(a) << static_cast<int>(b))
MACHINE_SCALAR(ShiftRight, OnlyShiftable, static_cast<uint64_t>(a) >> static_cast<int>(b))
#undef MACHINE_SCALAR

template <typename T>
twin::OnlyB16B32<T> Gather(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint32_t> &offset,
                           const uint32_t base, const uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    machine::aligned(dst)[i] = machine::aligned(src)[(base + machine::aligned(offset)[i]) / sizeof(T)];
  }
}

template <typename T, bool>
twin::OnlyFloating<T> WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t mask,
                                     const int32_t repeat, const int32_t dst_repeat, const int32_t,
                                     const int32_t src_repeat) {
  if (mask > static_cast<int32_t>(256 / sizeof(T))) {
    machine::fail("more lanes than a repeat has");
  }
  for (uint32_t i = 0; i < machine::repeats(repeat); ++i) {
    double sum = 0;
    for (int32_t lane = 0; lane < mask; ++lane) {
      sum += machine::number(machine::aligned(src)[i * src_repeat * 32 / sizeof(T) + lane]);
    }
    machine::aligned(dst)[i * dst_repeat] = static_cast<T>(sum);
  }
}

namespace twin {

// The pattern reductions: rows start at whole blocks.
template <typename T, typename P, typename Join>
void reduce_pattern(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t shape[], Join join) {
  const uint32_t pitch = (shape[1] * sizeof(T) + 31) / 32 * 32 / sizeof(T);
  const bool rows = std::is_same_v<P, Pattern::Reduce::AR>;
  for (uint32_t i = 0; i < shape[rows ? 0 : 1]; ++i) {
    double result = machine::number(machine::aligned(src)[rows ? i * pitch : i]);
    for (uint32_t j = 1; j < shape[rows ? 1 : 0]; ++j) {
      result = join(result, machine::number(machine::at(src)[rows ? i * pitch + j : j * pitch + i]));
    }
    machine::aligned(dst)[i] = static_cast<T>(result);
  }
}

} // namespace twin

template <typename T, typename P, bool>
twin::OnlyPatternOf<T, P, float> ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                           const LocalTensor<uint8_t> &, const uint32_t shape[], bool) {
  twin::reduce_pattern<T, P>(dst, src, shape, [](double a, double b) { return a + b; });
}
template <typename T, typename P, bool>
twin::OnlyPatternOf<T, P, half, float> ReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                                 const LocalTensor<uint8_t> &, const uint32_t shape[], bool) {
  twin::reduce_pattern<T, P>(dst, src, shape, [](double a, double b) { return std::max(a, b); });
}
template <typename T, typename P, bool>
twin::OnlyPatternOf<T, P, half, float> ReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                                 const LocalTensor<uint8_t> &, const uint32_t shape[], bool) {
  twin::reduce_pattern<T, P>(dst, src, shape, [](double a, double b) { return std::min(a, b); });
}

template <typename T>
twin::OnlyArithmetic<T> ArithProgression(const LocalTensor<T> &dst, const T first, const T difference,
                                         const int32_t count) {
  for (int32_t i = 0; i < count; ++i) {
    machine::aligned(dst)[i] = static_cast<T>(first + i * difference);
  }
}

template <typename T>
twin::Only<T, int8_t, uint8_t, int16_t, uint16_t, half, int32_t, uint32_t, float>
TransDataTo5HD(const LocalTensor<T> (&dst)[16], const LocalTensor<T> (&src)[16], const TransDataTo5HDParams &params) {
  constexpr uint32_t block = 32 / sizeof(T);
  for (uint32_t i = 0; i < params.repeatTimes; ++i) {
    for (uint32_t row = 0; row < 16; ++row) {
      for (uint32_t col = 0; col < block; ++col) {
        const uint32_t place = col * 16 + row; // 16 rows of a column fill one or two target blocks
        machine::aligned(dst[place / block])[i * params.dstRepStride * block + place % block] =
            machine::aligned(src[row])[i * params.srcRepStride * block + col];
      }
    }
  }
}

// Starts on blocks of 32 bytes: so say the parameters on the page Sort32 and the page asc_bitsort of the instruction
// itself, and the vendor's TopK passes rows of half that lie 64 bytes apart. That each repeat takes 128 bytes and writes
// 256, on such multiples, is how far a repeat moves on.
template <typename T>
twin::OnlyFloating<T> Sort32(const LocalTensor<T> &dst, const LocalTensor<T> &score,
                             const LocalTensor<uint32_t> &index, const int32_t repeat) {
  for (uint32_t i = 0; i < machine::repeats(repeat); ++i) {
    std::vector<std::pair<T, uint32_t>> pairs;
    for (uint32_t lane = 0; lane < 32; ++lane) {
      pairs.emplace_back(machine::aligned(score)[i * 32 + lane], machine::aligned(index)[i * 32 + lane]);
    }
    std::stable_sort(pairs.begin(), pairs.end(), [](const auto &a, const auto &b) { return a.first > b.first; });
    for (uint32_t lane = 0; lane < 32; ++lane) {
      uint8_t *place = reinterpret_cast<uint8_t *>(machine::aligned(dst)) + (i * 32 + lane) * 8;
      std::memcpy(place, &pairs[lane].first, sizeof(T));
      std::memcpy(place + 4, &pairs[lane].second, 4);
    }
  }
}

template <typename T>
twin::OnlyFloating<T> MrgSort(const LocalTensor<T> &dst, const MrgSortSrcList<T> &src, const MrgSort4Info &info) {
  const LocalTensor<T> lists[4] = {src.src1, src.src2, src.src3, src.src4};
  uint32_t taken[4] = {0, 0, 0, 0};
  uint32_t total = 0;
  for (uint32_t list = 0; list < 4; ++list) {
    if (info.elementLengths[list] > 4095) {
      machine::fail("a list of more than 4095 pairs");
    }
    total += info.validBit >> list & 1 ? info.elementLengths[list] : 0;
  }
  std::vector<std::pair<T, uint32_t>> merged;
  while (merged.size() < total) {
    int best = -1;
    std::pair<T, uint32_t> chosen{};
    for (int list = 0; list < 4; ++list) {
      if (!(info.validBit >> list & 1) || taken[list] == info.elementLengths[list]) {
        continue;
      }
      std::pair<T, uint32_t> head;
      const uint8_t *place = reinterpret_cast<uint8_t *>(machine::at(lists[list])) + taken[list] * 8;
      std::memcpy(&head.first, place, sizeof(T));
      std::memcpy(&head.second, place + 4, 4);
      if (best < 0 || head.first > chosen.first) {
        best = list, chosen = head;
      }
    }
    ++taken[best];
    merged.push_back(chosen);
  }
  for (uint32_t i = 0; i < total; ++i) {
    uint8_t *place = reinterpret_cast<uint8_t *>(machine::aligned(dst)) + i * 8;
    std::memcpy(place, &merged[i].first, sizeof(T));
    std::memcpy(place + 4, &merged[i].second, 4);
  }
}

} // namespace AscendC

#endif // TESTS_HEADERS_IMMEDIATE_VECTOR_H
