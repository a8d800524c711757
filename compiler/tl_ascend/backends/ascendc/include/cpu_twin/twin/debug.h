// SPDX-License-Identifier: Apache-2.0
// Output from a kernel: dropped.
#ifndef TL_ASCEND_TWIN_DEBUG_H
#define TL_ASCEND_TWIN_DEBUG_H

#include "tensor.h"

namespace AscendC {

template <typename... Args> void PRINTF(const char *, Args &&...) {}

template <typename T> void DumpTensor(const LocalTensor<T> &, uint32_t, uint32_t) {}
template <typename T> void DumpTensor(const GlobalTensor<T> &, uint32_t, uint32_t) {}
template <typename T>
void DumpTensor(const LocalTensor<T> &, uint32_t, uint32_t, const ShapeInfo &) {}
template <typename T>
void DumpTensor(const GlobalTensor<T> &, uint32_t, uint32_t, const ShapeInfo &) {}

} // namespace AscendC

#endif // TL_ASCEND_TWIN_DEBUG_H
