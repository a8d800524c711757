// Runs the copy, reduction, sorting and moving templates against plain loops.
#include "outside.h"

#include <numeric>

using P = AscendC::TPosition;
template <typename T> using L = AscendC::LocalTensor<T>;

static int failures = 0;

#define EXPECT(condition, ...)                                                                                         \
  if (!(condition)) {                                                                                                  \
    std::printf("line %d: ", __LINE__);                                                                                \
    std::printf(__VA_ARGS__);                                                                                          \
    std::printf("\n");                                                                                                 \
    ++failures;                                                                                                        \
    return;                                                                                                            \
  }

// A UB tensor at a byte address; the tests lay them out by hand.
template <typename T> static L<T> ub(uint32_t address, uint32_t size) { return L<T>(P::VECCALC, address, size); }

template <typename T> static AscendC::GlobalTensor<T> gm(std::vector<T> &values) {
  AscendC::GlobalTensor<T> result;
  result.SetGlobalBuffer(values.data());
  return result;
}

template <typename T> static std::vector<T> drawn(size_t count) {
  std::vector<T> values(count);
  for (T &value : values) {
    value = static_cast<T>(static_cast<float>(rand() % 200 - 100) / (std::is_integral_v<T> ? 1.0f : 4.0f));
  }
  return values;
}

// A tail of 5 x 19 in a tile of 8 x 32, out again into a wider matrix, once plain and once added.
template <typename T> static void round_trip() {
  std::vector<T> in = drawn<T>(8 * 50);
  L<T> tile = ub<T>(0, 8 * 32);
  tl::ascend::copy_gm_to_ub<T, 32, 8>(tile[0], gm(in), 50, 5, 19, T(sizeof(T) == 8 ? 0 : 7));
  machine::expect_no_flags();
  for (uint32_t i = 0; i < 8 * 32; ++i) {
    const bool valid = i / 32 < 5 && i % 32 < 19;
    const double want = valid ? machine::number(in[i / 32 * 50 + i % 32]) : sizeof(T) == 8 ? 0 : 7;
    EXPECT(machine::number(tile.GetValue(i)) == want, "tile of %zu bytes: %u", sizeof(T), i);
  }
  std::vector<T> out(8 * 40, T(1));
  tl::ascend::copy_ub_to_gm<T, 32, 8>(gm(out), tile[0], 40, 8, 27);
  for (uint32_t i = 0; i < 8 * 40; ++i) {
    const double want = i % 40 < 27 ? machine::number(tile.GetValue(i / 40 * 32 + i % 40)) : 1;
    EXPECT(machine::number(out[i]) == want, "matrix of %zu bytes: %u", sizeof(T), i);
  }
}

static void tall_and_added() {
  std::vector<float> in = drawn<float>(5000 * 9), out(5000 * 9, 2.0f);
  L<float> tile = ub<float>(0, 5000 * 8);
  tl::ascend::copy_gm_to_ub<float, 8, 5000>(tile[0], gm(in), 9, 5000, 8);
  tl::ascend::atomic_add_ub_to_gm<float, 8, 5000>(gm(out), tile[0], 9, 5000, 8);
  for (uint32_t i = 0; i < out.size(); ++i) {
    EXPECT(out[i] == 2.0f + (i % 9 < 8 ? in[i] : 0.0f), "added: %u", i);
  }
}

// Regions within UB: equal, converting, and dense against strided.
template <typename Tdst, typename Tsrc, uint32_t cols> static void within() {
  L<Tsrc> src = ub<Tsrc>(0, 8 * 64);
  L<Tdst> dst = ub<Tdst>(8192, 8 * 96);
  for (uint32_t i = 0; i < 8 * 64; ++i) {
    src.SetValue(i, i % 100);
  }
  for (uint32_t i = 0; i < 8 * 96; ++i) {
    dst.SetValue(i, 111);
  }
  tl::ascend::copy_ub_to_ub<Tdst, Tsrc, 8 * cols>(dst[0], src[0], 8, cols, 64, 8, cols, 96);
  for (uint32_t i = 0; i < 8 * 96; ++i) {
    const double want = i % 96 < cols ? (i / 96 * 64 + i % 96) % 100 : 111;
    EXPECT(machine::number(dst.GetValue(i)) == want, "within, %u columns: %u", cols, i);
  }
}

