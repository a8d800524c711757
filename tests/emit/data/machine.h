// Runs whole emitted programs on the immediate machine of the header tests: block after block, the cube core of a block
// before its vector cores, every call at once. It tells whether programs address the right elements; it cannot tell
// whether they synchronise.
#ifndef TESTS_EMIT_MACHINE_H
#define TESTS_EMIT_MACHINE_H

#include "immediate_vector.h"

#include "acl/acl.h"
#include <fstream>
#include <runtime/rt_ffts.h>
#include <string>

namespace machine {

inline bool cube = false;
inline int64_t block = 0, sub = 0;
inline int vector_cores = 2;

// A mask holds one bit an element, the first in the lowest.
template <typename U> bool bit(const AscendC::LocalTensor<U> &mask, uint32_t i) {
  return reinterpret_cast<uint8_t *>(at(mask))[i / 8] >> i % 8 & 1;
}

inline bool compares(AscendC::CMPMODE mode, double a, double b) {
  using M = AscendC::CMPMODE;
  return mode == M::LT   ? a < b
         : mode == M::GT ? a > b
         : mode == M::EQ ? a == b
         : mode == M::LE ? a <= b
         : mode == M::GE ? a >= b
                         : a != b;
}

// One tensor after the other, as the test wrote them; they are written back the same way.
inline std::vector<std::vector<uint8_t>> read(const std::string &path, const std::vector<size_t> &sizes) {
  std::ifstream file(path, std::ios::binary);
  std::vector<std::vector<uint8_t>> tensors;
  for (size_t size : sizes) {
    tensors.emplace_back(size);
    file.read(reinterpret_cast<char *>(tensors.back().data()), static_cast<std::streamsize>(size));
  }
  if (!file) {
    fail("an input is too short");
  }
  return tensors;
}

inline void write(const std::string &path, const std::vector<std::vector<uint8_t>> &tensors) {
  std::ofstream file(path, std::ios::binary);
  for (const auto &tensor : tensors) {
    file.write(reinterpret_cast<const char *>(tensor.data()), static_cast<std::streamsize>(tensor.size()));
  }
}

} // namespace machine

extern "C" inline int32_t rtGetC2cCtrlAddr(uint64_t *, uint32_t *) { return 0; }

namespace AscendC {

namespace twin {
inline bool on_cube_core() { return machine::cube; }
inline bool on_vector_core() { return !machine::cube; }
inline void set_kernel_type(KernelType type) {
  machine::vector_cores = type == KernelType::KERNEL_TYPE_MIX_AIC_1_1 ? 1 : 2;
}

template <typename... Params, typename... Args>
void launch(void (*kernel)(Params...), uint32_t blocks, void *, Args &&...args) {
  for (uint32_t i = 0; i < blocks; ++i) {
    machine::cube = true;
    machine::block = i;
    kernel(static_cast<Params>(args)...);
    machine::expect_no_flags();
    machine::cube = false;
    for (int sub = 0; sub < machine::vector_cores; ++sub) {
      machine::block = static_cast<int64_t>(i) * machine::vector_cores + sub;
      machine::sub = sub;
      kernel(static_cast<Params>(args)...);
      machine::expect_no_flags();
    }
  }
}
} // namespace twin

inline int64_t GetBlockIdx() { return machine::block; }
inline int64_t GetSubBlockIdx() { return machine::cube ? 0 : machine::sub; }
template <uint8_t, pipe_t> void CrossCoreSetFlag(uint16_t) {}
template <uint8_t, pipe_t> void CrossCoreWaitFlag(uint16_t) {}
template <bool> void SyncAll() {}

template <typename... Args> void PRINTF(const char *, Args &&...) {}

inline TPipe::TPipe() {}
inline TPipe::~TPipe() {}
template <TPosition position> bool TPipe::InitBuffer(TBuf<position> &, uint32_t) { return true; }
inline void TPipe::Destroy() {}
template <TPosition position>
template <typename T>
LocalTensor<T> TBuf<position>::GetWithOffset(uint32_t size, uint32_t offset) {
  return LocalTensor<T>(position, offset, size);
}
template <typename T> T GlobalTensor<T>::GetValue(const uint64_t offset) const { return address_[offset]; }
template <typename T> void GlobalTensor<T>::SetValue(const uint64_t offset, T value) { address_[offset] = value; }

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
MACHINE_BINARY(Sub, OnlyArithmetic, a - b)
MACHINE_BINARY(Mul, OnlyArithmetic, a *b)
MACHINE_BINARY(Max, OnlyArithmetic, std::max(a, b))
MACHINE_BINARY(Min, OnlyArithmetic, std::min(a, b))
MACHINE_BINARY(Div, OnlyFloating, a / b)

#define MACHINE_UNARY(name, Types, expression)                                                                         \
  template <typename T>                                                                                                \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count) {                    \
    for (int32_t i = 0; i < count; ++i) {                                                                              \
      const double a = machine::number(machine::aligned(src)[i]);                                                      \
      machine::aligned(dst)[i] = static_cast<T>(expression);                                                           \
    }                                                                                                                  \
  }
