// SPDX-License-Identifier: Apache-2.0
// Where a core stands, and how pipes and cores wait for each other.
#ifndef TL_ASCEND_TWIN_SYNC_H
#define TL_ASCEND_TWIN_SYNC_H

#include "tensor.h"

// One program serves both kinds of core; on a device the other half is compiled away.
#define ASCEND_IS_AIC (::AscendC::twin::on_cube_core())
#define ASCEND_IS_AIV (::AscendC::twin::on_vector_core())
#define KERNEL_TASK_TYPE_DEFAULT(type) ::AscendC::twin::set_kernel_type(::AscendC::twin::KernelType::type)

namespace AscendC {
namespace twin {

// Cores that one block occupies (page "Setting the kernel type").
enum class KernelType : uint8_t {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2,
};

bool on_cube_core();
bool on_vector_core();
void set_kernel_type(KernelType type);

} // namespace twin

// On a vector core the block index counts vector cores.
int64_t GetBlockIdx();
int64_t GetBlockNum();
int64_t GetSubBlockIdx();
int64_t GetSubBlockNum();

// The setting pipe records the flag when it gets there, the waiting pipe stops until then; ids 0 to 7.
template <HardEvent event> void SetFlag(int32_t id);
template <HardEvent event> void WaitFlag(int32_t id);
// Later calls of the pipe start after earlier ones ended. PIPE_ALL covers all pipes and S.
template <pipe_t pipe> void PipeBarrier();

// Counters 0 to 15 between cores (page CrossCoreSetFlag: mode 0 all of a kind, 1 the vector cores of a block, 2 cube and
// vector cores of a block).
template <uint8_t mode, pipe_t pipe> void CrossCoreSetFlag(uint16_t flag);
template <uint8_t mode = 0, pipe_t pipe = PIPE_S> void CrossCoreWaitFlag(uint16_t flag);
template <bool vector_only = true> void SyncAll();

// What follows on MTE3 and FIX adds to GM (page SetAtomicAdd).
template <typename T> twin::Only<T, half, bfloat16_t, float, int8_t, int16_t, int32_t> SetAtomicAdd();
void SetAtomicNone();
void DisableDmaAtomic();

template <typename T, CacheLine line, DcciDst target> void DataCacheCleanAndInvalid(const GlobalTensor<T> &dst);
template <typename T, CacheLine line, DcciDst target> void DataCacheCleanAndInvalid(const LocalTensor<T> &dst);

} // namespace AscendC

#endif // TL_ASCEND_TWIN_SYNC_H
