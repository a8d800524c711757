// SPDX-License-Identifier: Apache-2.0
// Operations that neither PTO nor upstream's header has and that walk single elements of tiles in the UB: the scalar unit
// does them, between barriers. Tiles are given by address; `room` is the number of elements that one has. Stands behind
// common.h.
#pragma once

#ifdef __CCE_AICORE__

#define TL_DEVICE AICORE PTO_INLINE

namespace tl::ascend_pto {
namespace elements {

template <typename T> constexpr int32_t block = 32 / static_cast<int32_t>(sizeof(T));

// The tile at an address, which takes up whole blocks.
template <typename T, int32_t room> TL_DEVICE auto at(int32_t address) {
  TileUbDataND<T, 1, (room + block<T> - 1) / block<T> * block<T>> tile;
  pto::TASSIGN(tile, address);
  return tile;
}

// The lane of a repeat whose blocks lie so many blocks apart.
template <typename T> TL_DEVICE int32_t lane(int32_t number, int32_t apart) {
  return number / block<T> * apart * block<T> + number % block<T>;
}

} // namespace elements

// The elements whose bits are set, one behind the other (CANN, GatherMask with a pattern of the author's). Counted, each of
// `times` repeats covers `mask` elements; else 256 bytes. Strides count blocks.
template <typename T, int32_t to_room, int32_t from_room, int32_t bits_room>
TL_DEVICE void gather_bits(int32_t to, int32_t from, int32_t bits, bool counted, int32_t mask, int32_t apart,
                           int32_t times, int32_t step, int32_t bits_step) {
  auto target = elements::at<T, to_room>(to);
  auto source = elements::at<T, from_room>(from);
  auto words = elements::at<uint32_t, bits_room>(bits);
  const int32_t count = counted ? mask : 8 * elements::block<T>;
  int32_t found = 0;
  pipe_barrier(PIPE_ALL);
  for (int32_t repeat = 0; repeat < times; ++repeat) {
    for (int32_t i = 0; i < count; ++i) {
      const uint32_t word = words.GetValue(repeat * bits_step * elements::block<uint32_t> + i / 32);
      if ((word >> (i % 32) & 1) != 0) {
        const int32_t lane = repeat * step * elements::block<T> + elements::lane<T>(i, apart);
        target.SetValue(found++, source.GetValue(lane));
      }
    }
  }
  pipe_barrier(PIPE_ALL);
}

// Of each of `times` repeats the elements whose bit in `mask` is set (CANN, Duplicate with a mask). Strides count blocks.
template <typename T, int32_t room>
TL_DEVICE void fill_bits(int32_t to, T value, uint64_t mask, int32_t times, int32_t apart, int32_t step) {
  auto target = elements::at<T, room>(to);
  constexpr int32_t reached = 8 * elements::block<T> < 64 ? 8 * elements::block<T> : 64;
  pipe_barrier(PIPE_ALL);
  for (int32_t repeat = 0; repeat < times; ++repeat) {
    for (int32_t i = 0; i < reached; ++i) {
      if ((mask >> i & 1) != 0) {
        target.SetValue(repeat * step * elements::block<T> + elements::lane<T>(i, apart), value);
      }
    }
  }
  pipe_barrier(PIPE_ALL);
}

// Pairs that sort last: -inf, and an index of all bits.
template <int32_t room> TL_DEVICE void init_sort_buf(int32_t to, int32_t count) {
  auto words = elements::at<uint32_t, room>(to);
  pipe_barrier(PIPE_ALL);
  for (int32_t i = 0; i < count; i += 2) {
    words.SetValue(i, 0xff800000u);
    words.SetValue(i + 1, 0xffffffffu);
  }
  pipe_barrier(PIPE_ALL);
}

// Where results of repeats go: the values alone, the place of each within its repeat, or both. A place is an integer as
// wide as the elements, alone it has 32 bits. The first of equal values counts.
enum class Found { Value, Index, ValueIndex, IndexValue };

template <Found kind, typename T, int32_t room>
TL_DEVICE void put_found(int32_t to, int32_t at, T value, int32_t index) {
  using Word = std::conditional_t<sizeof(T) == 2, uint16_t, uint32_t>;
  if constexpr (kind == Found::Index) {
    elements::at<uint32_t, (room * sizeof(T) + 3) / 4>(to).SetValue(at, static_cast<uint32_t>(index));
  } else {
    constexpr int32_t width = kind == Found::Value ? 1 : 2;
    elements::at<T, room>(to).SetValue(at * width + (kind == Found::IndexValue), value);
    if constexpr (width == 2) {
      elements::at<Word, room>(to).SetValue(at * width + (kind == Found::ValueIndex), static_cast<Word>(index));
    }
  }
}

// The values of repeats that lie one behind the other in `values`, `step` results apart, with the place where each stands
// in its repeat (CANN, WholeReduceMax: its order of results).
template <Found kind, typename T, int32_t to_room, int32_t from_room, int32_t times>
TL_DEVICE void spread(int32_t to, int32_t values, int32_t from, int32_t mask, int32_t step, int32_t from_step) {
  auto found = elements::at<T, times>(values);
  auto source = elements::at<T, from_room>(from);
  pipe_barrier(PIPE_ALL);
  for (int32_t repeat = 0; repeat < times; ++repeat) {
    const T value = found.GetValue(repeat);
    int32_t index = 0;
    while (kind != Found::Value && index < mask - 1 &&
           static_cast<float>(source.GetValue(repeat * from_step * elements::block<T> + index)) !=
               static_cast<float>(value)) {
      ++index;
    }
    put_found<kind, T, to_room>(to, repeat * step, value, index);
  }
  pipe_barrier(PIPE_ALL);
}

// Sums of blocks that byte offsets select, each times a weight: one for each iteration, or one for each block (CANN,
// BilinearInterpolation; page TGATHERB). The blocks of a sum lie `apart` blocks apart, sums `step` elements.
template <typename T, int32_t from_room, int32_t weights_room, bool by_block, int32_t lanes>
TL_DEVICE void blend(int32_t to, int32_t from, int32_t offsets, int32_t weights, int32_t tmp, int32_t across, int32_t down,
                     int32_t apart, int32_t step) {
  constexpr int32_t unit = elements::block<T>, all = 8 * unit;
  constexpr int32_t size = static_cast<int32_t>(sizeof(T));
  auto source = elements::at<T, from_room>(from);
  auto factors = elements::at<T, weights_room>(weights);
  auto part = elements::at<T, all>(tmp);
  auto sum = elements::at<T, all>(tmp + all * size);
  pipe_barrier(PIPE_ALL);
  for (int32_t line = 0; line < down; ++line) {
    for (int32_t i = 0; i < across; ++i) {
      const int32_t number = line * across + i;
      auto places = elements::at<uint32_t, 8>(offsets + number * 32);
      pto::TGATHERB(part, source, places);
      pipe_barrier(PIPE_V);
      for (int32_t one = 0; one < 8; ++one) {
        auto block = elements::at<T, unit>(tmp + one * 32);
        pto::TMULS(block, block, factors.GetValue(by_block ? number * 8 + one : number));
      }
      pipe_barrier(PIPE_V);
      if (i == 0) {
        pto::TMOV(sum, part);
      } else {
        pto::TADD(sum, sum, part);
      }
      pipe_barrier(PIPE_V);
    }
    for (int32_t one = 0; one * unit < lanes; ++one) {
      const int32_t count = lanes - one * unit < unit ? lanes - one * unit : unit;
      TileUbDataND<T, 1, unit, pto::DYNAMIC, pto::DYNAMIC> target(1, count), block(1, count);
      pto::TASSIGN(target, to + (line * step + one * apart * unit) * size);
      pto::TASSIGN(block, tmp + (all + one * unit) * size);
      pto::TMOV(target, block);
    }
    pipe_barrier(PIPE_V);
  }
}

} // namespace tl::ascend_pto

#undef TL_DEVICE
#endif // __CCE_AICORE__
