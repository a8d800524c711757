// What the simulator of the wheel does otherwise than the device (measured; PTO's own device headers and the CANN
// pages say how that works): overloads that are chosen because they are constrained.
#pragma once

namespace pto {

template <> inline void SYNCALL_IMPL<SyncCoreType::Mix>() { proof::meet(3); }
template <> inline void SYNCALL_IMPL<SyncCoreType::AICOnly>() { proof::meet(1); }
template <> inline void SYNCALL_IMPL<SyncCoreType::AIVOnly>() { proof::meet(2); }

namespace own {
template <typename... T> inline constexpr bool always = true;
template <typename A, typename B> inline constexpr bool differ = !std::is_same_v<A, B>;

template <typename Tile> auto &at(Tile &tile, std::size_t row, std::size_t column) {
  return tile.data()[GetTileElementOffset<Tile>(row, column)];
}

template <typename Tile, typename F> void each(Tile &tile, F work) {
  for (std::size_t r = 0; r < static_cast<std::size_t>(tile.GetValidRow()); ++r) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(tile.GetValidCol()); ++c) {
      work(r, c);
    }
  }
}

template <typename T> bool holds(T a, T b, CmpMode mode) {
  switch (mode) {
  case CmpMode::NE: return a != b;
  case CmpMode::LT: return a < b;
  case CmpMode::GT: return a > b;
  case CmpMode::GE: return a >= b;
  case CmpMode::LE: return a <= b;
  default: return a == b;
  }
}

// Bits of a row follow each other in bytes of the mask's row.
template <typename Mask, typename Source, typename F> void compare(Mask &mask, Source &source, CmpMode mode, F other) {
  auto *bytes = reinterpret_cast<uint8_t *>(mask.data());
  constexpr std::size_t step = Mask::RowStride * sizeof(typename Mask::DType);
  each(source, [&](std::size_t r, std::size_t c) {
    uint8_t &byte = bytes[r * step + c / 8];
    const uint8_t bit = static_cast<uint8_t>(1u << (c % 8));
    const bool yes = holds<typename Source::DType>(at(source, r, c), other(r, c), mode);
    byte = yes ? byte | bit : byte & ~bit;
  });
}

template <typename Mask> bool chosen(Mask &mask, std::size_t r, std::size_t c) {
  constexpr std::size_t step = Mask::RowStride * sizeof(typename Mask::DType);
  return reinterpret_cast<uint8_t *>(mask.data())[r * step + c / 8] >> (c % 8) & 1;
}

template <typename To, typename From> To stored(From value, bool relu) {
  return static_cast<To>(relu && value < From(0) ? From(0) : value);
}

// Out of a tile: converting, adding, without negative numbers.
template <bool add, bool relu, typename Global, typename Tile> void store(Global &to, Tile &tile) {
  using To = typename Global::RawDType;
  std::unique_lock<std::mutex> alone(proof::atomic(), std::defer_lock);
  if (add) {
    alone.lock();
  }
  const std::size_t rows = to.GetShape(3), step = to.GetStride(3), unit = to.GetStride(4);
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < static_cast<std::size_t>(to.GetShape(4)); ++c) {
      To &place = to.data()[r * step + c * unit];
      const To value = stored<To>(at(tile, r, c), relu);
      place = add ? static_cast<To>(place + value) : value;
    }
  }
}
} // namespace own

// The simulator fills the whole tile before it loads; the device touches what is loaded only.
template <typename Tile, typename Global>
  requires own::always<Tile>
void TLOAD_IMPL(Tile &tile, Global &from) {
  for (int64_t r = 0; r < from.GetShape(3); ++r) {
    for (int64_t c = 0; c < from.GetShape(4); ++c) {
      own::at(tile, r, c) = from.data()[r * from.GetStride(3) + c * from.GetStride(4)];
    }
  }
}

template <typename Tile, typename Global, AtomicType mode>
  requires own::always<Tile>
void TSTORE_IMPL(Global &to, Tile &tile) {
  own::store<mode == AtomicType::AtomicAdd, false>(to, tile);
}

template <typename Tile, typename Global, AtomicType mode, ReluPreMode relu>
  requires own::always<Tile>
void TSTORE_IMPL(Global &to, Tile &tile) {
  own::store<mode == AtomicType::AtomicAdd, relu == ReluPreMode::NormalRelu>(to, tile);
}

template <typename Mask, typename A, typename B>
  requires own::always<Mask>
void TCMP_IMPL(Mask &mask, A &a, B &b, CmpMode mode) {
  own::compare(mask, a, mode, [&](std::size_t r, std::size_t c) { return own::at(b, r, c); });
}

template <typename Mask, typename A, typename T>
  requires std::is_arithmetic_v<T> || std::is_same_v<T, half>
void TCMPS_IMPL(Mask &mask, A &a, T value, CmpMode mode) {
  own::compare(mask, a, mode, [&](std::size_t, std::size_t) { return static_cast<typename A::DType>(value); });
}

template <typename Tile, typename Mask, typename Tmp>
  requires own::always<Tile>
void TSELS_IMPL(Tile &to, Mask &mask, Tile &a, Tmp &, typename Tile::DType value) {
  own::each(to, [&](std::size_t r, std::size_t c) {
    own::at(to, r, c) = own::chosen(mask, r, c) ? own::at(a, r, c) : value;
  });
}

// Floats to whole floats.
template <typename To, typename From>
  requires std::is_same_v<typename To::DType, float> && std::is_same_v<typename From::DType, float>
