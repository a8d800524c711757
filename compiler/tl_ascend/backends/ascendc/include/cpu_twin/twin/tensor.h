// SPDX-License-Identifier: Apache-2.0
// Tensors and the buffers they are cut from. Positions are run-time values, as in the API.
#ifndef TL_ASCEND_TWIN_TENSOR_H
#define TL_ASCEND_TWIN_TENSOR_H

#include "types.h"

namespace AscendC {

// A piece of local memory: position, byte address, length in bytes. Copies share the memory. GetValue and SetValue
// work on S at once, without waiting for any other pipe.
template <typename T> class LocalTensor {
public:
  using PrimType = T;
  LocalTensor() = default;
  LocalTensor(TPosition position, uint32_t address, uint32_t size);

  T GetValue(const uint32_t index) const;
  template <typename S> void SetValue(const uint32_t index, const S value) const;
  LocalTensor operator[](const uint32_t offset) const;
  template <typename U> LocalTensor<U> ReinterpretCast() const;
  uint64_t GetPhyAddr() const;
  uint64_t GetPhyAddr(const uint32_t offset) const;
  int32_t GetPosition() const;
  // Elements from here to the end of the piece: an offset makes it smaller.
  uint32_t GetSize() const;
  void SetSize(const uint32_t size);

private:
  TPosition position_ = TPosition::MAX;
  uint32_t address_ = 0;
  uint32_t bytes_ = 0;
};

template <typename T> class GlobalTensor {
public:
  using PrimType = T;
  GlobalTensor() = default;

  void SetGlobalBuffer(__gm__ T *buffer);
  void SetGlobalBuffer(__gm__ T *buffer, uint64_t size);
  T GetValue(const uint64_t offset) const;
  void SetValue(const uint64_t offset, T value);
  GlobalTensor operator[](const uint64_t offset) const;
  const __gm__ T *GetPhyAddr() const;
  __gm__ T *GetPhyAddr(const uint64_t offset) const;
  uint64_t GetSize() const;

private:
  __gm__ T *address_ = nullptr;
  uint64_t size_ = 0;
};

template <TPosition position = TPosition::LCM> class TBuf {
public:
  template <typename T> LocalTensor<T> Get();
  template <typename T> LocalTensor<T> Get(uint32_t length);
  // size in elements, offset in bytes.
  template <typename T> LocalTensor<T> GetWithOffset(uint32_t size, uint32_t offset);

private:
  friend class TPipe;
  uint32_t address_ = 0;
  uint32_t bytes_ = 0;
};

class TPipe {
public:
  TPipe();
  ~TPipe();
  template <TPosition position> bool InitBuffer(TBuf<position> &buffer, uint32_t bytes);
  void Destroy();
};

// Shape of a dumped tensor.
struct ShapeInfo {
  ShapeInfo(const uint8_t dims, const uint32_t shape[]);
  uint8_t shapeDim;
  uint32_t shape[8];
};

} // namespace AscendC

#endif // TL_ASCEND_TWIN_TENSOR_H
