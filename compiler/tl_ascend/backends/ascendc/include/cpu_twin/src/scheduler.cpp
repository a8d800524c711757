// SPDX-License-Identifier: Apache-2.0
// Runs the cores of a launch as coroutines of one thread, so that a seed gives one order on every machine.
#include "machine_state.h"

#include <algorithm>
#include <cstring>

namespace AscendC::twin {

bool draws_oldest();
bool draws_whole();

namespace {

constexpr size_t kStackBytes = 512 * 1024;
constexpr uint32_t kResidentBlocks = 24; // cube cores of the largest A2/A3
constexpr uint64_t kMostSteps = 400'000'000;

void appear(Flight &flight, Change &change, uint64_t bytes) {
  const uint8_t *from = flight.bytes.data() + change.at;
  if (change.addition != nullptr) {
    change.addition(change.place, from, bytes);
  } else {
    std::memcpy(change.place, from, bytes);
  }
}

// Lets some of the results of a call appear: all, the first of its pieces, or the first half of its only one.
bool end_part(Flight &flight) {
  const size_t left = flight.changes.size() - flight.done;
  const bool whole = left == 0 || draws_whole();
  if (!whole && left == 1 && flight.changes.back().size >= 64 && flight.changes.back().addition == nullptr) {
    Change &change = flight.changes.back();
    const uint64_t half = change.size / 64 * 32;
    appear(flight, change, half);
    change = {change.place + half, change.size - half, change.at + half, nullptr};
    return false;
  }
  const size_t count = whole ? left : 1 + draw() % left;
  for (size_t i = 0; i < count; ++i, ++flight.done) {
    appear(flight, flight.changes[flight.done], flight.changes[flight.done].size);
  }
  return flight.done == flight.changes.size();
}

void end_one(Core &core, uint32_t pipe) {
  auto &flights = core.queues[pipe].flights;
  const Hold *hold = held(core, pipe);
  const auto free = [&](const Flight &flight) { return hold == nullptr || flight.number != hold->number; };
  const bool oldest = pipe == PIPE_S || draws_oldest();
  size_t at = oldest ? 0 : draw() % flights.size();
  while (!free(flights[at])) {
    at = (at + 1) % flights.size();
  }
  if (end_part(flights[at])) {
    flights.erase(flights.begin() + static_cast<std::ptrdiff_t>(at));
  }
}

// The call works on the memories themselves; then its results are put aside and the old bytes put back.
Flight started(const Item &item, uint32_t number) {
  Flight flight;
  flight.number = number;
  flight.call = machine().call = item.call;
  machine().recording = &flight;
  item.body();
  machine().recording = nullptr;
  std::vector<uint8_t> old = flight.bytes;
  bool adds = false;
  for (Change &change : flight.changes) {
    adds = adds || change.addition != nullptr;
    if (change.addition == nullptr) {
      std::memcpy(flight.bytes.data() + change.at, change.place, change.size);
    }
  }
  end_access(!adds && flight.bytes == old);
  for (auto change = flight.changes.rbegin(); change != flight.changes.rend(); ++change) {
    if (change->addition == nullptr) {
      std::memcpy(change->place, old.data() + change->at, change->size);
    }
  }
  return flight;
}

bool waits_held(const Core &core, uint32_t pipe) {
  const Queue &queue = core.queues[pipe];
  const Hold *hold = held(core, pipe);
  const bool call = !queue.items.empty() && queue.items.front().kind == Item::kCall;
  return hold != nullptr && hold->start && call && queue.begun + 1 == hold->number;
}

// A call of V that is held back and has not read yet may be overtaken by one right behind it.
bool overtakes(const Core &core, uint32_t pipe) {
  const auto &items = core.queues[pipe].items;
  return pipe == PIPE_V && items.size() > 1 && items[1].kind == Item::kCall && !items[1].in_order;
}

void start_one(Core &core, uint32_t pipe) {
  Queue &queue = core.queues[pipe];
  const bool second = waits_held(core, pipe);
  const auto next = queue.items.begin() + (second ? 1 : 0);
  const Item item = std::move(*next);
  queue.items.erase(next);
  machine().hold.number += second ? 1 : 0; // the calls before it are one more
  know(core, pipe, item.issued);
  if (item.kind == Item::kCall ? item.in_order : item.kind != Item::kWait) {
    know_pipe(core, pipe, pipe);
  }
  switch (item.kind) {
  case Item::kCall:
    queue.flights.push_back(started(item, begin_access(core, pipe, item.call)));
    break;
  case Item::kSet:
    send_flag(core, item.event, item.id);
    ++core.flags[static_cast<uint32_t>(item.event)][item.id];
    break;
  case Item::kWait:
    receive_flag(core, item.event, item.id);
    --core.flags[static_cast<uint32_t>(item.event)][item.id];
    break;
  case Item::kCrossSet:
    send_cross(core, pipe, item.id);
    deliver(core, item.mode, item.id);
    break;
  case Item::kBarrier:
    break;
  }
}

bool scalar_goes_on(const Core &core) {
  switch (core.waits) {
  case Waits::kNothing:
    return true;
  case Waits::kFlag:
    return core.flags[static_cast<uint32_t>(core.event)][core.id] > 0;
  case Waits::kCross:
    return core.cross[core.id] > 0;
  case Waits::kMeeting:
    return has_met(core);
  case Waits::kEnd:
    return false;
  case Waits::kAll:
    break;
  }
  for (const Queue &queue : core.queues) {
    if (!queue.idle()) {
      return false;
    }
  }
  return true;
}

bool starts(const Core &core, uint32_t pipe) {
  const Queue &queue = core.queues[pipe];
  if (queue.items.empty()) {
    return false;
  }
  const Item &item = queue.items.front();
  if (waits_held(core, pipe)) {
    return overtakes(core, pipe);
  }
  const Hold *hold = held(core, pipe);
  if (item.kind == Item::kWait) {
    return core.flags[static_cast<uint32_t>(item.event)][item.id] > 0;
  }
  if (item.kind == Item::kCall && !item.in_order) {
    return hold != nullptr || queue.flights.size() < kMostInFlight;
  }
  return queue.flights.empty();
}

bool ends(const Core &core, uint32_t pipe) {
  const auto &flights = core.queues[pipe].flights;
  const Hold *hold = held(core, pipe);
  if (hold == nullptr || hold->start) {
    return !flights.empty();
  }
  const auto free = [&](const Flight &flight) { return flight.number != hold->number; };
  return pipe == PIPE_S ? !flights.empty() && free(flights.front()) : std::any_of(flights.begin(), flights.end(), free);
}

} // namespace

const Hold *held(const Core &core, uint32_t pipe) {
  const Machine &all = machine();
  const Hold &hold = all.hold;
  const bool here = hold.number != 0 && hold.wave == all.wave && hold.pipe == pipe && all.cores.size() > hold.core;
  return here && all.cores[hold.core].get() == &core ? &hold : nullptr;
}
void hold_back(const Hold &hold) { machine().hold = hold; }
void release_hold() {
  Machine &all = machine();
  all.cores[all.hold.core]->changed = true;
  all.hold = Hold();
}

uint32_t ready_steps(Core &core) {
  if (core.changed) {
    core.changed = false;
    core.ready = scalar_goes_on(core) ? 1U << kScalarStep : 0;
    for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
      core.ready |= starts(core, pipe) ? 1U << (kStarts + pipe) : 0;
      core.ready |= ends(core, pipe) ? 1U << (kEnds + pipe) : 0;
    }
  }
  return core.ready;
}

