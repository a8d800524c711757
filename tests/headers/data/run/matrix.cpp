// Runs the cube's templates against plain loops: every type, transposition and many odd shapes.
#include "outside.h"

using namespace Catlass;
using P = AscendC::TPosition;

static int failures = 0;

static float draw() { return static_cast<float>(rand() % 17 - 8); }

template <typename T> struct Matrix {
  uint32_t rows, cols;
  std::vector<T> values;
  std::vector<double> drawn;
  Matrix(uint32_t r, uint32_t c) : rows(r), cols(c) {
    for (size_t i = 0; i < static_cast<size_t>(r) * c; ++i) {
      drawn.push_back(draw());
      values.push_back(static_cast<T>(static_cast<float>(drawn.back())));
    }
  }
  AscendC::GlobalTensor<T> tensor() {
    AscendC::GlobalTensor<T> result;
    result.SetGlobalBuffer(values.data());
    return result;
  }
  double operator()(uint32_t i, uint32_t j) const { return drawn[static_cast<size_t>(i) * cols + j]; }
  double now(uint32_t i, uint32_t j) const { return machine::number(values[static_cast<size_t>(i) * cols + j]); }
};

static uint32_t up(uint32_t x, uint32_t unit) { return (x + unit - 1) / unit * unit; }

// GM -> L1 -> product -> GM, twice on the same accumulator, with a wider GM pitch than the tile.
template <typename T, typename Acc, typename Out, uint32_t M, uint32_t N, uint32_t K, bool ta, bool tb> void product() {
  constexpr uint32_t aRows = ta ? K : M, aCols = ta ? M : K, bRows = tb ? N : K, bCols = tb ? K : N;
  Matrix<T> a(aRows, aCols + 5), b(bRows, bCols + 3);
  Matrix<Out> c(M, N + 7);
  const std::vector<Out> before = c.values;
  AscendC::LocalTensor<T> l1a(P::A1, 0, 0);
  AscendC::LocalTensor<T> l1b(P::A1, up(up(aRows, 16) * up(aCols, 32) * sizeof(T), 1024), 0);
  AscendC::LocalTensor<Acc> l0c(P::CO1, 0, 0);
  AscendC::TBuf<P::A2> ascend_l0a;
  AscendC::TBuf<P::B2> ascend_l0b;
  tl::ascend::copy_gm_to_l1<T, aRows, aCols>(l1a[0], a.tensor(), a.cols, aRows, aCols);
  tl::ascend::copy_gm_to_l1<T, bRows, bCols>(l1b[0], b.tensor(), b.cols, bRows, bCols);
  tl::ascend::gemm_v0<T, Acc, M, N, K, ta, tb>(l1a[0], l1b[0], l0c[0], ascend_l0a, ascend_l0b, true);
  tl::ascend::gemm_v0<T, Acc, M, N, K, ta, tb>(l1a[0], l1b[0], l0c[0], ascend_l0a, ascend_l0b, false);
  tl::ascend::copy_l0c_to_gm<Acc, Out, layout::RowMajor, M, N>(c.tensor(), l0c[0], c.cols, M, N);
  machine::expect_no_flags();
  for (uint32_t m = 0; m < M; ++m) {
    for (uint32_t n = 0; n < c.cols; ++n) {
      double want = 0;
      for (uint32_t k = 0; k < K; ++k) {
        want += n < N ? 2 * (ta ? a(k, m) : a(m, k)) * (tb ? b(n, k) : b(k, n)) : 0;
      }
      const double expected = n < N ? machine::number(static_cast<Out>(want))
                                    : machine::number(before[static_cast<size_t>(m) * c.cols + n]);
      if (c.now(m, n) != expected) {
        std::printf("product %zu bytes M=%u N=%u K=%u ta=%d tb=%d: (%u, %u) is %g, not %g\n", sizeof(T), M, N, K, ta,
                    tb, m, n, c.now(m, n), expected);
        ++failures;
        return;
      }
    }
  }
}

