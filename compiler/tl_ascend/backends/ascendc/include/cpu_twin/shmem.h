// SPDX-License-Identifier: Apache-2.0
// The part of shmem's device API that the templates use: through UB scratch, or from and to UB directly.
#ifndef TL_ASCEND_TWIN_SHMEM_H
#define TL_ASCEND_TWIN_SHMEM_H

#include "kernel_operator.h"

template <typename T>
void aclshmemx_mte_put_nbi(__gm__ T *dst, __gm__ T *src, __ubuf__ T *scratch, uint32_t scratch_bytes, size_t count,
                           int element, event_t event);
template <typename T>
void aclshmemx_mte_put_nbi(__gm__ T *dst, __ubuf__ T *src, size_t count, int element, event_t event);
template <typename T>
void aclshmemx_mte_get_nbi(__gm__ T *dst, __gm__ T *src, __ubuf__ T *scratch, uint32_t scratch_bytes, size_t count,
                           int element, event_t event);
template <typename T>
void aclshmemx_mte_get_nbi(__ubuf__ T *dst, __gm__ T *src, size_t count, int element, event_t event);

#endif // TL_ASCEND_TWIN_SHMEM_H
