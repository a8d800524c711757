// SPDX-License-Identifier: Apache-2.0
// CPU twin of the Ascend C kernel API: the part that emitted programs and the templates use, for A2/A3.
//
// It executes: every call is queued on its pipe and drained in an order that a seed chooses, limited only by flags and
// barriers (twin/machine.h). Programs link with src/*.cpp. Types and signatures follow the vendor's API pages; Only<> adds
// the element types that these pages list for A2/A3, so that an illegal type fails at the call.
#ifndef TL_ASCEND_TWIN_KERNEL_OPERATOR_H
#define TL_ASCEND_TWIN_KERNEL_OPERATOR_H

#define TL_ASCEND_CPU_TWIN 1

#include "twin/types.h"
#include "twin/tensor.h"
#include "twin/sync.h"
#include "twin/copy.h"
#include "twin/matrix.h"
#include "twin/vector_arith.h"
#include "twin/vector_choose.h"
#include "twin/vector_move.h"
#include "twin/vector_sort.h"
#include "twin/vector_reduce.h"
#include "twin/vector_library.h"
#include "twin/debug.h"
#include "twin/launch.h"

#endif // TL_ASCEND_TWIN_KERNEL_OPERATOR_H
