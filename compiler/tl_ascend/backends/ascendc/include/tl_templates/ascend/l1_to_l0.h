// SPDX-License-Identifier: Apache-2.0
// Loads from an NZ tile in L1 to the cube's operand buffers, on MTE1.
//
// Formats (pages "Fractal formats of matrix computation", "Constraints on matrix input"), C0 = 32 bytes of elements,
// R = rows of the L1 tile rounded up to 16:
//   L1   NZ: element (i, j) at (j / C0) * R * C0 + i * C0 + j % C0
//   L0A  rows of fractals, each 16 rows of C0: fractal (i / 16, j / C0), row-major inside
//   L0B  rows of fractals, each C0 rows of 16: fractal (i / C0, j / 16), column-major inside
#ifndef TL_ASCEND_L1_TO_L0_H
#define TL_ASCEND_L1_TO_L0_H

#include "base.h"

namespace tl::ascend {
namespace detail {

template <typename T>
constexpr bool kIsCubeOperand = is_one_of<T, half, bfloat16_t, float, int8_t>;

// Fractals keep their inside: count of them from src, stepped by src_step, to consecutive places (page
// "LoadData 2D": steps in fractals; a call takes at most 255).
template <typename T>
TL_DEVICE void load_fractals(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, uint32_t src_step,
                             bool transpose = false) {
  constexpr uint32_t kElements = kFractalBytes / sizeof(T);
  AscendC::LoadData2DParams params;
  params.startIndex = 0;
  params.srcStride = static_cast<uint16_t>(src_step);
  params.dstGap = 0;
  params.ifTranspose = transpose;
  for (uint32_t done = 0; done < count; done += kMaxRepeat) {
    params.repeatTimes = static_cast<uint8_t>(smaller(count - done, kMaxRepeat));
    AscendC::LoadData(dst[done * kElements], src[done * src_step * kElements], params);
  }
}

// 8-bit elements turn as squares of 32 x 32, two fractals that follow each other in a column of the L1 tile. Each
// square leaves two fractals (page "LoadDataWithTranspose"); gaps in fractals.
template <typename T>
TL_DEVICE void load_squares(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t count, uint32_t gap,
                            uint32_t inner_gap) {
  AscendC::LoadData2dTransposeParams params;
  params.startIndex = 0;
  params.repeatTimes = static_cast<uint8_t>(count);
  params.srcStride = 1;
  params.dstGap = static_cast<uint16_t>(gap);
  params.dstFracGap = static_cast<uint16_t>(inner_gap);
  AscendC::LoadDataWithTranspose(dst, src, params);
}

// 32-bit elements turn only through the image-to-column load: with a 1 x 1 filter the NZ tile is an image of one row,
// R pixels wide, whose channels are the tile's columns (page "LoadData 3D", section on 2D matrices).
template <typename T>
TL_DEVICE void load_image(const LocalTensor<T> &dst, const LocalTensor<T> &src, uint32_t tile_rows, uint32_t rows,
                          uint32_t cols) {
  AscendC::LoadData3DParamsV2<T> params;
  params.l1H = 1;
  params.l1W = static_cast<uint16_t>(tile_rows);
  params.channelSize = static_cast<uint16_t>(cols);
  params.kExtension = static_cast<uint16_t>(cols);
  params.mExtension = static_cast<uint16_t>(rows);
  params.strideW = 1;
  params.strideH = 1;
  params.filterW = 1;
  params.filterH = 1;
  params.dilationFilterW = 1;
  params.dilationFilterH = 1;
  params.enTranspose = true; // only L0A asks; into L0B the load always turns
  AscendC::LoadData(dst, src, params);
}

} // namespace detail

// L0A (dstM x dstN of M x K) from an L1 tile of srcM x srcN. With transpose the tile is K x M. MTE1.
template <typename T, uint32_t srcM, uint32_t srcN, bool transpose = false>
TL_DEVICE void copy_l1_to_l0a(LocalTensor<T> dst, LocalTensor<T> src, uint32_t dstM, uint32_t dstN) {
  static_assert(detail::kIsCubeOperand<T>, "copy_l1_to_l0a: half, bfloat16_t, float or int8_t");
  constexpr uint32_t kC0 = detail::kC0<T>;
  constexpr uint32_t kFractal = detail::kFractalBytes / sizeof(T);
  constexpr uint32_t kTileRows = detail::ceil_to(srcM, detail::kFractalRows);
  const uint32_t k_fractals = detail::ceil_div(dstN, kC0);
  const uint32_t m_fractals = detail::ceil_div(dstM, detail::kFractalRows);
  if constexpr (!transpose) {
    for (uint32_t m = 0; m < m_fractals; ++m) {
      detail::load_fractals<T>(dst[m * k_fractals * kFractal], src[m * kFractal], k_fractals,
                               kTileRows / detail::kFractalRows);
    }
  } else if constexpr (sizeof(T) == 2) {
    for (uint32_t m = 0; m < m_fractals; ++m) {
      detail::load_fractals<T>(dst[m * k_fractals * kFractal], src[m * kTileRows * kC0], k_fractals, 1, true);
    }
  } else if constexpr (sizeof(T) == 1) {
    // A square covers 32 rows of M: two rows of fractals, one row of fractals apart.
    for (uint32_t m = 0; m < detail::ceil_div(dstM, kC0); ++m) {
      detail::load_squares<T>(dst[2 * m * k_fractals * kFractal], src[m * kTileRows * kC0], k_fractals, 0,
                              k_fractals - 1);
    }
  } else {
    // The load rounds K up to 16, that is to an even number of fractals. Where the row of fractals is odd, each row
    // is loaded on its own and the next one overwrites what stands over.
    const uint32_t k_rows = detail::ceil_to(dstN, detail::kFractalRows);
    const uint32_t m_cols = detail::ceil_to(dstM, kC0);
    if (k_fractals % 2 == 0) {
      detail::load_image<T>(dst, src, kTileRows, k_rows, m_cols);
      return;
    }
    for (uint32_t m = 0; m < m_fractals; ++m) {
      const uint32_t cols = detail::smaller(m_cols - m * detail::kFractalRows, detail::kFractalRows);
      detail::load_image<T>(dst[m * k_fractals * kFractal], src[m * detail::kFractalRows * kTileRows], kTileRows,
                            k_rows, cols);
      AscendC::PipeBarrier<PIPE_MTE1>();
    }
  }
}

// L0B (dstM x dstN of K x N) from an L1 tile of srcM x srcN. With transpose the tile is N x K. MTE1.
// A transposed tile already has L0B's fractals; a plain one must turn inside every fractal.
template <typename T, uint32_t srcM, uint32_t srcN, bool transpose = false>
TL_DEVICE void copy_l1_to_l0b(LocalTensor<T> dst, LocalTensor<T> src, uint32_t dstM, uint32_t dstN) {
  static_assert(detail::kIsCubeOperand<T>, "copy_l1_to_l0b: half, bfloat16_t, float or int8_t");
  constexpr uint32_t kC0 = detail::kC0<T>;
  constexpr uint32_t kFractal = detail::kFractalBytes / sizeof(T);
  constexpr uint32_t kTileRows = detail::ceil_to(srcM, detail::kFractalRows);
  const uint32_t k_fractals = detail::ceil_div(dstM, kC0);
  const uint32_t n_fractals = detail::ceil_div(dstN, detail::kFractalRows);
  if constexpr (transpose) {
    for (uint32_t k = 0; k < k_fractals; ++k) {
      detail::load_fractals<T>(dst[k * n_fractals * kFractal], src[k * kTileRows * kC0], n_fractals, 1);
    }
  } else if constexpr (sizeof(T) == 2) {
    for (uint32_t k = 0; k < k_fractals; ++k) {
      detail::load_fractals<T>(dst[k * n_fractals * kFractal], src[k * kFractal], n_fractals,
                               kTileRows / detail::kFractalRows, true);
    }
  } else if constexpr (sizeof(T) == 1) {
    const uint32_t n_squares = detail::ceil_div(dstN, kC0);
    if (n_fractals % 2 == 0) {
      for (uint32_t n = 0; n < n_squares; ++n) {
        detail::load_squares<T>(dst[2 * n * kFractal], src[n * kTileRows * kC0], k_fractals, n_fractals - 1, 0);
      }
      return;
    }
    // The last square of a row leaves one fractal too many, at the start of the next row, which then overwrites it.
    for (uint32_t k = 0; k < k_fractals; ++k) {
      for (uint32_t n = 0; n < n_squares; ++n) {
        detail::load_squares<T>(dst[(k * n_fractals + 2 * n) * kFractal], src[n * kTileRows * kC0 + 2 * k * kFractal],
                                1, 0, 0);
      }
      AscendC::PipeBarrier<PIPE_MTE1>();
    }
  } else {
    detail::load_image<T>(dst, src, kTileRows, detail::ceil_to(dstM, detail::kFractalRows),
                          detail::ceil_to(dstN, kC0));
  }
}

} // namespace tl::ascend

#endif // TL_ASCEND_L1_TO_L0_H
