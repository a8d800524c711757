// SPDX-License-Identifier: Apache-2.0
// Device templates that an emitted Ascend C program calls. INTERFACE.md lists them.
#ifndef TL_ASCEND_COMMON_H
#define TL_ASCEND_COMMON_H

#include "base.h"
#include "copy.h"
#include "l1_to_l0.h"
#include "matrix.h"
#include "reduce.h"
#include "sort.h"
#include "vector.h"
#if defined(__has_include)
#if __has_include("shmem.h")
#include "remote.h"
#endif
#endif

#endif // TL_ASCEND_COMMON_H