MACHINE_UNARY(Exp, OnlyFloating, std::exp(a))
MACHINE_UNARY(Abs, OnlyFloating, std::fabs(a))

template <typename T>
twin::Only<T, half, float, int32_t> Relu(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t &count) {
  for (int32_t i = 0; i < count; ++i) {
    machine::aligned(dst)[i] = static_cast<T>(std::max(machine::number(machine::aligned(src)[i]), 0.0));
  }
}

template <typename T, bool>
twin::OnlyArithmetic<T> Muls(const LocalTensor<T> &dst, const LocalTensor<T> &src, const T &scalar,
                             const int32_t &count) {
  for (int32_t i = 0; i < count; ++i) {
    machine::aligned(dst)[i] = static_cast<T>(machine::wide(machine::aligned(src)[i]) * machine::wide(scalar));
  }
}

// Sliced forms: strides in blocks, all lanes of a repeat.
#define MACHINE_SLICED(name, Types, expression)                                                                        \
  template <typename T, bool>                                                                                          \
  twin::Types<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,               \
                      uint64_t mask[], const uint8_t repeat, const BinaryRepeatParams &params) {                       \
    constexpr uint32_t block = 32 / sizeof(T);                                                                         \
    for (uint32_t i = 0; i < repeat; ++i) {                                                                            \
      for (uint32_t lane = 0; lane < 8 * block; ++lane) {                                                              \
        const uint32_t row = lane / block, column = lane % block;                                                      \
        const auto place = [&](uint32_t step, uint32_t stride) {                                                       \
          return (i * step + row * stride) * block + column;                                                           \
        };                                                                                                             \
        if (machine::keeps(mask, lane)) {                                                                              \
          const double a = machine::number(machine::at(src0)[place(params.src0RepStride, params.src0BlkStride)]);      \
          const double b = machine::number(machine::at(src1)[place(params.src1RepStride, params.src1BlkStride)]);      \
          machine::at(dst)[place(params.dstRepStride, params.dstBlkStride)] = static_cast<T>(expression);              \
        }                                                                                                              \
      }                                                                                                                \
    }                                                                                                                  \
  }
MACHINE_SLICED(Mul, OnlyArithmetic, a *b)
MACHINE_SLICED(Sub, OnlyArithmetic, a - b)
MACHINE_SLICED(Div, OnlyFloating, a / b)

template <typename T>
twin::OnlyB16B32<T> Brcb(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t repeat,
                         const BrcbRepeatParams &params) {
  constexpr uint32_t block = 32 / sizeof(T);
  for (uint32_t i = 0; i < repeat * 8u; ++i) {
    const uint32_t at = i / 8 * params.dstRepStride + i % 8 * params.dstBlkStride;
    std::fill_n(machine::aligned(dst) + at * block, block, machine::at(src)[i]);
  }
}

