// Bodies for the twin's declarations that execute every call at once, in program order. They follow the vendor's API
// pages and are deliberately plain; the numeric tests check the templates' address arithmetic with them. Padding is
// not forgiven: memory starts as noise, and Mmad consumes whole blocks of K.
#ifndef TESTS_HEADERS_IMMEDIATE_H
#define TESTS_HEADERS_IMMEDIATE_H

#include "tl_templates/ascend/common.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <utility>
#include <vector>

namespace machine {

inline std::vector<uint8_t> &memory(AscendC::TPosition position) {
  using P = AscendC::TPosition;
  static std::map<int, std::vector<uint8_t>> memories;
  int kind = 0; // UB
  uint32_t bytes = 192 * 1024;
  if (position == P::A1 || position == P::B1) {
    kind = 1, bytes = 512 * 1024;
  } else if (position == P::A2 || position == P::B2) {
    kind = position == P::A2 ? 2 : 3, bytes = 64 * 1024;
  } else if (position == P::CO1) {
    kind = 4, bytes = 128 * 1024;
  }
  std::vector<uint8_t> &found = memories[kind];
  if (found.empty()) {
    found.resize(bytes);
    for (uint8_t &byte : found) {
      byte = static_cast<uint8_t>(0x41 + rand() % 7); // no NaN in any float format
    }
  }
  return found;
}

[[noreturn]] inline void fail(const char *what) {
  std::printf("machine: %s\n", what);
  std::exit(2);
}

inline std::map<std::pair<int, int>, int> flags;
inline bool adds = false;

inline void expect_no_flags() {
  for (const auto &flag : flags) {
    if (flag.second != 0) {
      fail("a flag was set and never waited for");
    }
  }
}

template <typename T> T *at(const AscendC::LocalTensor<T> &tensor) {
  return reinterpret_cast<T *>(tensor.GetPhyAddr());
}
template <typename T> T *at(const AscendC::GlobalTensor<T> &tensor) { return tensor.GetPhyAddr(0); }

template <typename T> double number(T value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(value);
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

template <typename T> std::vector<double> numbers(const AscendC::LocalTensor<T> &tensor, uint32_t count) {
  std::vector<double> result(count);
  for (uint32_t i = 0; i < count; ++i) {
    result[i] = number(at(tensor)[i]);
  }
  return result;
}

template <typename T> void store(T *place, T value) {
  *place = adds ? static_cast<T>(static_cast<float>(number(*place) + number(value))) : value;
}

} // namespace machine

// ---- numbers -------------------------------------------------------------------------------------------------------

template <typename Number, std::enable_if_t<std::is_arithmetic_v<Number>, int>> half::half(Number number) {
  const float value = static_cast<float>(number);
  uint32_t raw;
  std::memcpy(&raw, &value, 4);
  const uint16_t sign = static_cast<uint16_t>(raw >> 16 & 0x8000);
  const float size = std::fabs(value);
  if (!(size <= 65504.0f)) {
    bits = static_cast<uint16_t>(sign | (std::isnan(value) ? 0x7E00 : size < 65520.0f ? 0x7BFF : 0x7C00));
    return;
  }
  int exponent = size == 0 ? -14 : std::max(-14, std::ilogb(size));
  const float units = std::nearbyint(std::ldexp(size, 10 - exponent));
  const uint32_t mantissa = static_cast<uint32_t>(units);
  bits = static_cast<uint16_t>(sign | (mantissa >= 1024 ? (exponent + 14) * 1024 + mantissa : mantissa));
}

half::operator float() const {
  const int exponent = bits >> 10 & 31;
  const int mantissa = bits & 1023;
  const float size = exponent == 31  ? (mantissa ? CUDART_NAN_F : CUDART_INF_F)
                     : exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -24)
                                     : std::ldexp(static_cast<float>(1024 + mantissa), exponent - 25);
  return bits & 0x8000 ? -size : size;
}

// ---- tensors, flags ------------------------------------------------------------------------------------------------

