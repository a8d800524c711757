// SPDX-License-Identifier: Apache-2.0
// Functions of the high-level API, which the vendor composes of several instructions. All on V; tmp is UB scratch.
#ifndef TL_ASCEND_TWIN_VECTOR_LIBRARY_H
#define TL_ASCEND_TWIN_VECTOR_LIBRARY_H

#include "tensor.h"

namespace AscendC {

// Axes of a reduction: A stays, R goes.
namespace Pattern::Reduce {
struct AR {};
struct RA {};
} // namespace Pattern::Reduce

namespace twin {

template <typename T, typename P, typename... Allowed>
using OnlyPatternOf = std::enable_if_t<kOneOf<T, Allowed...> && kOneOf<P, Pattern::Reduce::AR, Pattern::Reduce::RA>>;

} // namespace twin

// The pattern comes second; aligned must be true on A2/A3.
template <typename T, typename P, bool reuses_src = false>
twin::OnlyPatternOf<T, P, float> ReduceSum(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                           const LocalTensor<uint8_t> &tmp, const uint32_t shape[], bool aligned);
template <typename T, typename P, bool reuses_src = false>
twin::OnlyPatternOf<T, P, half, float> ReduceMax(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                                 const LocalTensor<uint8_t> &tmp, const uint32_t shape[],
                                                 bool aligned);
template <typename T, typename P, bool reuses_src = false>
twin::OnlyPatternOf<T, P, half, float> ReduceMin(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                                 const LocalTensor<uint8_t> &tmp, const uint32_t shape[],
                                                 bool aligned);

struct SumParams {
  uint32_t outter = 1;
  uint32_t inner = 0;
  uint32_t n = 0;
};
template <typename T>
twin::OnlyFloating<T> Sum(const LocalTensor<T> &dst, const LocalTensor<T> &src, const SumParams &params);

template <typename T, int32_t dim, int32_t axis, bool reuses_src = false>
twin::Only<T, int8_t, uint8_t, half, float> Broadcast(const LocalTensor<T> &dst, const LocalTensor<T> &src,
                                                      const uint32_t dst_shape[dim], const uint32_t src_shape[dim],
                                                      LocalTensor<uint8_t> &tmp);

template <typename T>
twin::OnlyArithmetic<T> ArithProgression(const LocalTensor<T> &dst, const T first, const T difference,
                                         const int32_t count);

template <typename T, bool reuses_src = false>
twin::OnlyFloating<T> Sin(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
                          const uint32_t count);
template <typename T, bool reuses_src = false>
twin::OnlyFloating<T> Cos(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
                          const uint32_t count);
template <typename T, bool reuses_src = false>
twin::OnlyFloating<T> Round(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
                            const uint32_t count);
template <typename T, bool reuses_src = false>
twin::OnlyFloating<T> Sigmoid(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
                              const uint32_t count);
template <typename T, bool reuses_src = false>
twin::OnlyFloating<T> Silu(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count);

template <typename T, bool reuses_src = false>
twin::OnlyWord16<T> Xor(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                        const LocalTensor<uint8_t> &tmp);
template <typename T, bool reuses_src = false>
twin::OnlyWord16<T> Xor(const LocalTensor<T> &dst, const LocalTensor<T> &src0, const LocalTensor<T> &src1,
                        const LocalTensor<uint8_t> &tmp, const uint32_t count);
template <typename T, bool reuses_src = false>
twin::Only<T, half, float, int32_t> Power(const LocalTensor<T> &dst, const LocalTensor<T> &base,
                                          const LocalTensor<T> &exponent, const LocalTensor<uint8_t> &tmp);
template <typename T, bool reuses_src = false>
twin::Only<T, half, float, int32_t> Power(const LocalTensor<T> &dst, const LocalTensor<T> &base,
                                          const LocalTensor<T> &exponent, const LocalTensor<uint8_t> &tmp,
                                          uint32_t count);

} // namespace AscendC

#endif // TL_ASCEND_TWIN_VECTOR_LIBRARY_H
