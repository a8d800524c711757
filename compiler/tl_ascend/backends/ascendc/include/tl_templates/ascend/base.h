// SPDX-License-Identifier: Apache-2.0
// What every template here needs: names, hardware constants, a few helpers.
#ifndef TL_ASCEND_BASE_H
#define TL_ASCEND_BASE_H

#include "kernel_operator.h"

#include <cstddef>
#include <cstdint>
#include <type_traits>

#if defined(__has_include)
#if __has_include("version/cann_version.h")
#include "version/cann_version.h"
#endif
#endif

#define TL_DEVICE __aicore__ inline

// Spellings of non-finite constants in emitted programs.
#ifndef CUDART_INF_F
#define CUDART_INF_F (__builtin_inff())
#endif
#ifndef CUDART_NAN_F
#define CUDART_NAN_F (__builtin_nanf(""))
#endif
#ifndef CUDART_INF
#define CUDART_INF (__builtin_inf())
#endif
#ifndef CUDART_NAN
#define CUDART_NAN (__builtin_nan(""))
#endif

using int4b_t = AscendC::int4b_t;

// Emitted programs say `using namespace Catlass;` and name layouts as template arguments. The tags carry no data:
// the templates below only ask which one was given.
namespace Catlass {
namespace layout {
struct RowMajor {};
struct ColumnMajor {};
using ColMajor = ColumnMajor;
struct zN {};
struct zZ {};
struct nZ {};
} // namespace layout
} // namespace Catlass

namespace tl::ascend {

template <typename T> using LocalTensor = AscendC::LocalTensor<T>;
template <typename T> using GlobalTensor = AscendC::GlobalTensor<T>;

namespace detail {

// A data block, the unit of local memory: 32 bytes (page "General notes and constraints", alignment table).
constexpr uint32_t kBlockBytes = 32;
// A fractal is 16 rows of one block (page "Fractal formats of matrix computation").
constexpr uint32_t kFractalRows = 16;
constexpr uint32_t kFractalBytes = kFractalRows * kBlockBytes;
// One vector repeat handles 256 bytes; a call takes at most 255 repeats (page "High-dimensional slicing").
constexpr uint32_t kRepeatBytes = 256;
constexpr uint32_t kMaxRepeat = 255;

// Elements of T in one block: the C0 of the cube's formats.
template <typename T> constexpr uint32_t kC0 = kBlockBytes / sizeof(T);

TL_DEVICE constexpr uint32_t ceil_div(uint32_t x, uint32_t unit) { return (x + unit - 1) / unit; }
TL_DEVICE constexpr uint32_t ceil_to(uint32_t x, uint32_t unit) { return ceil_div(x, unit) * unit; }
TL_DEVICE constexpr uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

template <typename T, typename... Options> constexpr bool is_one_of = (std::is_same_v<T, Options> || ...);

// Vector instructions of one pipe do not wait for each other's results (page PipeBarrier).
TL_DEVICE void vector_barrier() { AscendC::PipeBarrier<PIPE_V>(); }

// Ends what SetAtomicAdd began (pages SetAtomicAdd, DisableDmaAtomic; the older name is SetAtomicNone).
TL_DEVICE void stop_atomic() {
#if defined(CANN_MAJOR) && CANN_MAJOR >= 9
  AscendC::DisableDmaAtomic();
#else
  AscendC::SetAtomicNone();
#endif
}

// Bit pattern of a value, for types that a vector instruction does not take by themselves.
template <typename Bits, typename T> TL_DEVICE Bits bits_of(T value) {
  static_assert(sizeof(Bits) == sizeof(T), "bits_of: the sizes differ");
  union {
    T value;
    Bits bits;
  } both = {value};
  return both.bits;
}

// Sets count elements to value. Duplicate takes 16- and 32-bit types (page Duplicate); 8-bit values are doubled into
// 16 bits, 64-bit values are written as two interleaved halves under a mask. An odd count of 8-bit elements writes
// one element more, which stays inside the last block.
template <typename T> TL_DEVICE void duplicate(const LocalTensor<T> &dst, T value, uint32_t count) {
  if constexpr (sizeof(T) == 1) {
    const uint16_t one = bits_of<uint8_t>(value);
    AscendC::Duplicate<uint16_t>(dst.template ReinterpretCast<uint16_t>(), static_cast<uint16_t>(one | (one << 8)),
                                 static_cast<int32_t>(ceil_div(count, 2)));
  } else if constexpr (sizeof(T) == 8) {
    constexpr uint32_t kPerRepeat = kRepeatBytes / sizeof(T);
    const uint64_t bits = bits_of<uint64_t>(value);
    const LocalTensor<uint32_t> words = dst.template ReinterpretCast<uint32_t>();
    for (uint32_t done = 0; done < count;) {
      const uint32_t whole = (count - done) / kPerRepeat;
      const uint32_t repeats = whole == 0 ? 1 : smaller(whole, kMaxRepeat);
      const uint32_t lanes = whole == 0 ? (count - done) * 2 : 64;
      const uint64_t live = lanes == 64 ? ~0ULL : (1ULL << lanes) - 1;
      uint64_t low[2] = {live & 0x5555555555555555ULL, 0};
      uint64_t high[2] = {live & 0xAAAAAAAAAAAAAAAAULL, 0};
      const LocalTensor<uint32_t> at = words[done * 2];
      AscendC::Duplicate<uint32_t>(at, static_cast<uint32_t>(bits), low, static_cast<uint8_t>(repeats), 1, 8);
      AscendC::Duplicate<uint32_t>(at, static_cast<uint32_t>(bits >> 32), high, static_cast<uint8_t>(repeats), 1, 8);
      done += whole == 0 ? count - done : repeats * kPerRepeat;
    }
  } else {
    AscendC::Duplicate<T>(dst, value, static_cast<int32_t>(count));
  }
}

} // namespace detail
} // namespace tl::ascend

#endif // TL_ASCEND_BASE_H
