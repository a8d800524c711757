// The part of shmem's device API that our templates use. asc-devkit does not hold it.
#pragma once
template <typename T> void aclshmemx_mte_put_nbi(__gm__ T *, __gm__ T *, __ubuf__ T *, uint32_t, size_t, int, event_t);
template <typename T> void aclshmemx_mte_put_nbi(__gm__ T *, __ubuf__ T *, size_t, int, event_t);
template <typename T> void aclshmemx_mte_get_nbi(__gm__ T *, __gm__ T *, __ubuf__ T *, uint32_t, size_t, int, event_t);
template <typename T> void aclshmemx_mte_get_nbi(__ubuf__ T *, __gm__ T *, size_t, int, event_t);
