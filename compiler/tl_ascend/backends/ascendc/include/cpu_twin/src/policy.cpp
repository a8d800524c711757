// SPDX-License-Identifier: Apache-2.0
// How a seed chooses the next step. The first seeds are the extremes: everything at once, everything late, one kind of
// core first, one pipe starved, one pipe far ahead. The others are random, with ranks that change or without ranks.
#include "machine_state.h"

namespace AscendC::twin {

struct Policy {
  uint64_t state = 0;
  bool uniform = false, demotes = false, eager = false;
  std::vector<int64_t> ranks; // of each step of each core
  int64_t lowest = 0;
  size_t last = 0;
  uint32_t repeated = 0;
};

namespace {

constexpr uint32_t kWorkPipes[] = {PIPE_V, PIPE_M, PIPE_MTE1, PIPE_MTE2, PIPE_MTE3, PIPE_FIX};
constexpr uint32_t kMostRepeats = 4096; // of one step: a scalar loop may wait for what others do
constexpr int64_t kLevel = 1000;

Policy &policy() {
  static Policy made;
  return made;
}

// Levels of the steps that a seed treats in a special way; the others are drawn.
int64_t level_of(uint64_t seed, const Core &core, uint32_t step) {
  const bool scalar = step == kScalarStep, ends = step >= kEnds;
  const uint32_t pipe = step % kPipes;
  if (seed == 0) {
    return ends ? 3 : scalar ? 1 : 2;
  }
  if (seed == 1) {
    return ends ? 1 : scalar ? 3 : 2;
  }
  if (seed == 2 || seed == 3) {
    return core.cube == (seed == 2) ? 1 : 0;
  }
  if (seed < 10) {
    return pipe == kWorkPipes[seed - 4] ? -1 : 0;
  }
  if (seed < 16) {
    return scalar ? 2 : pipe == kWorkPipes[seed - 10] ? 1 : 0;
  }
  return 0;
}

} // namespace

uint64_t draw() {
  uint64_t z = policy().state += 0x9E3779B97F4A7C15ULL;
  z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9ULL;
  z = (z ^ z >> 27) * 0x94D049BB133111EBULL;
  return z ^ z >> 31;
}

bool draws_oldest() { return policy().eager || draw() % 2 == 0; }
bool draws_whole() { return policy().eager || draw() % 2 == 0; }

void choose_policy() {
  const uint64_t seed = machine().seed;
  Policy &made = policy();
  made = Policy();
  made.state = seed * 7919 + 17;
  made.eager = seed == 0;
  made.uniform = seed >= 16 && seed % 2 == 1;
  made.demotes = seed >= 16;
  for (const auto &core : machine().cores) {
    for (uint32_t step = 0; step < kSteps; ++step) {
      const int64_t drawn = static_cast<int64_t>(draw() % kLevel);
      made.ranks.push_back(level_of(seed, *core, step) * kLevel + drawn);
    }
  }
  made.lowest = -2 * kLevel;
}

namespace {

// The step with the highest rank, or any of them.
size_t best_step() {
  size_t best = SIZE_MAX;
  uint64_t seen = 0;
  Policy &way = policy();
  for (size_t at = 0; at < machine().cores.size(); ++at) {
    Core &core = *machine().cores[at];
    for (uint32_t left = ready_steps(core); left != 0; left &= left - 1) {
      const size_t step = at * kSteps + static_cast<size_t>(__builtin_ctz(left));
      const bool better = way.uniform ? draw() % ++seen == 0 : best == SIZE_MAX || way.ranks[step] > way.ranks[best];
      best = better ? step : best;
    }
  }
  return best;
}

} // namespace

std::pair<Core *, uint32_t> choose_step() {
  size_t best = best_step();
  const Hold &hold = machine().hold;
  if (best == SIZE_MAX && hold.number != 0 && hold.wave == machine().wave && hold.core < machine().cores.size()) {
    release_hold();
    best = best_step();
  }
  if (best == SIZE_MAX) {
    return {nullptr, 0};
  }
  Policy &way = policy();
  way.repeated = best == way.last ? way.repeated + 1 : 0;
  way.last = best;
  if (way.repeated > kMostRepeats || (way.demotes && draw() % 16 == 0)) {
    way.ranks[best] = --way.lowest;
    way.repeated = 0;
  }
  return {machine().cores[best / kSteps].get(), best % kSteps};
}

} // namespace AscendC::twin
