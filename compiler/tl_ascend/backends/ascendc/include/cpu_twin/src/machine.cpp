// SPDX-License-Identifier: Apache-2.0
// The machine itself, and what a core knows of its place.
#include "machine_state.h"

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

std::string take_failure() {
  std::string text;
  text.swap(machine().failure);
  return text;
}

double dot(const double *a, const double *b, uint32_t count) {
  double sums[4] = {0, 0, 0, 0};
  for (uint32_t i = 0; i < count; ++i) {
    sums[i % 4] += a[i] * b[i];
  }
  return sums[0] + sums[1] + (sums[2] + sums[3]);
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
