// SPDX-License-Identifier: Apache-2.0
// Names in messages.
#include "machine_state.h"

namespace AscendC::twin {

namespace {

// In the order of HardEvent.
constexpr const char *kEventNames[kEvents] = {
    "MTE2_MTE1", "MTE1_MTE2", "MTE1_M",   "M_MTE1",    "MTE2_V",   "V_MTE2", "MTE3_V", "V_MTE3",    "M_V",
    "V_M",       "V_V",       "MTE3_MTE1", "MTE1_MTE3", "MTE1_V",   "MTE2_M", "M_MTE2", "V_MTE1",    "M_FIX",
    "FIX_M",     "MTE3_MTE2", "MTE2_MTE3", "S_V",       "V_S",      "S_MTE2", "MTE2_S", "S_MTE3",    "MTE3_S",
    "MTE2_FIX",  "FIX_MTE2",  "FIX_S",     "M_S",       "FIX_MTE3", "MTE1_FIX", "FIX_MTE1", "FIX_FIX"};
constexpr const char *kPipeNames[kPipes] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "ALL", "FIX"};

pipe_t pipe_called(const std::string &name) {
  for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
    if (name == kPipeNames[pipe]) {
      return static_cast<pipe_t>(pipe);
    }
  }
  return PIPE_ALL;
}

} // namespace

const char *pipe_name(uint32_t pipe) { return kPipeNames[pipe]; }
const char *event_name(HardEvent event) { return kEventNames[static_cast<uint32_t>(event)]; }

pipe_t source_of(HardEvent event) {
  const std::string name = event_name(event);
  return pipe_called(name.substr(0, name.find('_')));
}
pipe_t target_of(HardEvent event) {
  const std::string name = event_name(event);
  return pipe_called(name.substr(name.find('_') + 1));
}

std::string Core::name() const {
  if (!machine().launched) {
    return "outside of a launch";
  }
  const std::string place = "block " + std::to_string(block);
  return cube ? place + " cube core" : place + " vector core " + std::to_string(sub);
}

} // namespace AscendC::twin
