// SPDX-License-Identifier: Apache-2.0
// What executes calls. A call is queued on its pipe; a scheduler with a seed decides what runs next, limited only by
// flags, barriers and the order in which the scalar unit issues. Outside of a launch calls run at once.
//
// A call starts (reads its operands) in the order of its pipe and ends (its results appear, maybe piece by piece)
// whenever the scheduler likes: calls of one pipe overlap. Flags and barriers of a pipe wait for the ends before them.
// A call of V that is held back (Hold) may be overtaken before it has read.
#ifndef TL_ASCEND_TWIN_MACHINE_H
#define TL_ASCEND_TWIN_MACHINE_H

#include "types.h"

#include <functional>
#include <string>
#include <vector>

namespace AscendC::twin {

// Cores that one block occupies (page "Setting the kernel type").
enum class KernelType : uint8_t {
  KERNEL_TYPE_AIV_ONLY,
  KERNEL_TYPE_AIC_ONLY,
  KERNEL_TYPE_MIX_AIV_1_0,
  KERNEL_TYPE_MIX_AIC_1_0,
  KERNEL_TYPE_MIX_AIC_1_1,
  KERNEL_TYPE_MIX_AIC_1_2,
};

// Where a call stands in a program. As a default argument it is the place of the call.
struct Place {
  explicit Place(const char *file = __builtin_FILE(), int line = __builtin_LINE()) : file(file), line(line) {}
  const char *file;
  int line;
};
// Calls that order something and shall not, to see whether that shows: by the lines of one file.
void leave_out(const Place &place, const std::vector<int> &lines);
bool left_out(const Place &place);

bool on_cube_core();
bool on_vector_core();
void set_kernel_type(KernelType type);
int64_t block_index();
int64_t block_count();
int64_t sub_block_index();
int64_t sub_block_count();

// Whether a core has a memory. Calls of the library do nothing on the cores that do not have theirs.
bool has(TPosition position);
// Queue a call. in_order: it starts only when the pipe has ended everything before it.
void issue(pipe_t pipe, const char *call, std::function<void()> body, bool in_order = false);
void set_flag(HardEvent event, int32_t id);
void wait_flag(HardEvent event, int32_t id);
void pipe_barrier(pipe_t pipe);
void cross_set(uint8_t mode, pipe_t pipe, uint16_t id);
void cross_wait(uint16_t id);
void sync_all(bool vector_only);

// The scalar unit's own accesses: it sees its stores at once, everybody else when they have ended.
void scalar_turn(const char *call);
void scalar_read(const uint8_t *place, void *value, uint32_t size);
void scalar_write(uint8_t *place, const void *value, uint32_t size);
void scalar_flush();

// What follows adds to GM, from here on in the order of the scalar unit.
void set_adding(bool adds);
bool adding();
void set_scale(double scale);
double scale();

// Bytes of a memory of this core, or of GM. Errors, with the name of the call: outside of the memory, or not aligned.
uint8_t *local(TPosition position, uint64_t address, uint64_t bytes, uint32_t alignment);
uint8_t *global(const void *place, uint64_t bytes);
void saw(const uint8_t *place, uint64_t bytes); // it was read
// Called before a place is written, so that the result can appear later; adds: the result is an addend.
void writes(uint8_t *place, uint64_t bytes);
using Addition = void (*)(uint8_t *place, const uint8_t *addend, uint64_t bytes);
void adds(uint8_t *place, const uint8_t *addend, uint64_t bytes, Addition addition);

// sums[0..15] += a[k] * b[k * 16 + 0..15]; compiled once, with the machine.
void multiply_row(const float *a, const float *b, uint32_t depth, float *sums);
void multiply_row(const int32_t *a, const int32_t *b, uint32_t depth, int32_t *sums);

uint32_t memory_size(TPosition position);
[[noreturn]] void fail(const std::string &what);

// Memory that kernels may touch in GM; without any, all of it.
void allow_global(const void *start, uint64_t bytes, const char *name);
void forget_global();

// All blocks of a kernel, under the seed.
void run_blocks(uint32_t blocks, const std::function<void()> &kernel);
void set_seed(uint64_t seed);
// What went wrong in the last launch, once; empty if nothing did.
std::string take_failure();

// A call of a pipe, by its number there, that starts, or ends, only when nothing else can go on.
struct Hold {
  uint32_t wave = 0, core = 0, pipe = 0, number = 0; // number 0: none
  bool start = false;
};
void hold_back(const Hold &hold);

// Two accesses that nothing orders. first: holding it back lets the other overtake it.
struct Disorder {
  std::string text;
  Hold first;
};
// The flag that this core has set and nobody waited for, if any.
std::string flags_left();
// Look for accesses that nothing orders, while a launch runs; what was found, once. quiet: a call that writes what is
// there already needs no order with those that read it.
void watch_order(bool watches, bool quiet = false);
std::vector<Disorder> take_disorder();

} // namespace AscendC::twin

#endif // TL_ASCEND_TWIN_MACHINE_H