namespace AscendC {

template <typename T>
LocalTensor<T>::LocalTensor(TPosition position, uint32_t address, uint32_t size)
    : position_(position), address_(address), bytes_(size * static_cast<uint32_t>(sizeof(T))) {}
template <typename T> uint64_t LocalTensor<T>::GetPhyAddr() const {
  return reinterpret_cast<uint64_t>(machine::memory(position_).data() + address_);
}
template <typename T> LocalTensor<T> LocalTensor<T>::operator[](const uint32_t offset) const {
  LocalTensor part = *this;
  part.address_ += offset * static_cast<uint32_t>(sizeof(T));
  part.bytes_ -= offset * static_cast<uint32_t>(sizeof(T));
  return part;
}
template <typename T> template <typename U> LocalTensor<U> LocalTensor<T>::ReinterpretCast() const {
  return LocalTensor<U>(position_, address_, bytes_ / static_cast<uint32_t>(sizeof(U)));
}
template <typename T> uint32_t LocalTensor<T>::GetSize() const { return bytes_ / static_cast<uint32_t>(sizeof(T)); }
template <typename T> T LocalTensor<T>::GetValue(const uint32_t index) const { return machine::at(*this)[index]; }
template <typename T> template <typename S> void LocalTensor<T>::SetValue(const uint32_t index, const S value) const {
  machine::at(*this)[index] = static_cast<T>(value);
}

template <typename T> void GlobalTensor<T>::SetGlobalBuffer(T *buffer) { address_ = buffer; }
template <typename T> GlobalTensor<T> GlobalTensor<T>::operator[](const uint64_t offset) const {
  GlobalTensor part = *this;
  part.address_ += offset;
  return part;
}
template <typename T> T *GlobalTensor<T>::GetPhyAddr(const uint64_t offset) const { return address_ + offset; }

template <TPosition position> template <typename T> LocalTensor<T> TBuf<position>::Get() {
  return LocalTensor<T>(position, 0, static_cast<uint32_t>(machine::memory(position).size() / sizeof(T)));
}

template <HardEvent event> void SetFlag(int32_t id) {
  if (machine::flags[{static_cast<int>(event), id}]++ != 0) {
    machine::fail("a flag was set twice");
  }
}
template <HardEvent event> void WaitFlag(int32_t id) {
  if (machine::flags[{static_cast<int>(event), id}]-- != 1) {
    machine::fail("a pipe waits for a flag that nobody sets");
  }
}
template <pipe_t> void PipeBarrier() {}
template <typename T> twin::Only<T, half, bfloat16_t, float, int8_t, int16_t, int32_t> SetAtomicAdd() {
  machine::adds = true;
}
inline void SetAtomicNone() { machine::adds = false; }

// ---- transfers -----------------------------------------------------------------------------------------------------

template <typename T>
twin::OnlyStorable<T> DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint32_t count) {
  std::memmove(machine::at(dst), machine::at(src), count * sizeof(T) / 32 * 32);
}
template <typename T>
twin::OnlyStorable<T> DataCopy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const DataCopyParams &params) {
  constexpr uint32_t block = 32 / sizeof(T);
  for (uint32_t i = 0; i < params.blockCount; ++i) {
    DataCopy(dst[i * (params.blockLen + params.dstStride) * block],
             src[i * (params.blockLen + params.srcStride) * block], params.blockLen * block);
  }
}
template <typename T>
twin::Only<T, half, bfloat16_t, float, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int4b_t>
DataCopy(const LocalTensor<T> &dst, const GlobalTensor<T> &src, const Nd2NzParams &params) {
  constexpr uint32_t c0 = 32 / sizeof(T);
  for (uint32_t row = 0; row < params.nValue; ++row) {
    for (uint32_t col = 0; col < (params.dValue + c0 - 1) / c0 * c0; ++col) {
      machine::at(dst)[(col / c0 * params.dstNzC0Stride + row * params.dstNzNStride) * c0 + col % c0] =
          col < params.dValue ? machine::at(src)[row * params.srcDValue + col] : T(0);
    }
  }
}
template <typename T>
twin::OnlyStorable<T> DataCopyPad(const LocalTensor<T> &dst, const GlobalTensor<T> &src,
                                  const DataCopyExtParams &params, const DataCopyPadExtParams<T> &padding) {
  const uint32_t count = params.blockLen / sizeof(T);
  const uint32_t whole = (params.blockLen + 31) / 32 * 32 / sizeof(T);
  for (uint32_t row = 0; row < params.blockCount; ++row) {
    T *to = machine::at(dst) + row * (whole + params.dstStride * 32 / sizeof(T));
    const T *from = machine::at(src) + row * (count + params.srcStride / sizeof(T));
    for (uint32_t i = 0; i < whole; ++i) {
      to[i] = i < count ? from[i] : i < count + padding.rightPadding && padding.isPad ? padding.paddingValue : from[0];
    }
  }
}
template <typename T>
twin::OnlyStorable<T> DataCopyPad(const GlobalTensor<T> &dst, const LocalTensor<T> &src,
                                  const DataCopyExtParams &params) {
  const uint32_t count = params.blockLen / sizeof(T);
  const uint32_t whole = (params.blockLen + 31) / 32 * 32 / sizeof(T);
  for (uint32_t row = 0; row < params.blockCount; ++row) {
    T *to = machine::at(dst) + row * (count + params.dstStride / sizeof(T));
    const T *from = machine::at(src) + row * (whole + params.srcStride * 32 / sizeof(T));
    for (uint32_t i = 0; i < count; ++i) {
      machine::store(to + i, from[i]);
    }
  }
}
template <typename T, bool>
twin::OnlyB16B32<T> Copy(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint64_t mask, const uint8_t,
                         const CopyRepeatParams &) {
  std::memcpy(machine::at(dst), machine::at(src), mask * sizeof(T));
}

// ---- cube ----------------------------------------------------------------------------------------------------------

