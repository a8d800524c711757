// SPDX-License-Identifier: Apache-2.0
// What the machine remembers; only the files in this folder include it.
#ifndef TL_ASCEND_TWIN_MACHINE_STATE_H
#define TL_ASCEND_TWIN_MACHINE_STATE_H

#include "../twin/machine.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <limits>
#include <memory>
#include <ucontext.h>

namespace AscendC::twin {

constexpr uint32_t kPipes = 8; // as pipe_t counts, S first
constexpr uint32_t kEvents = 35;
constexpr uint32_t kIds = 8;
constexpr uint32_t kCrossIds = 16;
constexpr uint32_t kMostInFlight = 4;

// A place whose new bytes wait in Flight::bytes; with an addition they are addends.
struct Change {
  uint8_t *place;
  uint64_t size;
  uint64_t at;
  Addition addition;
};

// A call that has started and not ended.
struct Flight {
  const char *call = "";
  uint32_t number = 0; // in its pipe
  std::vector<Change> changes;
  std::vector<uint8_t> bytes;
  size_t done = 0; // changes that have appeared
};

// Of each pipe of each core: how many of its calls certainly ended. Empty unless the order is watched.
using Clock = std::vector<uint32_t>;

struct Item {
  enum Kind : uint8_t { kCall, kSet, kWait, kBarrier, kCrossSet };
  Kind kind;
  const char *call;
  std::function<void()> body;
  bool in_order = false;
  HardEvent event = HardEvent::MTE2_MTE1;
  int32_t id = 0;
  uint8_t mode = 0;
  Clock issued; // what S knew
};

struct Queue {
  std::deque<Item> items;
  std::vector<Flight> flights;
  uint32_t begun = 0; // calls
  bool idle() const { return items.empty() && flights.empty(); }
};

// What the scalar unit of a core waits for.
enum class Waits : uint8_t { kNothing, kFlag, kAll, kCross, kMeeting, kEnd };

// Steps that the scheduler chooses from, as bits: the scalar unit, starts and ends of pipes.
constexpr uint32_t kScalarStep = 0, kStarts = 0, kEnds = kPipes, kSteps = 2 * kPipes;

struct Core {
  bool cube = false;
  bool absent = false; // this kind of kernel does without it
  uint32_t block = 0, sub = 0;
  std::array<Queue, kPipes> queues;
  int32_t flags[kEvents][kIds] = {};
  int32_t issued_sets[kEvents][kIds] = {}; // less the waits, in the order of the scalar unit
  int32_t cross[kCrossIds] = {};
  int32_t sent[3][kCrossIds] = {};
  Waits waits = Waits::kNothing;
  HardEvent event = HardEvent::MTE2_MTE1;
  int32_t id = 0;
  uint32_t meetings = 0; // SyncAll calls that were reached
  bool meets_vectors = false; // the last of them is of the vector cores alone
  bool adds = false;
  double scale = std::numeric_limits<double>::quiet_NaN(); // what nothing sets is not known
  bool changed = true;
  uint32_t ready = 0;
  std::array<std::unique_ptr<std::vector<uint8_t>>, 6> memories;
  ucontext_t context = {};
  std::unique_ptr<uint8_t[]> stack;
  std::string name() const;
};

struct Machine {
  bool launched = false, watches = false;
  uint64_t seed = 0, steps = 0;
  uint32_t wave = 0;
  Hold hold;
  uint32_t blocks = 0;
  KernelType type = KernelType::KERNEL_TYPE_MIX_AIC_1_2;
  std::vector<std::unique_ptr<Core>> cores; // of the blocks that run
  Core *core = nullptr;                     // whose call runs
  Flight *recording = nullptr;
  const char *call = "";
  std::string failure;
  std::string file; // with lines whose synchronisation is left out
  std::vector<int> lines;
  ucontext_t main = {};
  const std::function<void()> *kernel = nullptr;
};

Machine &machine();
Core &core();
const char *pipe_name(uint32_t pipe);
const char *event_name(HardEvent event);
pipe_t source_of(HardEvent event);
pipe_t target_of(HardEvent event);

// Let others run until the scalar unit of this core goes on.
void pause();
void block_on(Waits what);
uint32_t ready_steps(Core &core);
void take_step(Core &core, uint32_t step);
void end_scalar_stores(Core &core);
void deliver(Core &from, uint8_t mode, int32_t id);
bool has_met(const Core &core);
uint64_t draw();

// What certainly comes before what (order.cpp).
void begin_watch();
Clock stamp_of(const Core &core, uint32_t pipe);
void join_clock(Clock &into, const Clock &more);
void know(const Core &core, uint32_t pipe, const Clock &more);
void know_pipe(const Core &core, uint32_t pipe, uint32_t ended);
uint32_t begin_access(Core &core, uint32_t pipe, const char *call); // its number
void end_access(bool silent);
void release_hold();
const Hold *held(const Core &core, uint32_t pipe);
void begin_scalar_read(const Core &core, const char *call);
void see(const uint8_t *place, uint64_t bytes, bool write, bool adding);
void send_flag(const Core &core, HardEvent event, int32_t id);
void receive_flag(const Core &core, HardEvent event, int32_t id);
void send_cross(const Core &core, uint32_t pipe, int32_t id);
Clock collect_cross(const Core &core, int32_t id);
void arrive_cross(const Core &core, int32_t id, const Clock &clock);
void receive_cross(const Core &core, int32_t id);
void reach_meeting(const Core &core);
void leave_meeting(const Core &core);

// The seed's way of choosing.
struct Policy;
void choose_policy();
std::pair<Core *, uint32_t> choose_step();

} // namespace AscendC::twin

#endif // TL_ASCEND_TWIN_MACHINE_STATE_H
