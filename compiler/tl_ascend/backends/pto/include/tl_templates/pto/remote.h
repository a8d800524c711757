// SPDX-License-Identifier: Apache-2.0
// Transfers to and from the symmetric memory of another processing element: shmem (its header, on the include path) says
// where that lies, loads and stores move the data (pages TLOAD, TSTORE of pto-isa). Upstream has none of this for PTO.
#pragma once

#ifdef __CCE_AICORE__
#include "shmem.h"

#define TL_DEVICE AICORE PTO_INLINE

namespace tl::ascend_pto {
namespace remote {

// What moves between two tensors passes through so many bytes at the start of the UB, as on route ascendc.
constexpr int32_t kScratch = 192;

template <typename T> TL_DEVICE __gm__ T *on(__gm__ T *address, int32_t element) {
  return reinterpret_cast<__gm__ T *>(aclshmem_ptr(reinterpret_cast<__gm__ void *>(address), element));
}

template <typename T> using Row = pto::GlobalTensor<T, pto::Shape<1, 1, 1, 1, pto::DYNAMIC>, pto::Stride<1, 1, 1, 1, 1>>;

template <typename T> TL_DEVICE Row<T> row(__gm__ T *from, int32_t count) {
  return Row<T>(from, pto::Shape<1, 1, 1, 1, pto::DYNAMIC>(count));
}

// The first `count` elements of a tile with room for more.
template <typename T, int32_t room> TL_DEVICE auto tile(int32_t address, int32_t count) {
  TileUbDataND<T, 1, room, pto::DYNAMIC, pto::DYNAMIC> found(1, count);
  pto::TASSIGN(found, address);
  return found;
}

template <typename T> TL_DEVICE void move(__gm__ T *to, __gm__ T *from, int32_t count) {
  constexpr int32_t room = kScratch / static_cast<int32_t>(sizeof(T));
  for (int32_t done = 0; done < count; done += room) {
    const int32_t part = count - done < room ? count - done : room;
    auto staged = tile<T, room>(0, part);
    auto source = row(from + done, part);
    auto target = row(to + done, part);
    pto::TLOAD(staged, source);
    set_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    wait_flag(PIPE_MTE2, PIPE_MTE3, EVENT_ID0);
    pto::TSTORE(target, staged);
    set_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
    wait_flag(PIPE_MTE3, PIPE_MTE2, EVENT_ID0);
  }
}

} // namespace remote

template <typename T> TL_DEVICE void shmem_put_nbi(__gm__ T *to, __gm__ T *from, int32_t count, int32_t element) {
  remote::move(remote::on(to, element), from, count);
}

template <typename T> TL_DEVICE void shmem_get_nbi(__gm__ T *to, __gm__ T *from, int32_t count, int32_t element) {
  remote::move(to, remote::on(from, element), count);
}

// `room`: elements of the tile, whole blocks.
template <typename T, int32_t room>
TL_DEVICE void shmem_ub_put_nbi(int32_t from, __gm__ T *to, int32_t count, int32_t element, int32_t offset) {
  auto tile = remote::tile<T, room>(from, count);
  auto target = remote::row(remote::on(to, element) + offset, count);
  pto::TSTORE(target, tile);
}

template <typename T, int32_t room>
TL_DEVICE void shmem_ub_get_nbi(int32_t to, __gm__ T *from, int32_t count, int32_t element) {
  auto tile = remote::tile<T, room>(to, count);
  auto source = remote::row(remote::on(from, element), count);
  pto::TLOAD(tile, source);
}

} // namespace tl::ascend_pto

#undef TL_DEVICE
#endif // __CCE_AICORE__
