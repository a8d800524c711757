// SPDX-License-Identifier: Apache-2.0
// Transfers to and from the symmetric memory of another processing element, through shmem's device API. MTE2 and MTE3,
// event id 0. Included only where shmem.h can be found.
#ifndef TL_ASCEND_REMOTE_H
#define TL_ASCEND_REMOTE_H

#include "base.h"
#include "shmem.h"

namespace tl::ascend {
namespace detail {

// A transfer between two GM tensors passes through UB; it takes this many bytes at its start.
constexpr uint32_t kRemoteScratch = 192;

template <typename T> TL_DEVICE __gm__ T *gm_address(const GlobalTensor<T> &tensor) {
  return const_cast<__gm__ T *>(tensor.GetPhyAddr());
}

template <typename T> TL_DEVICE __ubuf__ T *ub_address(const LocalTensor<T> &tensor) {
  return reinterpret_cast<__ubuf__ T *>(tensor.GetPhyAddr());
}

template <typename T> TL_DEVICE __ubuf__ T *remote_scratch() {
  AscendC::TPipe pipe;
  AscendC::TBuf<AscendC::TPosition::VECIN> buffer;
  pipe.InitBuffer(buffer, kRemoteScratch);
  const LocalTensor<T> scratch = buffer.template Get<T>();
  pipe.Destroy();
  return ub_address<T>(scratch);
}

} // namespace detail

template <typename T>
TL_DEVICE void shmem_put_nbi(const GlobalTensor<T> &output, const GlobalTensor<T> &input, size_t nelems,
                             size_t newPe) {
  aclshmemx_mte_put_nbi(detail::gm_address<T>(output), detail::gm_address<T>(input), detail::remote_scratch<T>(),
                        detail::kRemoteScratch, nelems, newPe, EVENT_ID0);
}

template <typename T>
TL_DEVICE void shmem_get_nbi(const GlobalTensor<T> &output, const GlobalTensor<T> &input, size_t nelems,
                             size_t newPe) {
  aclshmemx_mte_get_nbi(detail::gm_address<T>(output), detail::gm_address<T>(input), detail::remote_scratch<T>(),
                        detail::kRemoteScratch, nelems, newPe, EVENT_ID0);
}

template <typename T>
TL_DEVICE void shmem_ub_put_nbi(const LocalTensor<T> &ubTensor, const GlobalTensor<T> &output, size_t nelems,
                                int newPe, int offset) {
  aclshmemx_mte_put_nbi(detail::gm_address<T>(output) + offset, detail::ub_address<T>(ubTensor), nelems, newPe,
                        EVENT_ID0);
}

template <typename T>
TL_DEVICE void shmem_ub_get_nbi(const LocalTensor<T> &output, const GlobalTensor<T> &input, size_t nelems,
                                size_t newPe) {
  aclshmemx_mte_get_nbi(detail::ub_address<T>(output), detail::gm_address<T>(input), nelems, newPe, EVENT_ID0);
}

} // namespace tl::ascend

#endif // TL_ASCEND_REMOTE_H
