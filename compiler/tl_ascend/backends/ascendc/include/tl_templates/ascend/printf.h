// SPDX-License-Identifier: Apache-2.0
// Dumping tensors from a kernel. Source: page DumpTensor.
#ifndef TL_ASCEND_PRINTF_H
#define TL_ASCEND_PRINTF_H

#include "base.h"

namespace tl::ascend {

// Prints dumpSize elements under the number desc, in the given shape; nullptr stands for no shape.
template <typename T, size_t dims>
TL_DEVICE void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize, uint8_t dim,
                          const uint32_t (&shape)[dims]) {
  AscendC::DumpTensor(tensor, desc, dumpSize, AscendC::ShapeInfo(dim, shape));
}

template <typename T, size_t dims>
TL_DEVICE void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize, uint8_t dim,
                          const uint32_t (&shape)[dims]) {
  AscendC::DumpTensor(tensor, desc, dumpSize, AscendC::ShapeInfo(dim, shape));
}

template <typename T>
TL_DEVICE void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize, uint8_t, std::nullptr_t) {
  AscendC::DumpTensor(tensor, desc, dumpSize);
}

template <typename T>
TL_DEVICE void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t dumpSize, uint8_t, std::nullptr_t) {
  AscendC::DumpTensor(tensor, desc, dumpSize);
}

} // namespace tl::ascend

#endif // TL_ASCEND_PRINTF_H