template <typename T, int32_t dim, int32_t axis, bool>
twin::Only<T, int8_t, uint8_t, half, float> Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                                      const uint32_t dst_shape[dim], const uint32_t src_shape[dim],
                                                      LocalTensor<uint8_t> &) {
  const uint32_t rows = dim == 2 ? dst_shape[0] : 1, cols = dst_shape[dim - 1];
  const uint32_t high = dim == 2 ? src_shape[0] : 1, wide = src_shape[dim - 1];
  const std::vector<double> from = machine::numbers(src, high * wide);
  for (uint32_t i = 0; i < rows * cols; ++i) {
    machine::aligned(dst)[i] = static_cast<T>(from[i / cols % high * wide + i % cols % wide]);
  }
}

template <typename T, typename U>
twin::OnlyCompare<T, U> Compare(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                                CMPMODE mode, uint32_t count) {
  for (uint32_t i = 0; i < count; i += 8) {
    uint8_t byte = 0;
    for (uint32_t j = 0; j < 8; ++j) {
      const double a = machine::number(machine::at(src0)[i + j]), b = machine::number(machine::at(src1)[i + j]);
      byte |= static_cast<uint8_t>(machine::compares(mode, a, b) << j);
    }
    machine::at(dst)[i / 8] = static_cast<U>(byte);
  }
}

template <typename T, typename U>
twin::OnlyCompare<T, U> CompareScalar(const LocalTensor<U> &dst, const LocalTensor<T> &src0, const T src1, CMPMODE mode,
                                      uint32_t count) {
  for (uint32_t i = 0; i < count; i += 8) {
    uint8_t byte = 0;
    for (uint32_t j = 0; j < 8; ++j) {
      const bool holds = machine::compares(mode, machine::number(machine::at(src0)[i + j]), machine::number(src1));
      byte |= static_cast<uint8_t>(holds << j);
    }
    machine::aligned(dst)[i / 8] = static_cast<U>(byte);
  }
}

template <typename T, typename U>
twin::OnlySelect<T, U> Select(const LocalTensor<T> &dst, const LocalTensor<U> &mask, const LocalTensor<T> &src0,
                              const LocalTensor<T> &src1, SELMODE, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    machine::aligned(dst)[i] = machine::bit(mask, i) ? machine::aligned(src0)[i] : machine::aligned(src1)[i];
  }
}

template <typename T> twin::OnlyArithmetic<T> CreateVecIndex(LocalTensor<T> dst, const T &first, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    machine::aligned(dst)[i] = static_cast<T>(machine::number(first) + i);
  }
}

// Built-in patterns, normal mode: every repeat is read whole, what is kept lies together.
template <typename T, GatherMaskMode>
twin::OnlyB16B32<T> GatherMask(const LocalTensor<T> &dst, const LocalTensor<T> &src, const uint8_t pattern, const bool,
                               const uint32_t, const GatherMaskParams &params, uint64_t &kept) {
  const uint32_t count = params.repeatTimes * 256 / sizeof(T), step = pattern < 3 ? 2 : pattern < 7 ? 4 : 1;
  const uint32_t first = pattern < 3 ? pattern - 1 : pattern < 7 ? pattern - 3 : 0;
  kept = 0;
  for (uint32_t i = first; i < count; i += step) {
    machine::aligned(dst)[kept++] = machine::aligned(src)[i];
  }
}

template <typename T, typename U>
twin::OnlySelect<T, U> Select(const LocalTensor<T> &dst, const LocalTensor<U> &mask, const LocalTensor<T> &src0,
                              T src1, SELMODE, uint32_t count) {
  for (uint32_t i = 0; i < count; ++i) {
    machine::at(dst)[i] = machine::bit(mask, i) ? machine::at(src0)[i] : src1;
  }
}

} // namespace AscendC

#endif // TESTS_EMIT_MACHINE_H
