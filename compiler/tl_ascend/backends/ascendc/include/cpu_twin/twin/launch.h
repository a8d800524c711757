// SPDX-License-Identifier: Apache-2.0
// What stands in for `kernel<<<blocks, nullptr, stream>>>(args...)`, which no host compiler reads.
#ifndef TL_ASCEND_TWIN_LAUNCH_H
#define TL_ASCEND_TWIN_LAUNCH_H

#include "machine.h"

namespace AscendC::twin {

template <typename... Params, typename... Args>
void launch(void (*kernel)(Params...), uint32_t blocks, void *, Args &&...args) {
  run_blocks(blocks, [&] { kernel(static_cast<Params>(args)...); });
}

} // namespace AscendC::twin

#endif // TL_ASCEND_TWIN_LAUNCH_H
