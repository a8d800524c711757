// SPDX-License-Identifier: Apache-2.0
// Tensors and the buffers they are cut from. Positions are run-time values, as in the API.
#ifndef TL_ASCEND_TWIN_TENSOR_H
#define TL_ASCEND_TWIN_TENSOR_H

#include "machine.h"

namespace AscendC {

// A piece of local memory: position, byte address, length in bytes. Copies share the memory. GetValue and SetValue
// work on S at once, without waiting for any other pipe.
template <typename T> class LocalTensor {
public:
  using PrimType = T;
  LocalTensor() = default;
  LocalTensor(TPosition position, uint32_t address, uint32_t size)
      : position_(position), address_(address), bytes_(size * static_cast<uint32_t>(sizeof(T))) {}

  T GetValue(const uint32_t index) const {
    twin::scalar_turn("GetValue");
    T value;
    twin::scalar_read(place(index), &value, sizeof(T));
    return value;
  }
  template <typename S> void SetValue(const uint32_t index, const S value) const {
    twin::scalar_turn("SetValue");
    const T converted = static_cast<T>(value);
    twin::scalar_write(place(index), &converted, sizeof(T));
  }
  LocalTensor operator[](const uint32_t offset) const {
    LocalTensor part = *this;
    part.address_ += offset * static_cast<uint32_t>(sizeof(T));
    part.bytes_ -= offset * static_cast<uint32_t>(sizeof(T));
    return part;
  }
  template <typename U> LocalTensor<U> ReinterpretCast() const {
    return LocalTensor<U>(position_, address_, bytes_ / static_cast<uint32_t>(sizeof(U)));
  }
  uint64_t GetPhyAddr() const { return address_; }
  uint64_t GetPhyAddr(const uint32_t offset) const { return address_ + static_cast<uint64_t>(offset) * sizeof(T); }
  int32_t GetPosition() const { return static_cast<int32_t>(position_); }
  // Elements from here to the end of the piece: an offset makes it smaller.
  uint32_t GetSize() const { return bytes_ / static_cast<uint32_t>(sizeof(T)); }
  void SetSize(const uint32_t size) { bytes_ = size * static_cast<uint32_t>(sizeof(T)); }

private:
  uint8_t *place(uint32_t index) const {
    return twin::local(position_, address_ + static_cast<uint64_t>(index) * sizeof(T), sizeof(T), sizeof(T));
  }

  TPosition position_ = TPosition::MAX;
  uint32_t address_ = 0;
  uint32_t bytes_ = 0;
};

template <typename T> class GlobalTensor {
public:
  using PrimType = T;
  GlobalTensor() = default;

  void SetGlobalBuffer(__gm__ T *buffer) { address_ = buffer; }
  void SetGlobalBuffer(__gm__ T *buffer, uint64_t size) {
    address_ = buffer;
    size_ = size;
  }
  T GetValue(const uint64_t offset) const {
    twin::scalar_turn("GetValue");
    T value;
    twin::scalar_read(twin::global(address_ + offset, sizeof(T)), &value, sizeof(T));
    return value;
  }
  void SetValue(const uint64_t offset, T value) {
    twin::scalar_turn("SetValue");
    twin::scalar_write(twin::global(address_ + offset, sizeof(T)), &value, sizeof(T));
  }
  GlobalTensor operator[](const uint64_t offset) const {
    GlobalTensor part = *this;
    part.address_ += offset;
    part.size_ -= offset;
    return part;
  }
  const __gm__ T *GetPhyAddr() const { return address_; }
  __gm__ T *GetPhyAddr(const uint64_t offset) const { return address_ + offset; }
  uint64_t GetSize() const { return size_; }

private:
  __gm__ T *address_ = nullptr;
  uint64_t size_ = 0;
};

template <TPosition position = TPosition::LCM> class TBuf {
public:
  template <typename T> LocalTensor<T> Get() { return GetWithOffset<T>(room() / sizeof(T), 0); }
  template <typename T> LocalTensor<T> Get(uint32_t length) { return GetWithOffset<T>(length, 0); }
  // size in elements, offset in bytes.
  template <typename T> LocalTensor<T> GetWithOffset(uint32_t size, uint32_t offset) {
    const uint64_t end = offset + static_cast<uint64_t>(size) * sizeof(T);
    if (end > twin::memory_size(position)) {
      twin::fail("a tensor ends at byte " + std::to_string(end) + " of a memory of " +
                 std::to_string(twin::memory_size(position)));
    }
    return LocalTensor<T>(position, address_ + offset, size);
  }

private:
  friend class TPipe;
  uint32_t room() const { return bytes_ == 0 ? twin::memory_size(position) : bytes_; }
  uint32_t address_ = 0;
  uint32_t bytes_ = 0; // 0: no pipe gave it a size, so it is all of its memory
};

// Programs use one buffer for each memory, so every buffer starts at byte 0.
class TPipe {
public:
  TPipe() {}
  ~TPipe() {}
  template <TPosition position> bool InitBuffer(TBuf<position> &buffer, uint32_t bytes) {
    if (bytes > twin::memory_size(position)) {
      twin::fail("InitBuffer: " + std::to_string(bytes) + " bytes of a memory of " +
                 std::to_string(twin::memory_size(position)));
    }
    buffer.bytes_ = bytes;
    return true;
  }
  void Destroy() {}
};

// Shape of a dumped tensor.
struct ShapeInfo {
  ShapeInfo(const uint8_t dims, const uint32_t sizes[]) : shapeDim(dims) {
    for (uint8_t i = 0; i < dims && i < 8; ++i) {
      shape[i] = sizes[i];
    }
  }
  uint8_t shapeDim;
  uint32_t shape[8];
};

namespace twin {

constexpr uint32_t kBlock = 32; // bytes of a block, to which operands of V are aligned

// Elements of a tensor, for the body of a call.
template <typename T>
const T *reads(const LocalTensor<T> &tensor, uint64_t first, uint64_t count, uint32_t alignment = 1) {
  const TPosition position = static_cast<TPosition>(tensor.GetPosition());
  const uint64_t address = static_cast<uint32_t>(tensor.GetPhyAddr() + first * sizeof(T));
  const uint8_t *place = local(position, address, count * sizeof(T), alignment);
  saw(place, count * sizeof(T));
  return reinterpret_cast<const T *>(place);
}
template <typename T> T *writes(const LocalTensor<T> &tensor, uint64_t first, uint64_t count, uint32_t alignment = 1) {
  const TPosition position = static_cast<TPosition>(tensor.GetPosition());
  const uint64_t address = static_cast<uint32_t>(tensor.GetPhyAddr() + first * sizeof(T));
  uint8_t *place = local(position, address, count * sizeof(T), alignment);
  writes(place, count * sizeof(T));
  return reinterpret_cast<T *>(place);
}
template <typename T> const T *reads(const GlobalTensor<T> &tensor, uint64_t first, uint64_t count) {
  const uint8_t *place = global(tensor.GetPhyAddr(first), count * sizeof(T));
  saw(place, count * sizeof(T));
  return reinterpret_cast<const T *>(place);
}

template <typename T> double number(T value) {
  if constexpr (std::is_arithmetic_v<T>) {
    return static_cast<double>(value);
  } else if constexpr (std::is_same_v<T, bfloat16_t>) {
    return static_cast<double>(ToFloat(value));
  } else {
    return static_cast<double>(static_cast<float>(value));
  }
}

// What is computed before it is stored: integers wrap around, floats keep more digits.
template <typename T> using Wide = std::conditional_t<std::is_integral_v<T>, int64_t, double>;
template <typename T> Wide<T> wide(T value) {
  if constexpr (std::is_integral_v<T>) {
    return static_cast<int64_t>(value);
  } else {
    return number(value);
  }
}

// Copies elements to GM, or adds them to what is there.
template <typename T> void add_elements(uint8_t *place, const uint8_t *addend, uint64_t bytes) {
  for (uint64_t i = 0; i < bytes; i += sizeof(T)) {
    T old, more;
    move_bytes(&old, place + i, sizeof(T));
    move_bytes(&more, addend + i, sizeof(T));
    const T sum = static_cast<T>(wide(old) + wide(more));
    move_bytes(place + i, &sum, sizeof(T));
  }
}
template <typename T>
void stores(const GlobalTensor<T> &tensor, uint64_t first, const T *values, uint64_t count, bool adding) {
  uint8_t *place = global(tensor.GetPhyAddr(first), count * sizeof(T));
  if (adding) {
    adds(place, reinterpret_cast<const uint8_t *>(values), count * sizeof(T), &add_elements<T>);
  } else {
    writes(place, count * sizeof(T));
    move_bytes(place, values, count * sizeof(T));
  }
}

} // namespace twin
} // namespace AscendC

#endif // TL_ASCEND_TWIN_TENSOR_H
