// SPDX-License-Identifier: Apache-2.0
// The templates that emitted PTO programs call, under upstream's names and parameters, written from the documentation
// of PTO's instructions (pto-isa, docs/isa: the page of each instruction named here) and of the hardware (CANN). What a
// template does otherwise than upstream's says so. A program is compiled once for each half of the core.
#pragma once

#include <pto/pto-inst.hpp>
#include <type_traits>

#ifdef __CCE_AICORE__

#ifndef CUDART_INF_F
#define CUDART_INF_F (__builtin_inff())
#endif
#ifndef CUDART_NAN_F
#define CUDART_NAN_F (__builtin_nanf(""))
#endif

#define TL_DEVICE AICORE PTO_INLINE

namespace tl::ascend_pto {

// --- Tiles (page Tile): whole fractals of 16 rows of 32 bytes in L1 and L0, rows of whole blocks of 32 bytes in the UB.

template <pto::TileType where, typename T, int rows, int columns, int valid_rows, int valid_columns, pto::BLayout outer,
          pto::SLayout inner, pto::PadValue pad>
using TileOf = pto::Tile<where, T, rows, columns, outer, valid_rows, valid_columns, inner, 512, pad>;

template <typename T, int R, int C, int VR = R, int VC = C>
using TileMatL1 = TileOf<pto::TileType::Mat, T, R, C, VR, VC, pto::BLayout::ColMajor, pto::SLayout::RowMajor,
                         pto::PadValue::Zero>;
// The same bytes with rows and columns exchanged.
template <typename T, int R, int C, int VR = R, int VC = C>
using TileMatL1ZN = TileOf<pto::TileType::Mat, T, R, C, VR, VC, pto::BLayout::RowMajor, pto::SLayout::ColMajor,
                           pto::PadValue::Zero>;
template <typename T, int R, int C, int VR = R, int VC = C>
using TileMatL0A = TileOf<pto::TileType::Left, T, R, C, VR, VC, pto::BLayout::RowMajor, pto::SLayout::RowMajor,
                          pto::PadValue::Zero>;
template <typename T, int R, int C, int VR = R, int VC = C>
using TileMatL0B = TileOf<pto::TileType::Right, T, R, C, VR, VC, pto::BLayout::RowMajor, pto::SLayout::ColMajor,
                          pto::PadValue::Zero>;
template <typename T, int R, int C, int VR = R, int VC = C, pto::PadValue pad = pto::PadValue::Null>
using TileUbDataND = TileOf<pto::TileType::Vec, T, R, C, VR, VC, pto::BLayout::RowMajor, pto::SLayout::NoneBox, pad>;
template <typename T, int R, int C, int VR = R, int VC = C, pto::PadValue pad = pto::PadValue::Null>
using TileUbDataDN = TileOf<pto::TileType::Vec, T, R, C, VR, VC, pto::BLayout::ColMajor, pto::SLayout::NoneBox, pad>;

namespace detail {

template <pipe_t from, pipe_t to> TL_DEVICE void order(event_t event) {
  set_flag(from, to, event);
  wait_flag(from, to, event);
}

// The part of a tensor in GM that is moved (page GlobalTensor). Only rows and columns are walked.
template <typename T, int s1, int s2, int s3, int s4, int s5> struct Part {
  using Shape = pto::Shape<1, 1, 1, pto::DYNAMIC, pto::DYNAMIC>;
  using Stride = pto::Stride<s1, s2, s3, s4, s5>;
  using Tensor = pto::GlobalTensor<T, Shape, Stride>;

  TL_DEVICE static Tensor of(__gm__ T *start, const Stride &stride, int rows, int columns) {
    return Tensor(start, Shape(rows, columns), stride);
  }
};

} // namespace detail

// --- Flags and barriers (CANN: SetFlag/WaitFlag, CrossCoreSetFlag, SyncAll; page SYNCALL).

template <pipe_t from, pipe_t to> TL_DEVICE void set_flag_pipeline(int32_t id) {
  set_flag(from, to, static_cast<event_t>(EVENT_ID0 + id));
}

template <pipe_t from, pipe_t to> TL_DEVICE void wait_flag_pipeline(int32_t id) {
  wait_flag(from, to, static_cast<event_t>(EVENT_ID0 + id));
}

// Bit 0: the pipe waits for its own work. Then mode and flag.
template <pipe_t pipe> TL_DEVICE void set_cross_flag(int32_t flag, int32_t mode) {
  ffts_cross_core_sync(pipe, 1 | mode << 4 | flag << 8);
}

TL_DEVICE void wait_cross_flag(int32_t flag) { wait_flag_dev(flag); }

TL_DEVICE void sync_all() { pto::SYNCALL<pto::SyncCoreType::Mix>(); }

TL_DEVICE void sync_all_aic() { pto::SYNCALL<pto::SyncCoreType::AICOnly>(); }

TL_DEVICE void sync_all_aiv() { pto::SYNCALL<pto::SyncCoreType::AIVOnly>(); }

// --- Moves between GM and the memories of the core (pages TLOAD, TSTORE, TFILLPAD). `shape` is not looked at: what is
// moved are `rows` and `columns`, of tiles of the sizes among the template arguments. Where they are 0 in moves of the
// cube core, all of the tile is meant.

template <typename G, typename T, int d1, int d2, int d3, int d4, int d5, int s1, int s2, int s3, int s4, int s5, uint32_t R,
          uint32_t C>
TL_DEVICE void copy_gm_to_l1_dynamic(__gm__ G *from, const pto::Shape<d1, d2, d3, d4, d5> &,
                                     const pto::Stride<s1, s2, s3, s4, s5> &stride, int32_t base, int32_t offset,
                                     int32_t rows = 0, int32_t columns = 0) {
  rows = rows == 0 ? R : rows;
  columns = columns == 0 ? C : columns;
  TileMatL1<T, R, C, pto::DYNAMIC, pto::DYNAMIC> tile(rows, columns);
  pto::TASSIGN(tile, base + offset * static_cast<int32_t>(sizeof(T)));
  auto part = detail::Part<G, s1, s2, s3, s4, s5>::of(from, stride, rows, columns);
  pto::TLOAD(tile, part);
  if (rows != R || columns != C) {
    pto::TFILLPAD(tile, tile);
  }
}

template <typename G, typename T, int d1, int d2, int d3, int d4, int d5, int s1, int s2, int s3, int s4, int s5, uint32_t R,
          uint32_t C, bool relu = false, pto::AtomicType atomic = pto::AtomicType::AtomicNone>
TL_DEVICE void copy_l0c_to_gm_dynamic(__gm__ G *to, const pto::Shape<d1, d2, d3, d4, d5> &,
                                      const pto::Stride<s1, s2, s3, s4, s5> &stride, int32_t base, int32_t offset,
                                      int32_t rows = 0, int32_t columns = 0) {
  rows = rows == 0 ? R : rows;
  columns = columns == 0 ? C : columns;
  using Tile = pto::TileAcc<T, R, C, pto::DYNAMIC, pto::DYNAMIC>;
  using Part = detail::Part<G, s1, s2, s3, s4, s5>;
  Tile tile(rows, columns);
  pto::TASSIGN(tile, base + offset * static_cast<int32_t>(sizeof(T)));
  auto part = Part::of(to, stride, rows, columns);
  constexpr auto kept = relu ? pto::ReluPreMode::NormalRelu : pto::ReluPreMode::NoRelu;
  pto::TSTORE<Tile, typename Part::Tensor, atomic, kept>(part, tile);
}

template <typename G, typename T, int d1, int d2, int d3, int d4, int d5, int s1, int s2, int s3, int s4, int s5, uint32_t R,
          uint32_t C, bool relu = false>
TL_DEVICE void atomic_add_l0c_to_gm_dynamic(__gm__ G *to, const pto::Shape<d1, d2, d3, d4, d5> &shape,
                                            const pto::Stride<s1, s2, s3, s4, s5> &stride, int32_t base, int32_t offset,
                                            int32_t rows, int32_t columns) {
  copy_l0c_to_gm_dynamic<G, T, d1, d2, d3, d4, d5, s1, s2, s3, s4, s5, R, C, relu, pto::AtomicType::AtomicAdd>(
      to, shape, stride, base, offset, rows, columns);
}

// What is not moved of the tile is filled, where there is something to fill with: by the vector unit, which waits for
// the move; later moves wait for it.
template <typename G, typename T, int d1, int d2, int d3, int d4, int d5, int s1, int s2, int s3, int s4, int s5, uint32_t R,
          uint32_t C, pto::PadValue pad = pto::PadValue::Null>
TL_DEVICE void copy_gm_to_ub_dynamic(__gm__ G *from, const pto::Shape<d1, d2, d3, d4, d5> &,
                                     const pto::Stride<s1, s2, s3, s4, s5> &stride, int32_t base, int32_t offset,
                                     int32_t rows, int32_t columns) {
  static_assert(std::is_same_v<G, T>, "moves into the UB do not convert");
  const int32_t address = base + offset * static_cast<int32_t>(sizeof(T));
  TileUbDataND<T, R, C, pto::DYNAMIC, pto::DYNAMIC, pad> tile(rows, columns);
  pto::TASSIGN(tile, address);
  auto part = detail::Part<G, s1, s2, s3, s4, s5>::of(from, stride, rows, columns);
  pto::TLOAD(tile, part);
  if constexpr (pad != pto::PadValue::Null) {
    if (rows != static_cast<int32_t>(R) || columns != static_cast<int32_t>(C)) {
      TileUbDataND<T, R, C, R, C, pad> all;
      pto::TASSIGN(all, address);
      detail::order<PIPE_MTE2, PIPE_V>(EVENT_ID0);
      pto::TFILLPAD_INPLACE(all, tile);
      detail::order<PIPE_V, PIPE_MTE2>(EVENT_ID0);
      detail::order<PIPE_V, PIPE_MTE3>(EVENT_ID0);
      pipe_barrier(PIPE_V);
    }
  }
}

template <typename G, typename T, int d1, int d2, int d3, int d4, int d5, int s1, int s2, int s3, int s4, int s5, uint32_t R,
          uint32_t C, pto::AtomicType atomic = pto::AtomicType::AtomicNone>
TL_DEVICE void copy_ub_to_gm_dynamic(__gm__ G *to, const pto::Shape<d1, d2, d3, d4, d5> &,
                                     const pto::Stride<s1, s2, s3, s4, s5> &stride, int32_t base, int32_t offset,
                                     int32_t rows, int32_t columns) {
  static_assert(std::is_same_v<G, T>, "moves out of the UB do not convert");
  using Tile = TileUbDataND<T, R, C, pto::DYNAMIC, pto::DYNAMIC>;
  using Part = detail::Part<G, s1, s2, s3, s4, s5>;
  Tile tile(rows, columns);
  pto::TASSIGN(tile, base + offset * static_cast<int32_t>(sizeof(T)));
  auto part = Part::of(to, stride, rows, columns);
  pto::TSTORE<Tile, typename Part::Tensor, atomic>(part, tile);
}

template <typename G, typename T, int d1, int d2, int d3, int d4, int d5, int s1, int s2, int s3, int s4, int s5, uint32_t R,
          uint32_t C>
TL_DEVICE void atomic_add_ub_to_gm_dynamic(__gm__ G *to, const pto::Shape<d1, d2, d3, d4, d5> &shape,
                                           const pto::Stride<s1, s2, s3, s4, s5> &stride, int32_t base, int32_t offset,
                                           int32_t rows, int32_t columns) {
  copy_ub_to_gm_dynamic<G, T, d1, d2, d3, d4, d5, s1, s2, s3, s4, s5, R, C, pto::AtomicType::AtomicAdd>(
      to, shape, stride, base, offset, rows, columns);
}

// --- The cube core (pages TEXTRACT, TMATMUL, TMATMUL_ACC).

template <typename T, bool turned, int R, int C>
using SourceL1 = std::conditional_t<turned, TileMatL1ZN<T, R, C, R, C>, TileMatL1<T, R, C, R, C>>;

template <typename T, uint32_t M, uint32_t N, uint32_t R, uint32_t C, bool turned = false>
TL_DEVICE void copy_l1_to_l0a(TileMatL0A<T, M, N> &to, SourceL1<T, turned, R, C> &from, uint32_t row, uint32_t column) {
  pto::TEXTRACT(to, from, row, column);
}

template <typename T, uint32_t M, uint32_t N, uint32_t R, uint32_t C, bool turned = false>
TL_DEVICE void copy_l1_to_l0b(TileMatL0B<T, M, N> &to, SourceL1<T, turned, R, C> &from, uint32_t row, uint32_t column) {
  pto::TEXTRACT(to, from, row, column);
}

template <typename T, typename S, int M, int N, int K, int valid_m = M, int valid_n = N>
TL_DEVICE void mma(TileMatL0A<T, M, K> a, TileMatL0B<T, K, N> b, pto::TileAcc<S, M, N, valid_m, valid_n> &c, bool first) {
  if (first) {
    pto::TMATMUL(c, a, b);
  } else {
    pto::TMATMUL_ACC(c, c, a, b);
  }
}

namespace detail {

// The two ways to see a tile in L1, as it lies and turned.
template <typename T, bool turned, int R, int C> TL_DEVICE auto seen(TileMatL1<T, R, C> &tile) {
  if constexpr (turned) {
    TileMatL1ZN<T, C, R> view;
    pto::TRESHAPE(view, tile);
    return view;
  } else {
    return tile;
  }
}

template <typename T, typename S, uint32_t M, uint32_t N, uint32_t width, typename A, typename B, typename Acc>
TL_DEVICE void step(A &a, B &b, Acc &c, uint32_t from, bool first) {
  constexpr auto event = static_cast<event_t>(EVENT_ID0 + 1);
  TileMatL0A<T, M, width> left;
  TileMatL0B<T, width, N> right;
  pto::TASSIGN(left, 0);
  pto::TASSIGN(right, 0);
  order<PIPE_M, PIPE_MTE1>(event);
  pto::TEXTRACT(left, a, 0, from);
  pto::TEXTRACT(right, b, from, 0);
  order<PIPE_MTE1, PIPE_M>(event);
  if (first) {
    pto::TMATMUL(c, left, right);
  } else {
    pto::TMATMUL_ACC(c, c, left, right);
  }
}

} // namespace detail

// Stands behind the template arguments of gemm_v0 where `ordered` is meant.
#define TL_ORDERED , true

// C = A @ B, or more of it. K is walked in steps of 128, from address 0 of L0A and L0B on, with event 1. `tail` is the
// last step; where upstream's takes it for the size of all steps before it, we do not. `ordered`: the program waits for
// what writes A and B and reads C, and has others wait for what this reads and writes.
template <typename T, typename S, uint32_t M, uint32_t N, uint32_t K, uint32_t valid_m, uint32_t valid_n, uint32_t valid_k,
          uint32_t tail, bool turn_a = false, bool turn_b = false, bool ordered = false>
TL_DEVICE void gemm_v0(std::conditional_t<turn_a, TileMatL1<T, K, M, valid_k, valid_m>, TileMatL1<T, M, K, valid_m, valid_k>> &a,
                       std::conditional_t<turn_b, TileMatL1<T, N, K, valid_n, valid_k>, TileMatL1<T, K, N, valid_k, valid_n>> &b,
                       pto::TileAcc<S, M, N, valid_m, valid_n> &c, bool first) {
  constexpr auto event = static_cast<event_t>(EVENT_ID0 + 1);
  constexpr uint32_t whole = K - tail;
  auto left = detail::seen<T, turn_a, turn_a ? K : M, turn_a ? M : K>(a);
  auto right = detail::seen<T, turn_b, turn_b ? N : K, turn_b ? K : N>(b);
  if constexpr (!ordered) {
    detail::order<PIPE_MTE2, PIPE_MTE1>(event);
    detail::order<PIPE_FIX, PIPE_M>(event);
  }
  for (uint32_t from = 0; from < whole; from += 128) {
    detail::step<T, S, M, N, 128>(left, right, c, from, first && from == 0);
  }
  detail::step<T, S, M, N, tail>(left, right, c, whole, first && whole == 0);
  if constexpr (!ordered) {
    detail::order<PIPE_MTE1, PIPE_MTE2>(event);
    detail::order<PIPE_M, PIPE_FIX>(event);
  }
}

// --- The vector core. Calls that build on each other stand behind barriers.

// 1 / (1 + e ** -x), over x (pages TMULS, TEXP, TADDS, TRECIP).
template <typename T, int32_t R, int32_t C> TL_DEVICE void TSIGMOID(TileUbDataND<T, R, C> &to, TileUbDataND<T, R, C> &x) {
  pto::TMULS(x, x, T(-1));
  pipe_barrier(PIPE_V);
  pto::TEXP(x, x);
  pipe_barrier(PIPE_V);
  pto::TADDS(x, x, T(1));
  pipe_barrier(PIPE_V);
  pto::TRECIP(to, x);
}

// e ** (y ln x), over x, which must not be negative (pages TLOG, TMUL, TEXP).
template <typename T, int32_t R, int32_t C>
TL_DEVICE void pow(TileUbDataND<T, R, C> &to, TileUbDataND<T, R, C> &x, TileUbDataND<T, R, C> &y) {
  pto::TLOG(x, x);
  pipe_barrier(PIPE_V);
  pto::TMUL(to, x, y);
  pipe_barrier(PIPE_V);
  pto::TEXP(to, to);
}

template <typename T, int32_t R, int32_t C>
TL_DEVICE void MulAddDst(TileUbDataND<T, R, C> &to, TileUbDataND<T, R, C> &a, TileUbDataND<T, R, C> &b,
                         TileUbDataND<T, R, C> &product) {
  pto::TMUL(product, a, b);
  pipe_barrier(PIPE_V);
  pto::TADD(to, to, product);
}

// Page TAXPY.
template <typename T, int32_t R, int32_t C>
TL_DEVICE void axpy(TileUbDataND<T, R, C> &to, TileUbDataND<T, R, C> &x, float factor) {
  pto::TAXPY(to, x, static_cast<T>(factor));
}

// Pages TCMP, TCMPS: a bit for each element.
template <typename Mask, typename Tile> TL_DEVICE void compare(Mask &mask, Tile &a, Tile &b, pto::CmpMode mode) {
  pto::TCMP(mask, a, b, mode);
}

template <typename Mask, typename Tile>
TL_DEVICE void compare_scalar(Mask &mask, Tile &a, typename Tile::DType b, pto::CmpMode mode) {
  pto::TCMPS(mask, a, b, mode);
}

template <typename Tile> TL_DEVICE void tand(Tile &to, Tile &a, Tile &b) { pto::TAND(to, a, b); }

template <typename Tile> TL_DEVICE void tor(Tile &to, Tile &a, Tile &b) { pto::TOR(to, a, b); }

// Pages TMRGSORT: runs of pairs of 8 bytes, the greatest first.
template <typename To, typename... Runs> TL_DEVICE void merge_runs(To &to, To &scratch, Runs &...runs) {
  pto::MrgSortExecutedNumList done;
  pto::TMRGSORT<To, To, Runs..., false>(to, done, scratch, runs...);
  pipe_barrier(PIPE_V);
}

template <typename T, int32_t length, int32_t total, typename... Runs>
TL_DEVICE void MergeSort(TileUbDataND<T, 1, total> &to, TileUbDataND<T, 1, total> &scratch, Runs &...runs) {
  merge_runs(to, scratch, runs...);
}

// The lengths of the runs stand before `total`.
template <typename T, int32_t... lengths, typename To, typename... Runs>
TL_DEVICE void MergeSortVar(To &to, To &scratch, Runs &...runs) {
  merge_runs(to, scratch, runs...);
}

namespace detail {

template <typename T, int32_t count> TL_DEVICE TileUbDataND<T, 1, count> row(int32_t address) {
  TileUbDataND<T, 1, count> tile;
  pto::TASSIGN(tile, address);
  return tile;
}

constexpr int32_t kPair = 8; // bytes

// Sorted groups of 32 pairs at `runs` become one run there. `other` and `scratch` have the same room.
template <int32_t groups> TL_DEVICE void merge_groups(int32_t runs, int32_t other, int32_t scratch) {
  if constexpr (groups > 1) {
    constexpr int32_t left = groups / 2, right = groups - left, step = left * 32 * kPair;
    merge_groups<left>(runs, other, scratch);
    merge_groups<right>(runs + step, other + step, scratch + step);
    auto a = row<float, left * 64>(runs), to = row<float, left * 64>(other);
    auto b = row<float, right * 64>(runs + step);
    auto all = row<float, groups * 64>(other), spare = row<float, groups * 64>(scratch);
    merge_runs(all, spare, a, b);
    auto back = row<float, groups * 64>(runs);
    pto::TMOV(back, all);
    pipe_barrier(PIPE_V);
  }
}

} // namespace detail

// Values and their indices as numbers, the greatest first (pages TCVT, TFILLPAD, TCI, TSORT32, TMRGSORT). Works in
// float, in three parts of `tmp` with room for all pairs. `best`: how many pairs are wanted, -1 for all.
template <typename T, int32_t count, int32_t best = -1>
TL_DEVICE void SortDynamic(int32_t to, int32_t from, int32_t tmp, int32_t used) {
  constexpr int32_t room = count * detail::kPair;
  constexpr bool narrow = sizeof(T) == 2;
  const int32_t values = narrow ? tmp + 2 * room : from;
  auto keys = detail::row<float, count>(values);
  if constexpr (narrow) {
    auto source = detail::row<T, count>(from);
    pto::TCVT(keys, source, pto::RoundMode::CAST_NONE);
    pipe_barrier(PIPE_V);
  }
  if (used < count) {
    TileUbDataND<float, 1, count, pto::DYNAMIC, pto::DYNAMIC, pto::PadValue::Min> part(1, used);
    TileUbDataND<float, 1, count, 1, count, pto::PadValue::Min> all;
    pto::TASSIGN(part, values);
    pto::TASSIGN(all, values);
    pto::TFILLPAD_INPLACE(all, part);
    pipe_barrier(PIPE_V);
  }
  auto places = detail::row<float, count>(tmp + room);
  detail::order<PIPE_V, PIPE_S>(EVENT_ID0);
  pto::TCI<decltype(places), float, 0>(places, 0.0f);
  detail::order<PIPE_S, PIPE_V>(EVENT_ID0);
  auto bits = detail::row<uint32_t, count>(tmp + room);
  auto runs = detail::row<float, 2 * count>(tmp);
  pto::TSORT32(runs, keys, bits);
  pipe_barrier(PIPE_V);
  detail::merge_groups<count / 32>(tmp, tmp + room, tmp + 2 * room);
  constexpr int32_t block = 32 / sizeof(T), wanted = best < 0 ? 2 * count : (2 * best + block - 1) / block * block;
  auto result = detail::row<T, wanted>(to);
  auto sorted = detail::row<float, wanted>(tmp);
  if constexpr (narrow) {
    pto::TCVT(result, sorted, pto::RoundMode::CAST_RINT);
  } else {
    pto::TMOV(result, sorted);
  }
  pipe_barrier(PIPE_V);
}

template <typename T, int32_t count, int32_t used, int32_t best = -1> TL_DEVICE void Sort(int32_t to, int32_t from, int32_t tmp) {
  SortDynamic<T, count, best>(to, from, tmp, used);
}

} // namespace tl::ascend_pto

#undef TL_DEVICE
#endif // __CCE_AICORE__
