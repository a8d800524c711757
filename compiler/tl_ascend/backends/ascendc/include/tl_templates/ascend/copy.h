// SPDX-License-Identifier: Apache-2.0
// Transfers that MTE2, MTE3 and V carry out: GM to L1, GM to UB, UB to GM, UB to UB.
#ifndef TL_ASCEND_COPY_H
#define TL_ASCEND_COPY_H

#include "base.h"

namespace tl::ascend {
namespace detail {

// Nd2NzParams and DataCopyExtParams carry 16-bit fields on A2/A3 (their parameter tables).
constexpr uint32_t kMaxSrcD = 65535;
constexpr uint32_t kMaxBlockCount = 4095;

// Zeroes an NZ tile in L1 (page "Fill": blockNum counts 32-byte blocks when the target is L1; 32-bit types are legal,
// so the tile is seen as such).
template <typename T> TL_DEVICE void clear_l1(const LocalTensor<T> &tile, uint32_t elements) {
  const uint16_t blocks = static_cast<uint16_t>(ceil_div(elements * sizeof(T), kBlockBytes));
  AscendC::InitConstValue(tile.template ReinterpretCast<uint32_t>(),
                          AscendC::InitConstValueParams<uint32_t>(1, blocks, 0, 0));
  AscendC::PipeBarrier<PIPE_MTE2>();
}

// Blocks between two rows of a UB tile whose rows hold pitch elements of which used are transferred. Both round up
// to whole blocks, because that is how DataCopyPad lays rows out.
template <typename T> TL_DEVICE constexpr uint32_t ub_gap(uint32_t pitch, uint32_t used) {
  return ceil_div(pitch * sizeof(T), kBlockBytes) - ceil_div(used * sizeof(T), kBlockBytes);
}

template <typename T> TL_DEVICE constexpr uint32_t gm_gap(uint32_t pitch, uint32_t used) {
  return pitch > used ? (pitch - used) * static_cast<uint32_t>(sizeof(T)) : 0;
}

// Elements of a UB row pitch: rows start at whole blocks.
template <typename T> TL_DEVICE constexpr uint32_t ub_pitch(uint32_t cols) { return ceil_to(cols, kC0<T>); }

} // namespace detail

// GM (row-major, realSrcN elements a row) to an NZ tile of dstM x dstN in L1. MTE2.
// Source: page "DataCopy (GM to L1, ND2NZ)". The unwritten part of a tile must be zero, because Mmad consumes whole
// C0 blocks of K; columns are padded by the instruction, rows are not.
template <typename T, uint32_t dstM, uint32_t dstN>
TL_DEVICE void copy_gm_to_l1(LocalTensor<T> dst, GlobalTensor<T> src, uint32_t realSrcN = 1, uint32_t realTailM = 0,
                             uint32_t realTailN = 0, bool need_clear = true) {
  static_assert(sizeof(T) <= 4, "copy_gm_to_l1: elements of 8, 16 or 32 bits");
  constexpr uint32_t kRows = detail::ceil_to(dstM, detail::kFractalRows);
  constexpr uint32_t kCols = detail::ceil_to(dstN, detail::kC0<T>);
  const uint32_t rows = realTailM == 0 ? dstM : realTailM;
  const uint32_t cols = realTailN == 0 ? dstN : realTailN;
  if (need_clear && (rows != kRows || cols != dstN)) {
    detail::clear_l1<T>(dst, kRows * kCols);
  }

  AscendC::Nd2NzParams params;
  params.ndNum = 1;
  params.nValue = static_cast<uint16_t>(rows);
  params.dValue = static_cast<uint16_t>(cols);
  params.srcNdMatrixStride = 0;
  params.srcDValue = static_cast<uint16_t>(realSrcN);
  params.dstNzC0Stride = static_cast<uint16_t>(kRows);
  params.dstNzNStride = 1;
  params.dstNzMatrixStride = 0;
  if (realSrcN <= detail::kMaxSrcD) {
    AscendC::DataCopy(dst, src, params);
    return;
  }
  // The row pitch does not fit srcDValue: one row a call.
  params.nValue = 1;
  params.srcDValue = static_cast<uint16_t>(cols);
  for (uint32_t row = 0; row < rows; ++row) {
    AscendC::DataCopy(dst[row * detail::kC0<T>], src[static_cast<uint64_t>(row) * realSrcN], params);
  }
}

// GM to a dense UB tile of dstM x dstN; where fewer elements are valid the rest becomes padValue. MTE2, and V for a
// tail. Events (tail only): MTE2_V, MTE3_V, V_MTE2, id 0.
// Source: page "DataCopyPad (GM to UB)": a row that does not fill its last block is padded on the right, by at most
// 32 bytes. 64-bit rows can only be padded with 0.
template <typename T, uint32_t dstN, uint32_t dstM = 1>
TL_DEVICE void copy_gm_to_ub(LocalTensor<T> dst, GlobalTensor<T> src, uint32_t realSrcN = 1,
                             uint32_t maskShapeM = dstM, uint32_t maskShapeN = dstN, T padValue = T(0)) {
  using AscendC::HardEvent;
  if (maskShapeM != dstM || maskShapeN != dstN) {
    AscendC::SetFlag<HardEvent::MTE2_V>(0);
    AscendC::WaitFlag<HardEvent::MTE2_V>(0);
    AscendC::SetFlag<HardEvent::MTE3_V>(0);
    AscendC::WaitFlag<HardEvent::MTE3_V>(0);
    constexpr uint32_t kPitch = dstM == 1 ? dstN : detail::ub_pitch<T>(dstN);
    detail::duplicate<T>(dst, padValue, dstM * kPitch);
    AscendC::SetFlag<HardEvent::V_MTE2>(0);
    AscendC::WaitFlag<HardEvent::V_MTE2>(0);
  }

  const uint32_t missing = detail::ub_pitch<T>(maskShapeN) - maskShapeN;
  const bool pads = missing != 0 && maskShapeN != dstN;
  const T rowPad = sizeof(T) == 8 ? T(0) : padValue;
  const AscendC::DataCopyPadExtParams<T> padding(pads, 0, pads ? static_cast<uint8_t>(missing) : 0, rowPad);
  for (uint32_t row = 0; row < maskShapeM; row += detail::kMaxBlockCount) {
    const uint32_t rows = detail::smaller(maskShapeM - row, detail::kMaxBlockCount);
    const AscendC::DataCopyExtParams params(
        static_cast<uint16_t>(rows), maskShapeN * static_cast<uint32_t>(sizeof(T)),
        detail::gm_gap<T>(realSrcN, maskShapeN), detail::ub_gap<T>(dstN, maskShapeN), 0);
    AscendC::DataCopyPad(dst[row * detail::ub_pitch<T>(dstN)], src[static_cast<uint64_t>(row) * realSrcN], params,
                         padding);
  }
}

// A dense UB tile of srcM x srcN, or its upper left part, to GM. MTE3.
// Source: page "DataCopyPad (UB to GM)": the bytes of a row need not fill blocks.
template <typename T, uint32_t srcN, uint32_t srcM = 1>
TL_DEVICE void copy_ub_to_gm(GlobalTensor<T> dst, LocalTensor<T> src, uint32_t realDstN = 1,
                             uint32_t maskShapeM = srcM, uint32_t maskShapeN = srcN) {
  for (uint32_t row = 0; row < maskShapeM; row += detail::kMaxBlockCount) {
    const uint32_t rows = detail::smaller(maskShapeM - row, detail::kMaxBlockCount);
    const AscendC::DataCopyExtParams params(
        static_cast<uint16_t>(rows), maskShapeN * static_cast<uint32_t>(sizeof(T)),
        detail::ub_gap<T>(srcN, maskShapeN), detail::gm_gap<T>(realDstN, maskShapeN), 0);
    AscendC::DataCopyPad(dst[static_cast<uint64_t>(row) * realDstN], src[row * detail::ub_pitch<T>(srcN)], params);
  }
}

// The same, adding to what GM holds. MTE3. Source: page SetAtomicAdd, path UB to GM.
template <typename T, uint32_t srcN, uint32_t srcM = 1>
TL_DEVICE void atomic_add_ub_to_gm(GlobalTensor<T> dst, LocalTensor<T> src, uint32_t realDstN = 1,
                                   uint32_t maskShapeM = srcM, uint32_t maskShapeN = srcN) {
  AscendC::SetAtomicAdd<T>();
  copy_ub_to_gm<T, srcN, srcM>(dst, src, realDstN, maskShapeM, maskShapeN);
  detail::stop_atomic();
}

namespace detail {

// The rounding that upstream's copies use, where the Cast page allows it: exact conversions take CAST_NONE, all
// others round to nearest even. 8-bit sources and the integer widths know no other mode than CAST_NONE.
template <typename Tdst, typename Tsrc> TL_DEVICE constexpr AscendC::RoundMode copy_rounding() {
  constexpr bool kExact = (std::is_same_v<Tdst, float> && is_one_of<Tsrc, half, bfloat16_t, int16_t>) ||
                          (std::is_same_v<Tdst, half> && sizeof(Tsrc) == 1) ||
                          (std::is_integral_v<Tdst> && std::is_integral_v<Tsrc>);
  return kExact ? AscendC::RoundMode::CAST_NONE : AscendC::RoundMode::CAST_RINT;
}

// count consecutive elements, exactly: whole blocks by DataCopy, the rest by a masked Copy (pages "DataCopy (UB to
// UB)" and Copy; the latter takes 16- and 32-bit types, so 64-bit elements go as words and an 8-bit rest as whole
// block).
template <typename T> TL_DEVICE void copy_run(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count) {
  if constexpr (sizeof(T) == 8) {
    copy_run<uint32_t>(dst.template ReinterpretCast<uint32_t>(), src.template ReinterpretCast<uint32_t>(), count * 2);
  } else {
    const uint32_t whole = sizeof(T) == 1 ? ceil_to(count, kC0<T>) : count / kC0<T> * kC0<T>;
    if (whole != 0) {
      AscendC::DataCopy(dst, src, whole);
    }
    if constexpr (sizeof(T) != 1) {
      if (whole != count) {
        const uint64_t mask = count - whole;
        AscendC::Copy(dst[whole], src[whole], mask, 1, AscendC::CopyRepeatParams(1, 1, 8, 8));
      }
    }
  }
}

template <typename Tdst, typename Tsrc>
TL_DEVICE void copy_or_cast(const LocalTensor<Tdst> &dst, const LocalTensor<Tsrc> &src, uint32_t count) {
  if constexpr (std::is_same_v<Tdst, Tsrc>) {
    copy_run<Tdst>(dst, src, count);
  } else {
    AscendC::Cast(dst, src, copy_rounding<Tdst, Tsrc>(), count);
  }
}

} // namespace detail

// len elements within UB, converting where the types differ. V.
template <typename Tdst, typename Tsrc, uint32_t len>
TL_DEVICE void copy_ub_to_ub(LocalTensor<Tdst> dst, LocalTensor<Tsrc> src) {
  detail::copy_or_cast<Tdst, Tsrc>(dst, src, len);
}

// A region of rows x cols on either side; strides in elements. V. Rows must start at whole blocks. A side whose rows
// fill its stride is dense, so its rows may be cut differently from the other side's.
// Source: page "DataCopy (UB to UB)", strided form, where rows and gaps are whole blocks; otherwise row by row.
template <typename Tdst, typename Tsrc, uint32_t len>
TL_DEVICE void copy_ub_to_ub(LocalTensor<Tdst> dst, LocalTensor<Tsrc> src, uint32_t src_rows, uint32_t src_cols,
                             uint32_t src_stride, uint32_t dst_rows, uint32_t dst_cols, uint32_t dst_stride) {
  const bool src_dense = src_cols == src_stride;
  const bool dst_dense = dst_cols == dst_stride;
  if (src_dense && dst_dense) {
    detail::copy_or_cast<Tdst, Tsrc>(dst, src, len);
    return;
  }
  const uint32_t rows = dst_dense ? src_rows : dst_rows;
  const uint32_t run = dst_dense ? src_cols : dst_cols;
  const uint32_t src_step = src_dense ? run : src_stride;
  const uint32_t dst_step = dst_dense ? run : dst_stride;
  if constexpr (std::is_same_v<Tdst, Tsrc>) {
    constexpr uint32_t kC0 = detail::kC0<Tdst>;
    if (run % kC0 == 0 && src_step % kC0 == 0 && dst_step % kC0 == 0 && rows <= detail::kMaxBlockCount) {
      const AscendC::DataCopyParams params(static_cast<uint16_t>(rows), static_cast<uint16_t>(run / kC0),
                                           static_cast<uint16_t>((src_step - run) / kC0),
                                           static_cast<uint16_t>((dst_step - run) / kC0));
      AscendC::DataCopy(dst, src, params);
      return;
    }
  }
  for (uint32_t row = 0; row < rows; ++row) {
    detail::copy_or_cast<Tdst, Tsrc>(dst[row * dst_step], src[row * src_step], run);
  }
}

} // namespace tl::ascend

#endif // TL_ASCEND_COPY_H
