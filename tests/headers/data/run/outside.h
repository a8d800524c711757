// SPDX-License-Identifier: Apache-2.0
// For programs that call templates outside of a launch, where the twin executes every call at once.
#ifndef TESTS_HEADERS_OUTSIDE_H
#define TESTS_HEADERS_OUTSIDE_H

#include "tl_templates/ascend/common.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <vector>

namespace machine {

using AscendC::twin::number;

template <typename T> const T *at(const AscendC::LocalTensor<T> &tensor) { return AscendC::twin::reads(tensor, 0, 1); }

inline void expect_no_flags() {
  const std::string left = AscendC::twin::flags_left();
  if (!left.empty()) {
    std::printf("%s\n", left.c_str());
    std::exit(2);
  }
}

} // namespace machine

#endif // TESTS_HEADERS_OUTSIDE_H
