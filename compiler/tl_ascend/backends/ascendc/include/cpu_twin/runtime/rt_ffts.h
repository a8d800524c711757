// SPDX-License-Identifier: Apache-2.0
// Address of the memory through which cores of a block signal each other.
#ifndef TL_ASCEND_TWIN_RT_FFTS_H
#define TL_ASCEND_TWIN_RT_FFTS_H

#include <cstdint>

extern "C" inline int32_t rtGetC2cCtrlAddr(uint64_t *, uint32_t *) { return 0; }

#endif // TL_ASCEND_TWIN_RT_FFTS_H