void take_step(Core &core, uint32_t step) {
  Core *const before = machine().core;
  machine().core = &core;
  core.changed = true;
  if (step >= kEnds) {
    end_one(core, step - kEnds);
  } else {
    start_one(core, step - kStarts);
  }
  machine().core = before;
}

void end_scalar_stores(Core &core) {
  know_pipe(core, PIPE_S, PIPE_S);
  for (Flight &store : core.queues[PIPE_S].flights) {
    for (; store.done < store.changes.size(); ++store.done) {
      appear(store, store.changes[store.done], store.changes[store.done].size);
    }
  }
  core.queues[PIPE_S].flights.clear();
  core.changed = true;
}

void pause() {
  Machine &all = machine();
  if (!all.launched) {
    return;
  }
  Core &own = *all.core;
  for (;;) {
    const auto [chosen, step] = choose_step();
    if (++all.steps > kMostSteps) {
      fail("the program does not end");
    }
    if (chosen == nullptr) {
      setcontext(&all.main);
    } else if (step != kScalarStep) {
      take_step(*chosen, step);
    } else {
      if (chosen != &own) {
        all.core = chosen;
        swapcontext(&own.context, &chosen->context);
      }
      own.waits = Waits::kNothing;
      own.changed = true;
      return;
    }
  }
}

void block_on(Waits what) {
  core().waits = what;
  core().changed = true;
  pause();
}

namespace {

// The units of vector cores and of cube cores; both have MTE2 and MTE3.
bool has_pipe(const Core &core, pipe_t pipe) {
  const bool of_cube = pipe == PIPE_M || pipe == PIPE_MTE1 || pipe == PIPE_FIX;
  return core.cube ? pipe != PIPE_V : !of_cube;
}

} // namespace