template <typename T, typename Acc, typename Out, uint32_t M, uint32_t N, uint32_t K> void all_ways() {
  product<T, Acc, Out, M, N, K, false, false>();
  product<T, Acc, Out, M, N, K, false, true>();
  product<T, Acc, Out, M, N, K, true, true>();
  if constexpr (sizeof(T) != 1 || K % 32 == 0) {
    product<T, Acc, Out, M, N, K, true, false>();
  }
}

template <typename T, typename Acc, typename Out> void shapes() {
  all_ways<T, Acc, Out, 40, 50, 70>();
  all_ways<T, Acc, Out, 1, 33, 136>();
  all_ways<T, Acc, Out, 17, 8, 9>();
}

// A tail of GM in a full tile, a slice of the tile loaded by hand, and a result that is clipped and added.
static void by_hand() {
  constexpr uint32_t M = 64, K = 96, N = 48;
  Matrix<half> a(50, 200), b(70, 100);
  Matrix<float> c(M, N);
  const std::vector<float> before = c.values;
  AscendC::LocalTensor<half> l1a(P::A1, 0, 0), l1b(P::A1, 65536, 0), l0a(P::A2, 0, 0), l0b(P::B2, 0, 0);
  AscendC::LocalTensor<float> l0c(P::CO1, 0, 0);
  tl::ascend::copy_gm_to_l1<half, M, K>(l1a[0], a.tensor(), 200, 50, 70, true);
  tl::ascend::copy_gm_to_l1<half, K, N>(l1b[0], b.tensor(), 100, 70, 45, true);
  tl::ascend::copy_l1_to_l0a<half, M, K>(l0a[0], l1a[16 * M], M, 64); // columns 16 to 79
  tl::ascend::copy_l1_to_l0b<half, K, N>(l0b[0], l1b[16 * 16], 64, N); // rows 16 to 79
  tl::ascend::mma<half, float, M, N>(l0a[0], l0b[0], l0c[0], true, 64);
  tl::ascend::atomic_add_l0c_to_gm<float, float, layout::RowMajor, M, N, true>(c.tensor(), l0c[0], N, 50, 45);
  for (uint32_t m = 0; m < M; ++m) {
    for (uint32_t n = 0; n < N; ++n) {
      double sum = 0;
      for (uint32_t k = 16; k < 70; ++k) {
        sum += m < 50 && n < 45 ? a(m, k) * b(k, n) : 0;
      }
      if (c.now(m, n) != before[m * N + n] + std::max(sum, 0.0)) {
        std::printf("by hand: (%u, %u) is %g\n", m, n, c.now(m, n));
        ++failures;
        return;
      }
    }
  }
}

// A row pitch that does not fit the instruction's 16 bits.
static void wide_rows() {
  Matrix<float> a(9, 70000);
  AscendC::LocalTensor<float> l1(P::A1, 0, 0);
  tl::ascend::copy_gm_to_l1<float, 16, 24>(l1[0], a.tensor(), 70000, 9, 17, true);
  for (uint32_t i = 0; i < 16; ++i) {
    for (uint32_t j = 0; j < 24; ++j) {
      const float found = machine::at(l1)[j / 8 * 16 * 8 + i * 8 + j % 8];
      if (found != (i < 9 && j < 17 ? a(i, j) : 0)) {
        std::printf("wide rows: (%u, %u) is %g\n", i, j, found);
        ++failures;
        return;
      }
    }
  }
}

// Every block is visited once, whatever the walk.
template <uint32_t offset, uint32_t direction> void swizzle() {
  std::vector<int> seen(8 * 5);
  for (uint32_t pid = 0; pid < seen.size(); ++pid) {
    ++seen[tl::ascend::thread_block_swizzle<1000, 600, 64, 128, 128, offset, direction>(pid)];
  }
  for (int count : seen) {
    failures += count != 1;
  }
}

int main() {
  all_ways<half, float, float, 48, 80, 160>();
  shapes<half, float, float>();
  shapes<float, float, float>();
  shapes<int8_t, int32_t, int32_t>();
  product<half, float, half, 256, 64, 160, false, false>(); // slots of 128 columns of K would not fit
  by_hand();
  wide_rows();
  swizzle<1, 0>();
  swizzle<3, 0>();
  swizzle<2, 1>();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
