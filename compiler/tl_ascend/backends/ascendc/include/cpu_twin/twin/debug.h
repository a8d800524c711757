// SPDX-License-Identifier: Apache-2.0
// Output from a kernel.
#ifndef TL_ASCEND_TWIN_DEBUG_H
#define TL_ASCEND_TWIN_DEBUG_H

#include "tensor.h"

namespace AscendC {

template <typename... Args> void PRINTF(const char *format, Args &&...args);

template <typename T> void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t count);
template <typename T> void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t count);
template <typename T>
void DumpTensor(const LocalTensor<T> &tensor, uint32_t desc, uint32_t count, const ShapeInfo &shape);
template <typename T>
void DumpTensor(const GlobalTensor<T> &tensor, uint32_t desc, uint32_t count, const ShapeInfo &shape);

} // namespace AscendC

#endif // TL_ASCEND_TWIN_DEBUG_H
