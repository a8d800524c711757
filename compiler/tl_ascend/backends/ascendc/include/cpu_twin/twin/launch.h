// SPDX-License-Identifier: Apache-2.0
// What stands in for `kernel<<<blocks, nullptr, stream>>>(args...)`, which no host compiler reads.
#ifndef TL_ASCEND_TWIN_LAUNCH_H
#define TL_ASCEND_TWIN_LAUNCH_H

#include <cstdint>

namespace AscendC::twin {

template <typename... Params, typename... Args>
void launch(void (*kernel)(Params...), uint32_t blocks, void *stream, Args &&...args);

} // namespace AscendC::twin

#endif // TL_ASCEND_TWIN_LAUNCH_H
