// SPDX-License-Identifier: Apache-2.0
// The cube's product, its way out of L0C, and the order in which blocks are visited.
#ifndef TL_ASCEND_MATRIX_H
#define TL_ASCEND_MATRIX_H

#include "base.h"
#include "l1_to_l0.h"

namespace tl::ascend {
namespace detail {

// Legal operand and accumulator types of Mmad on A2/A3 (page Mmad, type table).
template <typename Tin, typename Tacc>
constexpr bool kIsProduct = (is_one_of<Tin, half, bfloat16_t, float> && std::is_same_v<Tacc, float>) ||
                            (std::is_same_v<Tin, int8_t> && std::is_same_v<Tacc, int32_t>);

// Below this number of output fractals two products on one L0C tile need a barrier between them (page Mmad, "notes on
// synchronisation").
constexpr uint32_t kUnsafeFractals = 10;
constexpr uint32_t kL0OperandBytes = 65536;
constexpr uint32_t kKStep = 128;

// Rows (or columns) that a load may write: 8-bit elements that turn come as 32 x 32 squares.
template <typename T> TL_DEVICE constexpr uint32_t loaded_extent(uint32_t extent, bool turns) {
  return ceil_to(extent, sizeof(T) == 1 && turns ? 32 : kFractalRows);
}

// Bytes of one operand when K is cut into pieces of step: one slot, or two that alternate.
template <typename T> TL_DEVICE constexpr uint32_t slot_bytes(uint32_t extent, uint32_t K, uint32_t step) {
  return (K > step ? 2 : 1) * extent * smaller(ceil_to(K, 32), step) * static_cast<uint32_t>(sizeof(T));
}

// The largest piece of K whose slots fit L0A and L0B; 0 if none does.
template <typename T> TL_DEVICE constexpr uint32_t k_step(uint32_t a_extent, uint32_t b_extent, uint32_t K) {
  for (uint32_t step = kKStep; step >= 32; step /= 2) {
    if (slot_bytes<T>(a_extent, K, step) <= kL0OperandBytes && slot_bytes<T>(b_extent, K, step) <= kL0OperandBytes) {
      return step;
    }
  }
  return 0;
}

} // namespace detail

// C (M x N in L0C) = A x B, or += where init is false. M.
// Source: page Mmad. m = 1 would switch to the vector form, which reads A as plain rows, so one row counts as 16:
// L0C holds 16 rows per fractal anyway.
template <typename T1, typename T2, uint32_t M, uint32_t N>
TL_DEVICE void mma(LocalTensor<T1> const A, LocalTensor<T1> const B, LocalTensor<T2> const C, bool init, uint32_t K,
                   [[maybe_unused]] uint8_t unitFlag = 0) {
  static_assert(detail::kIsProduct<T1, T2>, "mma: half, bfloat16_t, float give float; int8_t gives int32_t");
  static_assert(M <= 4095 && N <= 4095, "mma: M and N are at most 4095");
  AscendC::MmadParams params;
  params.m = M == 1 ? detail::kFractalRows : M;
  params.n = N;
  params.k = static_cast<uint16_t>(K);
  params.cmatrixInitVal = init;
  AscendC::Mmad(C, A, B, params);
  if constexpr ((M / detail::kFractalRows) * (N / detail::kFractalRows) < detail::kUnsafeFractals) {
    AscendC::PipeBarrier<PIPE_M>();
  }
}

// L0C tile (rows of 16-column blocks, each ceil16(srcM) high) to row-major GM, converting and clipping on the way. FIX.
// Source: page "Fixpipe (L0C to GM)": NZ2ND, srcStride in 16-element units, dstStride in elements; float to half and
// bfloat16 round to nearest even. Integer results to half would need a scale, which this interface does not carry.
template <typename T1, typename T2, typename LayoutGM, uint32_t srcM, uint32_t srcN, bool enRelu = false>
TL_DEVICE void copy_l0c_to_gm(GlobalTensor<T2> dst, LocalTensor<T1> src, uint32_t realDstN = 1, uint32_t realTailM = 0,
                              uint32_t realTailN = 0) {
  static_assert(std::is_same_v<LayoutGM, Catlass::layout::RowMajor>, "copy_l0c_to_gm: GM must be row-major");
  static_assert((std::is_same_v<T1, float> && detail::is_one_of<T2, float, half, bfloat16_t>) ||
                    (std::is_same_v<T1, int32_t> && std::is_same_v<T2, int32_t>),
                "copy_l0c_to_gm: float to float, half or bfloat16_t; int32_t to int32_t");
  AscendC::FixpipeParamsV220 params;
  params.nSize = static_cast<uint16_t>(realTailN == 0 ? srcN : realTailN);
  params.mSize = static_cast<uint16_t>(realTailM == 0 ? srcM : realTailM);
  params.srcStride = detail::ceil_to(srcM, detail::kFractalRows);
  params.dstStride = realDstN;
  params.quantPre = std::is_same_v<T2, half>         ? QuantMode_t::F322F16
                    : std::is_same_v<T2, bfloat16_t> ? QuantMode_t::F322BF16
                                                     : QuantMode_t::NoQuant;
  params.deqScalar = 0;
  params.ndNum = 1;
  params.srcNdStride = 0;
  params.dstNdStride = 0;
  params.reluEn = enRelu;
  params.unitFlag = 0;
  AscendC::Fixpipe<T2, T1, AscendC::CFG_ROW_MAJOR>(dst, src, params);
}

// The same, adding to what GM holds. FIX. Source: page SetAtomicAdd, path L0C to GM.
template <typename T1, typename T2, typename LayoutGM, uint32_t srcM, uint32_t srcN, bool enRelu = false>
TL_DEVICE void atomic_add_l0c_to_gm(GlobalTensor<T2> dst, LocalTensor<T1> src, uint32_t realDstN = 1,
                                    uint32_t realTailM = 0, uint32_t realTailN = 0) {
  AscendC::SetAtomicAdd<T2>();
  copy_l0c_to_gm<T1, T2, LayoutGM, srcM, srcN, enRelu>(dst, src, realDstN, realTailM, realTailN);
  detail::stop_atomic();
}

// Stands behind the template arguments of gemm_v0 where the program orders by itself what writes A and B and reads C,
// and what comes behind that reads C and writes A and B.
#define TL_ORDERED , true

// C (L0C) = A x B or += it, operands in L1 as NZ tiles; MTE1 and M overlap by two alternating slots at the start of
// L0A and L0B. With transpose_A the tile is K x M, with transpose_B N x K.
// Events: M_MTE1 and MTE1_M with ids 0 and 1; MTE2_MTE1, FIX_M, MTE1_MTE2, M_FIX with id 0, which would also wait for
// copies that bring the operands of later products: `ordered` leaves them out.
// Source: pages LoadData, Mmad, SetFlag/WaitFlag.
template <typename T1, typename T2, uint32_t M, uint32_t N, uint32_t K, bool transpose_A = false,
          bool transpose_B = false, bool ordered = false>
TL_DEVICE void gemm_v0(LocalTensor<T1> const &A, LocalTensor<T1> const &B, LocalTensor<T2> const &C,
                       AscendC::TBuf<AscendC::TPosition::A2> &l0a_buffer,
                       AscendC::TBuf<AscendC::TPosition::B2> &l0b_buffer, bool clear) {
  using AscendC::HardEvent;
  static_assert(detail::kIsProduct<T1, T2>, "gemm_v0: half, bfloat16_t, float give float; int8_t gives int32_t");
  static_assert(!(sizeof(T1) == 1 && transpose_A && !transpose_B && K % 32 != 0),
                "gemm_v0: K of two 8-bit operands that both turn must be a multiple of 32");
  constexpr uint32_t kC0 = detail::kC0<T1>;
  constexpr uint32_t kARows = detail::loaded_extent<T1>(M, transpose_A);
  constexpr uint32_t kBCols = detail::loaded_extent<T1>(N, !transpose_B);
  constexpr uint32_t kStep = detail::k_step<T1>(kARows, kBCols, K);
  static_assert(kStep != 0, "gemm_v0: M or N is too large for L0A or L0B");

  const LocalTensor<T1> l0a = l0a_buffer.template Get<T1>();
  const LocalTensor<T1> l0b = l0b_buffer.template Get<T1>();

  if constexpr (!ordered) {
    AscendC::SetFlag<HardEvent::MTE2_MTE1>(0);
    AscendC::WaitFlag<HardEvent::MTE2_MTE1>(0);
    AscendC::SetFlag<HardEvent::FIX_M>(0);
    AscendC::WaitFlag<HardEvent::FIX_M>(0);
  }
  AscendC::SetFlag<HardEvent::M_MTE1>(0);
  AscendC::SetFlag<HardEvent::M_MTE1>(1);

  for (uint32_t k = 0; k < K; k += kStep) {
    const uint32_t depth = detail::smaller(K - k, kStep);
    const int32_t slot = static_cast<int32_t>((k / kStep) & 1);
    const LocalTensor<T1> a = l0a[slot * kARows * kStep];
    const LocalTensor<T1> b = l0b[slot * kBCols * kStep];

    AscendC::WaitFlag<HardEvent::M_MTE1>(slot);
    if constexpr (transpose_A) {
      copy_l1_to_l0a<T1, K, M, true>(a, A[k * kC0], M, depth);
    } else {
      copy_l1_to_l0a<T1, M, K, false>(a, A[k * detail::ceil_to(M, detail::kFractalRows)], M, depth);
    }
    if constexpr (transpose_B) {
      copy_l1_to_l0b<T1, N, K, true>(b, B[k * detail::ceil_to(N, detail::kFractalRows)], depth, N);
    } else {
      copy_l1_to_l0b<T1, K, N, false>(b, B[k * kC0], depth, N);
    }
    AscendC::SetFlag<HardEvent::MTE1_M>(slot);
    AscendC::WaitFlag<HardEvent::MTE1_M>(slot);
    mma<T1, T2, M, N>(a, b, C, clear && k == 0, depth);
    AscendC::SetFlag<HardEvent::M_MTE1>(slot);
  }

  AscendC::WaitFlag<HardEvent::M_MTE1>(0);
  AscendC::WaitFlag<HardEvent::M_MTE1>(1);
  if constexpr (!ordered) {
    AscendC::SetFlag<HardEvent::MTE1_MTE2>(0);
    AscendC::WaitFlag<HardEvent::MTE1_MTE2>(0);
    AscendC::SetFlag<HardEvent::M_FIX>(0);
    AscendC::WaitFlag<HardEvent::M_FIX>(0);
  }
}

// The block that core pid works on, as m * (blocks along N) + n. Blocks are grouped in bands of SwizzleOffset rows
// (direction 0) or columns (direction 1); inside a band the walk goes across it, and every other band is walked
// backwards, so that neighbouring cores share operands. S.
template <uint32_t M, uint32_t N, uint32_t K, uint32_t block_M, uint32_t block_N, uint32_t SwizzleOffset = 1,
          uint32_t SwizzleDirection = 0>
TL_DEVICE uint32_t thread_block_swizzle(uint64_t pid) {
  static_assert(SwizzleOffset > 0 && SwizzleDirection <= 1, "thread_block_swizzle: offset > 0, direction 0 or 1");
  constexpr uint32_t kRows = detail::ceil_div(M, block_M);
  constexpr uint32_t kCols = detail::ceil_div(N, block_N);
  constexpr bool kAlongN = SwizzleDirection == 0;
  constexpr uint32_t kAcross = kAlongN ? kRows : kCols; // cut into bands
  constexpr uint32_t kAlong = kAlongN ? kCols : kRows;  // length of a band
  const uint32_t index = static_cast<uint32_t>(pid % (static_cast<uint64_t>(kRows) * kCols));
  const uint32_t band = index / (SwizzleOffset * kAlong);
  const uint32_t inside = index % (SwizzleOffset * kAlong);
  const uint32_t width = detail::smaller(SwizzleOffset, kAcross - band * SwizzleOffset);
  const uint32_t across = band * SwizzleOffset + inside % width;
  const uint32_t forward = inside / width;
  const uint32_t along = band % 2 == 0 ? forward : kAlong - 1 - forward;
  return kAlongN ? across * kCols + along : along * kCols + across;
}

} // namespace tl::ascend

#endif // TL_ASCEND_MATRIX_H
