// SPDX-License-Identifier: Apache-2.0
// Where a core stands, and how pipes and cores wait for each other.
#ifndef TL_ASCEND_TWIN_SYNC_H
#define TL_ASCEND_TWIN_SYNC_H

#include "tensor.h"

// One program serves both kinds of core; on a device the other half is compiled away.
#define ASCEND_IS_AIC (::AscendC::twin::on_cube_core())
#define ASCEND_IS_AIV (::AscendC::twin::on_vector_core())
#define KERNEL_TASK_TYPE_DEFAULT(type) ::AscendC::twin::set_kernel_type(::AscendC::twin::KernelType::type)

// What orders can be left out by its place, for tests.
#define TWIN_PLACE twin::Place place = twin::Place()
#define TWIN_ORDERS(call)                                                                                              \
  if (!twin::left_out(place)) {                                                                                        \
    call;                                                                                                              \
  }

namespace AscendC {

// On a vector core the block index counts vector cores.
inline int64_t GetBlockIdx() { return twin::block_index(); }
inline int64_t GetBlockNum() { return twin::block_count(); }
inline int64_t GetSubBlockIdx() { return twin::sub_block_index(); }
inline int64_t GetSubBlockNum() { return twin::sub_block_count(); }

// The setting pipe records the flag when it gets there, the waiting pipe stops until then; ids 0 to 7.
template <HardEvent event> void SetFlag(int32_t id, TWIN_PLACE) {
  TWIN_ORDERS(twin::set_flag(event, id));
}
template <HardEvent event> void WaitFlag(int32_t id, TWIN_PLACE) {
  TWIN_ORDERS(twin::wait_flag(event, id));
}
// Later calls of the pipe start after earlier ones ended. PIPE_ALL covers all pipes and S.
template <pipe_t pipe> void PipeBarrier(TWIN_PLACE) {
  TWIN_ORDERS(twin::pipe_barrier(pipe));
}

// Counters 0 to 15 between cores (page CrossCoreSetFlag: mode 0 all of a kind, 1 the vector cores of a block, 2 cube and
// vector cores of a block).
template <uint8_t mode, pipe_t pipe> void CrossCoreSetFlag(uint16_t flag, TWIN_PLACE) {
  TWIN_ORDERS(twin::cross_set(mode, pipe, flag));
}
template <uint8_t mode = 0, pipe_t pipe = PIPE_S> void CrossCoreWaitFlag(uint16_t flag, TWIN_PLACE) {
  TWIN_ORDERS(twin::cross_wait(flag));
}
template <bool vector_only = true> void SyncAll(TWIN_PLACE) {
  TWIN_ORDERS(twin::sync_all(vector_only));
}

#undef TWIN_PLACE
#undef TWIN_ORDERS

// What follows on MTE3 and FIX adds to GM (page SetAtomicAdd).
template <typename T> twin::Only<T, half, bfloat16_t, float, int8_t, int16_t, int32_t> SetAtomicAdd() {
  twin::set_adding(true);
}
inline void SetAtomicNone() { twin::set_adding(false); }
inline void DisableDmaAtomic() { twin::set_adding(false); }

template <typename T, CacheLine line, DcciDst target> void DataCacheCleanAndInvalid(const GlobalTensor<T> &) {
  twin::scalar_flush();
}
template <typename T, CacheLine line, DcciDst target> void DataCacheCleanAndInvalid(const LocalTensor<T> &) {
  twin::scalar_flush();
}

} // namespace AscendC

#endif // TL_ASCEND_TWIN_SYNC_H
