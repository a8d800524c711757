// SPDX-License-Identifier: Apache-2.0
// Reduction instructions, all on V; half and float on A2/A3.
#ifndef TL_ASCEND_TWIN_VECTOR_REDUCE_H
#define TL_ASCEND_TWIN_VECTOR_REDUCE_H

#include "tensor.h"

namespace AscendC {

// One result per repeat.
#define TWIN_WHOLE(name)                                                                                               \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::OnlyFloating<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t mask,                 \
                             const int32_t repeat, const int32_t dst_repeat, const int32_t src_block,                  \
                             const int32_t src_repeat, ReduceOrder order = ReduceOrder::ORDER_VALUE_INDEX);

TWIN_WHOLE(WholeReduceMax)
TWIN_WHOLE(WholeReduceMin)
#undef TWIN_WHOLE

template <typename T, bool sets_mask = true>
twin::OnlyFloating<T> WholeReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t mask,
                                     const int32_t repeat, const int32_t dst_repeat, const int32_t src_block,
                                     const int32_t src_repeat);

// One result per block; here the repeats come before the mask.
#define TWIN_BLOCK(name)                                                                                               \
  template <typename T, bool sets_mask = true>                                                                         \
  twin::OnlyFloating<T> name(const LocalTensor<T> &dst, const LocalTensor<T> &src, const int32_t repeat,               \
                             const int32_t mask, const int32_t dst_repeat, const int32_t src_block,                    \
                             const int32_t src_repeat);

TWIN_BLOCK(BlockReduceSum)
TWIN_BLOCK(BlockReduceMax)
TWIN_BLOCK(BlockReduceMin)
#undef TWIN_BLOCK

// One result for all; tmp has the element type.
template <typename T, bool sets_mask = true>
twin::OnlyFloating<T> ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &tmp,
                                const int32_t count);
template <typename T>
twin::OnlyFloating<T> ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &tmp,
                                const int32_t mask, const int32_t repeat, const int32_t src_repeat);
template <typename T>
twin::OnlyFloating<T> ReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &tmp,
                                const int32_t count, bool with_index = false);
template <typename T>
twin::OnlyFloating<T> ReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<T> &tmp,
                                const int32_t count, bool with_index = false);

} // namespace AscendC

#endif // TL_ASCEND_TWIN_VECTOR_REDUCE_H
