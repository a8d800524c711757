// SPDX-License-Identifier: Apache-2.0
// Address of the memory through which cores of a block signal each other.
#ifndef TL_ASCEND_TWIN_RT_FFTS_H
#define TL_ASCEND_TWIN_RT_FFTS_H

#include <cstdint>

extern "C" int32_t rtGetC2cCtrlAddr(uint64_t *address, uint32_t *length);

#endif // TL_ASCEND_TWIN_RT_FFTS_H