void TCVT_IMPL(To &to, From &from, RoundMode mode) {
  own::each(from, [&](std::size_t r, std::size_t c) {
    own::at(to, r, c) = static_cast<float>(applyRoundingToIntegral(own::at(from, r, c), mode));
  });
}

// Floats to integers: what is too large becomes the greatest one, NaN 0 (CANN, Cast).
template <typename To, typename From>
  requires std::is_integral_v<typename To::DType> && is_float_like_v<typename From::DType>
void TCVT_IMPL(To &to, From &from, RoundMode mode) {
  using T = typename To::DType;
  constexpr double least = std::numeric_limits<T>::lowest(), most = std::numeric_limits<T>::max();
  own::each(from, [&](std::size_t r, std::size_t c) {
    const double whole = applyRoundingToIntegral(static_cast<double>(own::at(from, r, c)), mode);
    const double inside = std::isnan(whole) ? 0 : std::clamp(whole, least, most);
    own::at(to, r, c) = inside >= most ? std::numeric_limits<T>::max() : static_cast<T>(inside);
  });
}

// Indices stay bits.
template <typename To, typename From, typename Index>
  requires own::always<To>
void TSORT32_IMPL(To &to, From &from, Index &index) {
  using T = typename From::DType;
  auto *out = reinterpret_cast<char *>(to.data());
  const int count = from.GetValidCol();
  for (int first = 0; first < count; first += 32) {
    std::vector<int> order;
    for (int i = first; i < std::min(first + 32, count); ++i) {
      order.push_back(i);
    }
    std::stable_sort(order.begin(), order.end(), [&](int a, int b) { return from.data()[a] > from.data()[b]; });
    for (int i = 0; i < static_cast<int>(order.size()); ++i) {
      const T value = from.data()[order[i]];
      const uint32_t place = index.data()[order[i]];
      std::memset(out + 8 * (first + i), 0, 8);
      std::memcpy(out + 8 * (first + i), &value, sizeof(T));
      std::memcpy(out + 8 * (first + i) + 4, &place, 4);
    }
  }
}

template <PrintFormat format, typename Tile>
  requires own::always<Tile>
void TPRINT_IMPL(Tile &) {}

// Tiles of one size whose rows lie at different pitches.
#define PROOF_BINARY(NAME, TEXT)                                                                                       \
  template <typename To, typename A, typename B>                                                                       \
    requires own::differ<To, A> || own::differ<To, B>                                                                  \
  void NAME##_IMPL(To &to, A &left, B &right) {                                                                        \
    own::each(to, [&](std::size_t r, std::size_t c) {                                                                  \
      const auto a = own::at(left, r, c);                                                                              \
      const auto b = own::at(right, r, c);                                                                             \
      own::at(to, r, c) = TEXT;                                                                                        \
    });                                                                                                                \
  }
PROOF_BINARY(TADD, a + b)
PROOF_BINARY(TSUB, a - b)
PROOF_BINARY(TMUL, a *b)
PROOF_BINARY(TMAX, a > b ? a : b)
PROOF_BINARY(TMIN, a < b ? a : b)
#undef PROOF_BINARY

// Divisions by 0 are no mistakes. With a scalar the device fills the result with that first, then divides: what is read
// must lie elsewhere (its TDIVS, to which TRECIP leads).
template <auto precision = DivAlgorithm::DEFAULT, typename To, typename A, typename B>
  requires own::always<To>
void TDIV_IMPL(To &to, A &left, B &right) {
  own::each(to, [&](std::size_t r, std::size_t c) { own::at(to, r, c) = own::at(left, r, c) / own::at(right, r, c); });
}

template <auto precision = DivAlgorithm::DEFAULT, typename To, typename From>
  requires own::always<To>
void TDIVS_IMPL(To &to, From &from, typename From::DType scalar) {
  own::each(to, [&](std::size_t r, std::size_t c) { own::at(to, r, c) = scalar; });
  own::each(to, [&](std::size_t r, std::size_t c) { own::at(to, r, c) = own::at(from, r, c) / own::at(to, r, c); });
}

template <auto precision = DivAlgorithm::DEFAULT, typename To, typename From>
  requires own::always<To>
void TDIVS_IMPL(To &to, typename From::DType scalar, From &from) {
  own::each(to, [&](std::size_t r, std::size_t c) { own::at(to, r, c) = scalar; });
  own::each(to, [&](std::size_t r, std::size_t c) { own::at(to, r, c) = own::at(to, r, c) / own::at(from, r, c); });
}

template <auto precision = RsqrtAlgorithm::DEFAULT, typename To, typename From>
  requires own::always<To>
void TRSQRT_IMPL(To &to, From &from) {
  own::each(to, [&](std::size_t r, std::size_t c) {
    own::at(to, r, c) = static_cast<typename To::DType>(1.0 / std::sqrt(static_cast<double>(own::at(from, r, c))));
  });
}

// Values that are repeated over a block for each row: the device takes the block of the row.
#define PROOF_ROWS(NAME, SIGN)                                                                                         \
  template <typename To, typename A, typename B>                                                                       \
    requires(B::isRowMajor && B::Rows > 1 && B::Cols * sizeof(typename B::DType) == 32)                                \
  void NAME##_IMPL(To &to, A &left, B &right) {                                                                        \
    own::each(to, [&](std::size_t r, std::size_t c) {                                                                  \
      own::at(to, r, c) = own::at(left, r, c) SIGN own::at(right, r, 0);                                               \
    });                                                                                                                \
  }
PROOF_ROWS(TROWEXPANDMUL, *)
PROOF_ROWS(TROWEXPANDSUB, -)
PROOF_ROWS(TROWEXPANDDIV, /)
#undef PROOF_ROWS

} // namespace pto
