// The simulator, what it lacks of the device, and what it does otherwise than the device. Precompiled once.
#pragma once

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <limits>
#include <mutex>
#include <vector>

#include "narrow.h"

#include <pto/pto-inst.hpp>

#define EVENT_ID1 1
#define EVENT_ID2 2
#define EVENT_ID3 3
#define EVENT_ID4 4
#define EVENT_ID5 5
#define EVENT_ID6 6
#define EVENT_ID7 7

// --- cores (runner.cpp) ---

namespace proof {
void set_cross(int pipe, int config);
void wait_cross(int flag);
void meet(int cores); // of a block: 1 the cube core, 2 the vector cores, 3 all
std::mutex &atomic();
int number(); // of the program that is meant, where there are several
} // namespace proof

inline void set_ffts_base_addr(uint64_t) {}
inline void ffts_cross_core_sync(pipe_t pipe, int config) { proof::set_cross(pipe, config); }
inline void wait_flag_dev(int flag) { proof::wait_cross(flag); }
inline void set_intra_block(pipe_t, int) {}
inline void wait_intra_block(pipe_t, int) {}
inline void set_deqscale(half) {} // TCVT of the simulator has the factor 1, too
#define SINGLE_CACHE_LINE 0
#define ENTIRE_DATA_CACHE 1
#define CACHELINE_ALL 0
#define CACHELINE_UB 1
#define CACHELINE_OUT 2
#define CACHELINE_ATOMIC 3
inline void dcci(void *, int, int = 0) {} // memory has no caches here
namespace cce {
template <typename... A> inline void printf(const char *text, A... values) { std::printf(text, values...); }
} // namespace cce

#include "overlay.h"

// From here on the template header counts itself as device code.
#define __CCE_AICORE__ 220
