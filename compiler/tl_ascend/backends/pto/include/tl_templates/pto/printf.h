// SPDX-License-Identifier: Apache-2.0
// Tensors printed from the device (pto-isa, docs/isa, page TPRINT; the compiler's printf). Without -D_DEBUG the device
// has no output, and nothing is printed.
#pragma once

#include <cstdint>

namespace tl::ascend_pto {

template <typename Tile> AICORE PTO_INLINE void DumpTensor(Tile &tile, uint32_t mark, uint32_t, uint8_t, const uint32_t *) {
#if defined(_DEBUG) || defined(__CPU_SIM)
  pipe_barrier(PIPE_ALL);
  cce::printf("tensor %u:\n", mark);
  pto::TPRINT(tile);
#endif
}

// In GM: rows as long as the last size in `shape`.
template <typename T>
AICORE PTO_INLINE void DumpTensor(__gm__ T *tensor, uint32_t mark, uint32_t count, uint8_t rank, const uint32_t *shape) {
#if defined(_DEBUG) || defined(__CPU_SIM)
  pipe_barrier(PIPE_ALL);
  const uint32_t width = rank == 0 || shape[rank - 1] == 0 ? 8 : shape[rank - 1];
  cce::printf("tensor %u:", mark);
  for (uint32_t i = 0; i < count; ++i) {
    cce::printf(i % width == 0 ? "\n%f" : " %f", static_cast<double>(static_cast<float>(tensor[i])));
  }
  cce::printf("\n");
#endif
}

} // namespace tl::ascend_pto