void issue(pipe_t pipe, const char *call, std::function<void()> body, bool in_order) {
  Machine &all = machine();
  if (!all.launched) {
    all.call = call;
    body();
    return;
  }
  if (!has_pipe(*all.core, pipe)) {
    return;
  }
  Item item{Item::kCall, call, std::move(body)};
  item.in_order = in_order;
  item.issued = stamp_of(*all.core, PIPE_S);
  all.core->queues[pipe].items.push_back(std::move(item));
  all.core->changed = true;
  pause();
}

namespace {

void run_core() {
  Machine &all = machine();
  (*all.kernel)();
  end_scalar_stores(*all.core);
  all.core->waits = Waits::kEnd;
  setcontext(&all.main);
}

void add_core(uint32_t block, bool cube, uint32_t sub) {
  auto made = std::make_unique<Core>();
  made->block = block;
  made->cube = cube;
  made->sub = sub;
  made->stack.reset(new uint8_t[kStackBytes]);
  getcontext(&made->context);
  made->context.uc_stack.ss_sp = made->stack.get();
  made->context.uc_stack.ss_size = kStackBytes;
  made->context.uc_link = nullptr;
  makecontext(&made->context, run_core, 0);
  machine().cores.push_back(std::move(made));
}

std::string waiting(const Core &core) {
  std::string text;
  const auto say = [&](const std::string &what) { text += (text.empty() ? ": " : "; ") + what; };
  const auto flag = [](HardEvent event, int32_t id) {
    return std::string(" waits for flag ") + event_name(event) + " " + std::to_string(id);
  };
  if (core.waits == Waits::kFlag) {
    say("S" + flag(core.event, core.id));
  } else if (core.waits == Waits::kCross) {
    say("S waits for flag " + std::to_string(core.id) + " between cores");
  } else if (core.waits == Waits::kMeeting) {
    say("S waits in SyncAll");
  } else if (core.waits == Waits::kAll) {
    say("S waits for all pipes");
  }
  for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
    const Queue &queue = core.queues[pipe];
    if (!queue.items.empty() && queue.items.front().kind == Item::kWait) {
      say(pipe_name(pipe) + flag(queue.items.front().event, queue.items.front().id));
    }
  }
  return text.empty() ? "" : core.name() + text;
}

std::string left_set(const Core &core) {
  for (uint32_t i = 0; i < kEvents * kIds; ++i) {
    if (core.flags[i / kIds][i % kIds] != 0) {
      return core.name() + ": flag " + event_name(static_cast<HardEvent>(i / kIds)) + " " + std::to_string(i % kIds) +
             " is left set";
    }
  }
  for (uint32_t id = 0; id < kCrossIds; ++id) {
    if (core.cross[id] != 0) {
      return core.name() + ": flag " + std::to_string(id) + " between cores is left set";
    }
  }
  return "";
}

// What is wrong when no core can go on: nothing, if all have ended and no flag is left.
std::string judged() {
  std::string text;
  uint32_t stuck = 0;
  for (const auto &core : machine().cores) {
    const std::string found = waiting(*core);
    if (!found.empty() && ++stuck <= 4) {
      text += (stuck == 1 ? "deadlock: " : " | ") + found;
    }
  }
  if (stuck > 4) {
    text += " | and " + std::to_string(stuck - 4) + " more";
  }
  for (const auto &core : machine().cores) {
    text = text.empty() ? left_set(*core) : text;
  }
  return text;
}

void run_wave() {
  Machine &all = machine();
  choose_policy();
  begin_watch();
  for (;;) {
    getcontext(&all.main); // failures and cores that ended come back to here
    if (!all.failure.empty()) {
      return;
    }
    const auto [chosen, step] = choose_step();
    if (chosen == nullptr) {
      all.failure = judged();
      return;
    }
    if (step == kScalarStep) {
      all.core = chosen;
      setcontext(&chosen->context);
    }
    take_step(*chosen, step);
  }
}

} // namespace

std::string flags_left() { return left_set(core()); }

void run_blocks(uint32_t blocks, const std::function<void()> &kernel) {
  Machine &all = machine();
  all.launched = true;
  all.kernel = &kernel;
  all.blocks = blocks;
  all.type = KernelType::KERNEL_TYPE_MIX_AIC_1_2;
  all.steps = 0;
  all.failure.clear();
  all.wave = 0;
  for (uint32_t first = 0; first < blocks && all.failure.empty(); first += kResidentBlocks) {
    all.cores.clear();
    for (uint32_t block = first; block < blocks && block < first + kResidentBlocks; ++block) {
      add_core(block, true, 0);
      for (uint32_t sub = 0; sub < 2; ++sub) {
        add_core(block, false, sub);
      }
    }
    run_wave();
    ++all.wave;
  }
  all.launched = false;
  all.recording = nullptr;
  all.core = nullptr;
  all.cores.clear();
}

} // namespace AscendC::twin
