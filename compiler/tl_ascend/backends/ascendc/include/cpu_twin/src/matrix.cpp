// SPDX-License-Identifier: Apache-2.0
// The inner loop of products.
#include "../twin/machine.h"

namespace AscendC::twin {

namespace {

template <typename N> void multiply(const N *a, const N *b, uint32_t depth, N *sums) {
  for (uint32_t k = 0; k < depth; ++k) {
    for (uint32_t i = 0; i < 16; ++i) {
      sums[i] += a[k] * b[k * 16 + i];
    }
  }
}

} // namespace

void multiply_row(const float *a, const float *b, uint32_t depth, float *sums) { multiply(a, b, depth, sums); }
void multiply_row(const int32_t *a, const int32_t *b, uint32_t depth, int32_t *sums) { multiply(a, b, depth, sums); }

} // namespace AscendC::twin
