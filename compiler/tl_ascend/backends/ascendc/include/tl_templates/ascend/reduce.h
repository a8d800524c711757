// SPDX-License-Identifier: Apache-2.0
// Row and column reductions of a UB tile, on V.
#ifndef TL_ASCEND_REDUCE_H
#define TL_ASCEND_REDUCE_H

#include "base.h"

namespace tl::ascend {
namespace detail {

// Repeats of one call whose results (one element each) end on a whole block, whatever the type.
constexpr uint32_t kReduceRepeats = 240;

struct SumOp {
  template <typename T, typename Pattern>
  static TL_DEVICE void run(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
                            const uint32_t shape[]) {
    AscendC::ReduceSum<T, Pattern>(dst, src, tmp, shape, true);
  }
  static TL_DEVICE float join(float a, float b) { return a + b; }
};

struct MaxOp {
  template <typename T, typename Pattern>
  static TL_DEVICE void run(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
                            const uint32_t shape[]) {
    AscendC::ReduceMax<T, Pattern>(dst, src, tmp, shape, true);
  }
  static TL_DEVICE float join(float a, float b) { return a > b ? a : b; }
};

struct MinOp {
  template <typename T, typename Pattern>
  static TL_DEVICE void run(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
                            const uint32_t shape[]) {
    AscendC::ReduceMin<T, Pattern>(dst, src, tmp, shape, true);
  }
  static TL_DEVICE float join(float a, float b) { return a < b ? a : b; }
};

// Sums rows of at most 128 halves, rep_stride blocks apart (page ReduceRepeat: up to 255 repeats, results consecutive).
TL_DEVICE void sum_half_rows(const LocalTensor<half> &dst, const LocalTensor<half> &src, uint32_t mask, uint32_t rows,
                             uint32_t rep_stride) {
  for (uint32_t row = 0; row < rows; row += kReduceRepeats) {
    AscendC::WholeReduceSum<half>(dst[row], src[row * rep_stride * kC0<half>], static_cast<int32_t>(mask),
                                  static_cast<int32_t>(smaller(rows - row, kReduceRepeats)), 1, 1,
                                  static_cast<int32_t>(rep_stride));
  }
}

// The pattern reduction adds float only on A2/A3 (page ReduceSum, type list), so half has its own: rows by the repeat
// reduction, 128 columns at a time with partial results in tmp; columns by adding rows.
template <uint32_t M, uint32_t N, int32_t dim>
TL_DEVICE void reduce_sum_of_half(const LocalTensor<half> &dst, const LocalTensor<half> &src,
                                  const LocalTensor<uint8_t> &tmp) {
  constexpr uint32_t kLanes = kRepeatBytes / sizeof(half);
  constexpr uint32_t kPitch = ceil_to(N, kC0<half>);
  if constexpr (dim == -1 && N <= kLanes) {
    sum_half_rows(dst, src, N, M, kPitch / kC0<half>);
  } else if constexpr (dim == -1) {
    constexpr uint32_t kPieces = ceil_div(N, kLanes);
    constexpr uint32_t kColumn = ceil_to(M, kC0<half>);
    const LocalTensor<half> part = tmp.ReinterpretCast<half>();
    for (uint32_t piece = 0; piece < kPieces; ++piece) {
      sum_half_rows(part[piece * kColumn], src[piece * kLanes], smaller(N - piece * kLanes, kLanes), M,
                    kPitch / kC0<half>);
    }
    vector_barrier();
    AscendC::Add(dst, part, part[kColumn], static_cast<int32_t>(M));
    for (uint32_t piece = 2; piece < kPieces; ++piece) {
      vector_barrier();
      AscendC::Add(dst, dst, part[piece * kColumn], static_cast<int32_t>(M));
    }
  } else if constexpr (M == 1) {
    AscendC::Adds(dst, src, half(0), static_cast<int32_t>(N));
  } else {
    AscendC::Add(dst, src, src[kPitch], static_cast<int32_t>(N));
    for (uint32_t row = 2; row < M; ++row) {
      vector_barrier();
      AscendC::Add(dst, dst, src[row * kPitch], static_cast<int32_t>(N));
    }
  }
}

template <typename Op, typename T, uint32_t M, uint32_t N, int32_t dim>
TL_DEVICE void reduce_over(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp) {
  static_assert(dim == -1 || dim == 0, "reduce: dim is -1 (along a row) or 0 (along a column)");
  if constexpr (std::is_same_v<Op, SumOp> && std::is_same_v<T, half>) {
    reduce_sum_of_half<M, N, dim>(dst, src, tmp);
  } else {
    using Pattern = std::conditional_t<dim == -1, AscendC::Pattern::Reduce::AR, AscendC::Pattern::Reduce::RA>;
    const uint32_t shape[] = {M, N};
    Op::template run<T, Pattern>(dst, src, tmp, shape);
  }
}

// With clear = false the old contents of dst take part. They wait in scalar variables while dst is overwritten; the
// barriers keep S and V apart. Joining goes through float, since aicore scalars of half do not compare.
template <typename Op, typename T, uint32_t M, uint32_t N, int32_t dim>
TL_DEVICE void reduce(const LocalTensor<T> &dst, const LocalTensor<T> &src, const LocalTensor<uint8_t> &tmp,
                      bool clear) {
  if (clear) {
    reduce_over<Op, T, M, N, dim>(dst, src, tmp);
    return;
  }
  constexpr uint32_t kResults = dim == -1 ? M : N;
  T old[kResults];
  AscendC::PipeBarrier<PIPE_ALL>();
  for (uint32_t i = 0; i < kResults; ++i) {
    old[i] = dst.GetValue(i);
  }
  AscendC::PipeBarrier<PIPE_ALL>();
  reduce_over<Op, T, M, N, dim>(dst, src, tmp);
  AscendC::PipeBarrier<PIPE_ALL>();
  for (uint32_t i = 0; i < kResults; ++i) {
    const float joined = Op::join(static_cast<float>(dst.GetValue(i)), static_cast<float>(old[i]));
    dst.SetValue(i, static_cast<T>(joined));
  }
  AscendC::PipeBarrier<PIPE_ALL>();
}

} // namespace detail

// dst = reduction of the M x N tile src along rows (dim -1: M results) or columns (dim 0: N results); rows of src
// start at whole blocks. tmp: M * ceil32(row bytes). V; S as well where clear is false.
// Source: pages ReduceSum, ReduceMax, ReduceMin with patterns AR and RA, and the tmp-size pages next to them.
template <typename T, uint32_t M, uint32_t N, int32_t dim>
TL_DEVICE void reduce_sum(LocalTensor<T> const &dst, LocalTensor<T> const &src, LocalTensor<uint8_t> const &tmp,
                          bool clear = true) {
  detail::reduce<detail::SumOp, T, M, N, dim>(dst, src, tmp, clear);
}

template <typename T, uint32_t M, uint32_t N, int32_t dim>
TL_DEVICE void reduce_max(LocalTensor<T> const &dst, LocalTensor<T> const &src, LocalTensor<uint8_t> const &tmp,
                          bool clear = true) {
  detail::reduce<detail::MaxOp, T, M, N, dim>(dst, src, tmp, clear);
}

template <typename T, uint32_t M, uint32_t N, int32_t dim>
TL_DEVICE void reduce_min(LocalTensor<T> const &dst, LocalTensor<T> const &src, LocalTensor<uint8_t> const &tmp,
                          bool clear = true) {
  detail::reduce<detail::MinOp, T, M, N, dim>(dst, src, tmp, clear);
}

// Sums of repeatTime rows of mask halves (at most 128), srcRepStride blocks apart. V. Source: page ReduceRepeat.
template <typename T>
TL_DEVICE void reduce_sum_half(LocalTensor<T> const &dst, LocalTensor<T> const &src, const int32_t mask,
                               const int32_t repeatTime, const int32_t srcRepStride) {
  static_assert(std::is_same_v<T, half>, "reduce_sum_half: half only");
  detail::sum_half_rows(dst, src, static_cast<uint32_t>(mask), static_cast<uint32_t>(repeatTime),
                        static_cast<uint32_t>(srcRepStride));
}

} // namespace tl::ascend

#endif // TL_ASCEND_REDUCE_H
