// SPDX-License-Identifier: Apache-2.0
// The part of shmem's device API that the templates use: through UB, or from and to UB directly.
#ifndef TL_ASCEND_TWIN_SHMEM_H
#define TL_ASCEND_TWIN_SHMEM_H

#include "kernel_operator.h"

// One processing element runs alone here.
#define TWIN_REMOTE                                                                                                    \
  { AscendC::twin::fail("shmem: there is no other processing element"); }

template <typename T>
void aclshmemx_mte_put_nbi(__gm__ T *, __gm__ T *, __ubuf__ T *, uint32_t, size_t,
                           int, event_t) TWIN_REMOTE
template <typename T>
void aclshmemx_mte_put_nbi(__gm__ T *, __ubuf__ T *, size_t, int, event_t) TWIN_REMOTE
template <typename T>
void aclshmemx_mte_get_nbi(__gm__ T *, __gm__ T *, __ubuf__ T *, uint32_t, size_t,
                           int, event_t) TWIN_REMOTE
template <typename T>
void aclshmemx_mte_get_nbi(__ubuf__ T *, __gm__ T *, size_t, int, event_t) TWIN_REMOTE

#undef TWIN_REMOTE

#endif // TL_ASCEND_TWIN_SHMEM_H
