// SPDX-License-Identifier: Apache-2.0
// The machine itself, and what a core knows of its place.
#include "machine_state.h"

#include <algorithm>

namespace AscendC::twin {

Machine &machine() {
  static Machine made;
  return made;
}

Core &core() {
  static Core outside;
  return machine().core == nullptr ? outside : *machine().core;
}

bool on_cube_core() { return core().cube; }
bool on_vector_core() { return !core().cube; }
bool has(TPosition position) {
  using P = TPosition;
  const bool vector = position == P::VECIN || position == P::VECOUT || position == P::VECCALC;
  return !machine().launched || core().cube != vector;
}

// A kernel says it before anything else; the cores that a block then does not have end here.
void set_kernel_type(KernelType type) {
  using K = KernelType;
  machine().type = type;
  for (const auto &core : machine().cores) {
    const bool no_cube = type == K::KERNEL_TYPE_AIV_ONLY || type == K::KERNEL_TYPE_MIX_AIV_1_0;
    const bool no_vector = type == K::KERNEL_TYPE_AIC_ONLY || type == K::KERNEL_TYPE_MIX_AIC_1_0;
    const bool one_vector = type == K::KERNEL_TYPE_MIX_AIC_1_1;
    core->absent = core->cube ? no_cube : no_vector || (one_vector && core->sub == 1);
    if (core->absent) {
      core->waits = Waits::kEnd;
      core->changed = true;
    }
  }
  if (core().absent) {
    setcontext(&machine().main);
  }
}

int64_t vector_cores() { return machine().type == KernelType::KERNEL_TYPE_MIX_AIC_1_1 ? 1 : 2; }

int64_t block_index() {
  return core().cube ? core().block : static_cast<int64_t>(core().block) * vector_cores() + core().sub;
}
int64_t block_count() { return machine().blocks; }
int64_t sub_block_index() { return core().sub; }
int64_t sub_block_count() { return core().cube ? 1 : vector_cores(); }

void set_adding(bool adds) { core().adds = adds; }
bool adding() { return core().adds; }
void set_scale(double scale) { core().scale = scale; }
double scale() { return core().scale; }

void set_seed(uint64_t seed) { machine().seed = seed; }

void leave_out(const Place &place, const std::vector<int> &lines) {
  machine().file = place.file;
  machine().lines = lines;
}
bool left_out(const Place &place) {
  const Machine &all = machine();
  return std::find(all.lines.begin(), all.lines.end(), place.line) != all.lines.end() && all.file == place.file;
}

std::string take_failure() {
  std::string text;
  text.swap(machine().failure);
  return text;
}

void fail(const std::string &what) {
  Machine &all = machine();
  if (!all.launched) {
    std::fprintf(stderr, "twin: %s\n", what.c_str());
    std::exit(2);
  }
  all.failure = core().name() + ": " + what;
  setcontext(&all.main);
  std::abort(); // not reached
}

} // namespace AscendC::twin