template <typename T> static void filled(uint32_t count) {
  L<T> a = ub<T>(0, 4096);
  for (uint32_t i = 0; i < 4096; ++i) {
    a.SetValue(i, 1);
  }
  tl::ascend::Fill<T>(a[0], T(-3), static_cast<int32_t>(count));
  for (uint32_t i = 0; i < 4096; ++i) {
    const bool spare = sizeof(T) == 1 && count % 2 == 1 && i == count;
    EXPECT(spare || a.GetValue(i) == T(i < count ? -3 : 1), "fill of %zu bytes: %u", sizeof(T), i);
  }
}

template <typename T, uint32_t M, uint32_t N> static void transposed() {
  L<T> src = ub<T>(0, M * N), dst = ub<T>(98304, M * N);
  for (uint32_t i = 0; i < M * N; ++i) {
    src.SetValue(i, i % 120);
  }
  tl::ascend::transpose<T, M, N>(dst[0], src[0]);
  for (uint32_t i = 0; i < M * N; ++i) {
    EXPECT(machine::number(dst.GetValue(i % N * M + i / N)) == i % 120, "transpose %u x %u: %u", M, N, i);
  }
}

template <typename T, uint32_t M, uint32_t N, int32_t dim> static void reduced() {
  constexpr uint32_t pitch = (N * sizeof(T) + 31) / 32 * 32 / sizeof(T);
  constexpr uint32_t results = dim == -1 ? M : N;
  L<T> src = ub<T>(0, M * pitch), dst = ub<T>(65536, results);
  L<uint8_t> tmp = ub<uint8_t>(98304, M * pitch * sizeof(T));
  for (uint32_t i = 0; i < M * pitch; ++i) {
    src.SetValue(i, rand() % 5 - 2);
  }
  for (bool clear : {true, false}) {
    for (uint32_t i = 0; i < results; ++i) {
      dst.SetValue(i, 1);
    }
    for (int op = 0; op < 3; ++op) {
      const double old = machine::number(dst.GetValue(0));
      double want = clear ? (op == 0 ? 0 : op == 1 ? -9 : 9) : old;
      for (uint32_t j = 0; j < (dim == -1 ? N : M); ++j) {
        const double value = machine::number(src.GetValue(dim == -1 ? j : j * pitch));
        want = op == 0 ? want + value : op == 1 ? std::max(want, value) : std::min(want, value);
      }
      op == 0   ? tl::ascend::reduce_sum<T, M, N, dim>(dst[0], src[0], tmp[0], clear)
      : op == 1 ? tl::ascend::reduce_max<T, M, N, dim>(dst[0], src[0], tmp[0], clear)
                : tl::ascend::reduce_min<T, M, N, dim>(dst[0], src[0], tmp[0], clear);
      EXPECT(machine::number(dst.GetValue(0)) == want, "reduce %u x %u, %d, op %d: %g, not %g", M, N, dim, op,
             machine::number(dst.GetValue(0)), want);
    }
  }
}

template <typename T> static void long_sum() {
  L<T> src = ub<T>(0, 600 * 32), dst = ub<T>(65536, 600);
  for (uint32_t i = 0; i < 600 * 32; ++i) {
    src.SetValue(i, i % 32 < 20 ? i / 32 % 7 : 100);
  }
  tl::ascend::reduce_sum_half<T>(dst[0], src[0], 20, 600, 2);
  for (uint32_t i = 0; i < 600; ++i) {
    EXPECT(machine::number(dst.GetValue(i)) == 20 * (i % 7), "long sum: %u", i);
  }
}

// Distinct scores, so that the order is unique.
template <typename T> static void sorted(uint32_t count, uint32_t wanted) {
  const uint32_t groups = (count + 31) / 32;
  const uint32_t whole = groups * 32;
  L<T> src = ub<T>(0, whole), dst = ub<T>(16384, 2 * whole), tmp = ub<T>(65536, 8 * whole);
  std::vector<int> order(count);
  std::iota(order.begin(), order.end(), 0);
  for (uint32_t i = count; i > 1; --i) {
    std::swap(order[i - 1], order[static_cast<uint32_t>(rand()) % i]);
  }
  for (int round = 0; round < 2; ++round) {
    for (uint32_t i = 0; i < count; ++i) {
      src.SetValue(i, order[i] - 100);
    }
    const int32_t repeat = static_cast<int32_t>(groups), valid = static_cast<int32_t>(count);
    if (round == 0) {
      tl::ascend::Sort<T>(dst[0], src[0], tmp[0], repeat, valid);
    } else {
      for (uint32_t i = 0; i < 2 * whole; ++i) {
        dst.SetValue(i, 55);
      }
      tl::ascend::TopK<T>(dst[0], src[0], tmp[0], static_cast<int32_t>(wanted), repeat, valid);
      EXPECT(machine::number(dst.GetValue(2 * wanted)) == 55, "top %u of %u wrote more", wanted, count);
    }
    for (uint32_t i = 0; i < (round == 0 ? count : wanted); ++i) {
      const int score = static_cast<int>(machine::number(dst.GetValue(2 * i)));
      const uint32_t index = static_cast<uint32_t>(machine::number(dst.GetValue(2 * i + 1)));
      EXPECT(score == static_cast<int>(count - 1 - i) - 100 && index < count && order[index] == score + 100,
             "sort of %u, round %d: place %u has %d from %u", count, round, i, score, index);
    }
  }
}

