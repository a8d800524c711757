// What Bisheng knows of itself, as far as a host compiler must be told in advance; the rest is found by asking
// (stubs.py). Address spaces stay apart, so that a pointer to one memory is none to another; GM is the default one,
// for string literals lie there.
#pragma once
#include <cstddef>
#include <cstdint>

#define __aicore__
#define __global__
#define __host__
#define aicore
#define __gm__
#define __cbuf__ __attribute__((address_space(2)))
#define __ca__ __attribute__((address_space(3)))
#define __cb__ __attribute__((address_space(4)))
#define __cc__ __attribute__((address_space(5)))
#define __ubuf__ __attribute__((address_space(6)))
#define __fbuf__ __attribute__((address_space(7)))
#define __biasbuf__ __attribute__((address_space(8)))
#define __ssbuf__ __attribute__((address_space(9)))
#define __sync_noalias__
#define __sync_alias__
#define __sync_out__
#define __sync_in__
#define __check_sync_alias__
#define __in_pipe__(...)
#define __out_pipe__(...)
#define __inout_pipe__(...)
#define __simd_callee__
#define __simd_vf__

typedef _Float16 half;

// Bisheng's back end for dav-2201 has no conversion of a bfloat16_t that is computed, in either direction; a constant
// is converted while compiling. The API has functions for the others, ToFloat and ToBfloat16.
#define NO_CONSTANT(value) diagnose_if(!__builtin_constant_p(value), "no conversion to bfloat16_t", "error")
struct bfloat16_t {
  bfloat16_t() = default;
  bfloat16_t(const bfloat16_t &) = default;
  bfloat16_t(const __ubuf__ bfloat16_t &);
  bfloat16_t &operator=(const bfloat16_t &) = default;
  constexpr bfloat16_t(int value) __attribute__((NO_CONSTANT(value))) : bits(value == 0 ? 0 : 1) {}
  constexpr bfloat16_t(float value) __attribute__((NO_CONSTANT(value))) : bits(value == 0 ? 0 : 1) {}
  constexpr bfloat16_t(double value) __attribute__((NO_CONSTANT(value))) : bits(value == 0 ? 0 : 1) {}

private:
  uint16_t bits;
};

// Programs and our templates name these themselves, so nothing may be added to them.
enum pipe_t { PIPE_S, PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_ALL, PIPE_MTE4, PIPE_MTE5, PIPE_V2, PIPE_FIX };
enum event_t { EVENT_ID0, EVENT_ID1, EVENT_ID2, EVENT_ID3, EVENT_ID4, EVENT_ID5, EVENT_ID6, EVENT_ID7 };

// A constant of which only the name is known.
struct StubConstant {
  template <typename T> constexpr operator T() const { return T(); }
};

namespace bisheng {
namespace cce {
void metrics_prof_start();
void metrics_prof_stop();
} // namespace cce
} // namespace bisheng