template <typename T>
twin::OnlyB16B32<T> InitConstValue(const LocalTensor<T> &dst, const InitConstValueParams<T> &params) {
  for (uint32_t i = 0; i < params.blockNum * 32 / sizeof(T); ++i) {
    machine::at(dst)[i] = params.initValue;
  }
}
template <typename T>
twin::Only<T, half, bfloat16_t, float, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int4b_t>
LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2DParams &params) {
  constexpr uint32_t size = 512 / sizeof(T);
  for (uint32_t i = 0; i < params.repeatTimes; ++i) {
    T *to = machine::at(dst) + i * (1 + params.dstGap) * size;
    const T *from = machine::at(src) + (params.startIndex + i * params.srcStride) * size;
    for (uint32_t j = 0; j < size; ++j) {
      to[j] = params.ifTranspose ? from[j % 16 * 16 + j / 16] : from[j];
    }
  }
}
template <typename T>
twin::Only<T, half, bfloat16_t, float, int8_t, uint8_t, int32_t, uint32_t, int4b_t>
LoadDataWithTranspose(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData2dTransposeParams &params) {
  if constexpr (sizeof(T) != 1) {
    machine::fail("LoadDataWithTranspose: only 8-bit elements are modelled");
  }
  for (uint32_t i = 0; i < params.repeatTimes; ++i) {
    T *to = machine::at(dst) + i * (1 + params.dstGap) * 512;
    const T *from = machine::at(src) + (params.startIndex + i * params.srcStride) * 1024;
    for (uint32_t row = 0; row < 32; ++row) {
      for (uint32_t col = 0; col < 32; ++col) {
        to[row / 16 * (1 + params.dstFracGap) * 512 + row % 16 * 32 + col] = from[col * 32 + row];
      }
    }
  }
}
// Filter 1 x 1, turned; 32-bit elements. Pixels become K, rounded up to 16; channels become M (L0A) or N (L0B).
template <typename T>
twin::Only<T, half, bfloat16_t, float, int8_t, uint8_t, int32_t, uint32_t, int4b_t>
LoadData(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LoadData3DParamsV2<T> &params) {
  if constexpr (sizeof(T) != 4) {
    machine::fail("LoadData 3D: only 32-bit elements are modelled");
  }
  const bool left = static_cast<TPosition>(dst.GetPosition()) == TPosition::A2;
  const uint32_t pixels = (params.mExtension + 15) / 16 * 16;
  const uint32_t width = (params.kExtension + 15) / 16 * 16;
  for (uint32_t pixel = 0; pixel < pixels; ++pixel) {
    for (uint32_t channel = 0; channel < params.kExtension; ++channel) {
      const uint32_t place = left ? (channel / 16 * (pixels / 8) + pixel / 8) * 128 + channel % 16 * 8 + pixel % 8
                                  : pixel / 8 * width * 8 + channel * 8 + pixel % 8;
      machine::at(dst)[place] = machine::at(src)[(channel / 8 * params.l1W + pixel) * 8 + channel % 8];
    }
  }
}
template <typename T> int32_t LocalTensor<T>::GetPosition() const { return static_cast<int32_t>(position_); }

template <typename Tacc, typename Ta, typename Tb>
twin::OnlyProduct<Tacc, Ta, Tb> Mmad(const LocalTensor<Tacc> &c, const LocalTensor<Ta> &a, const LocalTensor<Tb> &b,
                                     const MmadParams &params) {
  constexpr uint32_t c0 = 32 / sizeof(Ta);
  const uint32_t depth = (params.k + c0 - 1) / c0;
  const uint32_t rows = (params.m + 15) / 16;
  const uint32_t cols = (params.n + 15) / 16;
  const std::vector<double> left = machine::numbers(a, (params.m == 1 ? 1 : rows * 16) * depth * c0);
  const std::vector<double> right = machine::numbers(b, cols * 16 * depth * c0);
  for (uint32_t m = 0; m < params.m; ++m) {
    for (uint32_t n = 0; n < params.n; ++n) {
      double sum = 0;
      for (uint32_t k = 0; k < depth * c0; ++k) {
        sum += left[params.m == 1 ? k : (m / 16 * depth + k / c0) * 16 * c0 + m % 16 * c0 + k % c0] *
               right[(k / c0 * cols + n / 16) * 16 * c0 + n % 16 * c0 + k % c0];
      }
      Tacc *place = machine::at(c) + n / 16 * rows * 256 + m * 16 + n % 16;
      *place = static_cast<Tacc>(sum + (params.cmatrixInitVal ? 0.0 : machine::number(*place)));
    }
  }
}
template <typename Tdst, typename Tacc, const FixpipeConfig &>
twin::OnlyFixpipe<Tdst, Tacc> Fixpipe(const GlobalTensor<Tdst> &dst, const LocalTensor<Tacc> &src,
                                      const FixpipeParamsV220 &params) {
  for (uint32_t m = 0; m < params.mSize; ++m) {
    for (uint32_t n = 0; n < params.nSize; ++n) {
      const Tacc value = machine::at(src)[(n / 16 * params.srcStride + m) * 16 + n % 16];
      const Tacc kept = params.reluEn && value < 0 ? 0 : value;
      machine::store(machine::at(dst) + static_cast<uint64_t>(m) * params.dstStride + n, static_cast<Tdst>(kept));
    }
  }
}

} // namespace AscendC

#endif // TESTS_HEADERS_IMMEDIATE_H