static void gathered() {
  L<half> src = ub<half>(0, 256), dst = ub<half>(1024, 64);
  L<uint32_t> index = ub<uint32_t>(2048, 64);
  for (uint32_t i = 0; i < 256; ++i) {
    src.SetValue(i, i);
  }
  for (int round = 0; round < 2; ++round) {
    for (uint32_t i = 0; i < 64 && round == 0; ++i) {
      index.SetValue(i, i * 37 % 256);
    }
    tl::ascend::Gather<half>(dst[0], src[0], index[0]);
    for (uint32_t i = 0; i < 64; ++i) {
      EXPECT(machine::number(dst.GetValue(i)) == i * 37 % 256 && index.GetValue(i) == i * 37 % 256, "gather: %u", i);
    }
  }
}

static void emptied() {
  L<float> buffer = ub<float>(0, 20000);
  for (uint32_t i = 0; i < 20000; ++i) {
    buffer.SetValue(i, 1.0f);
  }
  tl::ascend::InitSortBuf<float>(buffer[0], 17000);
  const L<int32_t> words = buffer.ReinterpretCast<int32_t>();
  for (uint32_t i = 0; i < 20000; ++i) {
    const float value = buffer.GetValue(i);
    const bool right = i >= 17000 ? value == 1.0f : i % 2 == 0 ? value == -CUDART_INF_F : words.GetValue(i) == -1;
    EXPECT(right, "empty pairs: %u", i);
  }
}

static void clamped() {
  L<int32_t> a = ub<int32_t>(0, 64);
  for (uint32_t i = 0; i < 64; ++i) {
    a.SetValue(i, static_cast<int32_t>(i) - 32);
  }
  tl::ascend::Clamp<int32_t>(a[0], a[0], ub<uint8_t>(4096, 256), -5, 6, 64);
  for (int32_t i = 0; i < 64; ++i) {
    EXPECT(a.GetValue(static_cast<uint32_t>(i)) == std::min(6, std::max(-5, i - 32)), "clamp: %d", i);
  }
}

int main() {
  round_trip<half>();
  round_trip<float>();
  round_trip<int8_t>();
  round_trip<int32_t>();
  round_trip<int64_t>();
  tall_and_added();
  within<float, float, 64>();
  within<float, float, 13>();
  within<half, half, 40>();
  within<float, half, 24>();
  within<int64_t, int64_t, 7>();
  for (uint32_t count : {1u, 31u, 32u, 100u, 4000u}) {
    filled<half>(count);
    filled<float>(count);
    filled<int8_t>(count);
    filled<int64_t>(count);
  }
  filled<int64_t>(4096);
  transposed<half, 16, 16>();
  transposed<half, 48, 64>();
  transposed<float, 32, 40>();
  transposed<int16_t, 16, 3000>();
  transposed<float, 20, 7>();
  transposed<int8_t, 16, 32>();
  reduced<float, 32, 100, -1>();
  reduced<float, 32, 100, 0>();
  reduced<half, 20, 128, -1>();
  reduced<half, 20, 300, -1>();
  reduced<half, 1, 40, 0>();
  reduced<half, 20, 40, 0>();
  long_sum<half>();
  for (uint32_t count : {20u, 32u, 100u, 128u, 129u, 500u, 513u, 2000u}) {
    sorted<float>(count, 5);
  }
  for (uint32_t count : {20u, 100u, 500u, 1000u}) {
    sorted<half>(count, 7);
  }
  gathered();
  emptied();
  clamped();
  std::printf("%d failures\n", failures);
  return failures != 0;
}
