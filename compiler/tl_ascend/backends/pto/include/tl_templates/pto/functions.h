// SPDX-License-Identifier: Apache-2.0
// Functions that neither PTO nor upstream's header has: sine and cosine and powers of whole numbers, made of PTO's
// instructions, and the order of blocks in bands. Stands behind common.h.
#pragma once

#ifdef __CCE_AICORE__

#define TL_DEVICE AICORE PTO_INLINE

namespace tl::ascend_pto {
namespace functions {

TL_DEVICE void step() { pipe_barrier(PIPE_V); }

template <typename Tile> TL_DEVICE void add_product(Tile &to, Tile &factor, float number) {
  pto::TAXPY(to, factor, number);
  step();
}

// x less the nearest n pi, of a cosine less the nearest (n - 1/2) pi. Then n is in `turns`. Pi comes in parts of few bits:
// products with whole numbers and halves below 2 ** 13 are exact but for the last one (Cody and Waite).
template <bool cosine, typename Tile> TL_DEVICE void reduce(Tile &x, Tile &turns) {
  pto::TMULS(turns, x, 0.31830988618f);
  step();
  if constexpr (cosine) {
    pto::TADDS(turns, turns, 0.5f);
    step();
  }
  pto::TCVT(turns, turns, pto::RoundMode::CAST_RINT);
  step();
  if constexpr (cosine) {
    pto::TADDS(turns, turns, -0.5f);
    step();
  }
  add_product(x, turns, -3.140625f);
  add_product(x, turns, -0.0009670257568359375f);
  add_product(x, turns, -6.277114152908325e-07f);
  add_product(x, turns, -1.215419986877464e-10f);
  if constexpr (cosine) {
    pto::TADDS(turns, turns, 0.5f);
    step();
  }
}

// x with the sign of (-1) ** n, which is 1 - 2 n + 4 floor(n / 2).
template <typename Tile> TL_DEVICE void turn(Tile &x, Tile &turns, Tile &work) {
  pto::TMULS(work, turns, 0.5f);
  step();
  pto::TCVT(work, work, pto::RoundMode::CAST_FLOOR);
  pto::TMULS(turns, turns, -2.0f);
  step();
  add_product(turns, work, 4.0f);
  pto::TADDS(turns, turns, 1.0f);
  step();
  pto::TMUL(x, x, turns);
  step();
}

// (value + term) square
template <typename Tile> TL_DEVICE void add_term(Tile &value, Tile &square, float term) {
  pto::TADDS(value, value, term);
  step();
  pto::TMUL(value, value, square);
  step();
}

// x + x s (c0 + s (c1 + ..)) with s = x * x, within pi / 2: fitted, exact to 5e-9.
template <typename Tile> TL_DEVICE void sine(Tile &x, Tile &value, Tile &square) {
  pto::TMUL(square, x, x);
  step();
  pto::TMULS(value, square, 2.607502665341599e-06f);
  step();
  add_term(value, square, -0.00019810517551377416f);
  add_term(value, square, 0.00833308044821024f);
  add_term(value, square, -0.16666659712791443f);
  pto::TMUL(value, value, x);
  step();
  pto::TADD(x, x, value);
}

template <int32_t n> TL_DEVICE TileUbDataND<float, 1, n> row(int32_t address) {
  TileUbDataND<float, 1, n> tile;
  pto::TASSIGN(tile, address);
  return tile;
}

} // namespace functions

// Of floats, or of halves as floats. `tmp`: an address with room for as many floats twice, of halves three times.
template <typename T, int32_t n, bool cosine>
TL_DEVICE void wave(TileUbDataND<T, 1, n> &to, TileUbDataND<T, 1, n> &from, int32_t tmp) {
  constexpr int32_t bytes = n * static_cast<int32_t>(sizeof(float));
  auto turns = functions::row<n>(tmp);
  auto work = functions::row<n>(tmp + bytes);
  if constexpr (sizeof(T) == sizeof(float)) {
    pto::TMOV(to, from);
    functions::step();
    functions::reduce<cosine>(to, turns);
    functions::turn(to, turns, work);
    functions::sine(to, turns, work);
  } else {
    auto x = functions::row<n>(tmp + 2 * bytes);
    pto::TCVT(x, from, pto::RoundMode::CAST_NONE);
    functions::step();
    functions::reduce<cosine>(x, turns);
    functions::turn(x, turns, work);
    functions::sine(x, turns, work);
    functions::step();
    pto::TCVT(to, x, pto::RoundMode::CAST_RINT);
  }
}

namespace functions {

// What leaves 32 bits is lost. Below one only the powers of 1 and -1 are whole: others are cut off to 0.
TL_DEVICE int32_t power(int32_t base, int32_t exponent) {
  if (exponent < 0) {
    return base == 1 ? 1 : base == -1 ? ((exponent & 1) != 0 ? -1 : 1) : 0;
  }
  uint32_t result = 1, factor = static_cast<uint32_t>(base);
  for (uint32_t left = static_cast<uint32_t>(exponent); left != 0; left >>= 1) {
    result *= (left & 1) != 0 ? factor : 1;
    factor *= factor;
  }
  return static_cast<int32_t>(result);
}

} // namespace functions

// Element by element, by the scalar unit: the vector unit neither multiplies conditionally nor loops.
template <int32_t n>
TL_DEVICE void whole_pow(TileUbDataND<int32_t, 1, n> &to, TileUbDataND<int32_t, 1, n> &base,
                         TileUbDataND<int32_t, 1, n> &exponent) {
  pipe_barrier(PIPE_ALL);
  for (int32_t i = 0; i < n; ++i) {
    to.SetValue(i, functions::power(base.GetValue(i), exponent.GetValue(i)));
  }
  pipe_barrier(PIPE_ALL);
}

// The block that block `pid` stands in for: bands of `off` rows (direction 0) or columns are walked across, every other one
// backwards (upstream's template of route ascendc; its templates of this route have none).
TL_DEVICE int64_t thread_block_swizzle(int64_t pid, int64_t m, int64_t n, int64_t block_m, int64_t block_n, int64_t off,
                                       int64_t direction) {
  const int64_t rows = (m + block_m - 1) / block_m;
  const int64_t columns = (n + block_n - 1) / block_n;
  const bool along_rows = direction == 0;
  const int64_t across = along_rows ? rows : columns; // cut into bands
  const int64_t along = along_rows ? columns : rows;
  const int64_t index = pid % (rows * columns);
  const int64_t band = index / (off * along);
  const int64_t inside = index % (off * along);
  const int64_t left = across - band * off;
  const int64_t width = left < off ? left : off;
  const int64_t place = band * off + inside % width;
  const int64_t forward = inside / width;
  const int64_t step = band % 2 == 0 ? forward : along - 1 - forward;
  return along_rows ? place * columns + step : step * columns + place;
}

} // namespace tl::ascend_pto

#undef TL_DEVICE
#endif // __CCE_AICORE__
