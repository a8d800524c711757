// SPDX-License-Identifier: Apache-2.0
// Which calls certainly come after which, whatever a scheduler does: vector clocks over the pipes of all cores. It finds
// accesses to the same bytes that nothing orders, in one run. A call that reads or overwrites what another wrote must
// start after the end of that; within a pipe, reads come before the writes of later calls anyway, but for V: no page says
// that a call there has read by the time that the next one writes (PipeBarrier, "all reads and writes").
#include "machine_state.h"

#include <algorithm>
#include <map>

namespace AscendC::twin {

namespace {

constexpr uint64_t kGrain = 4; // bytes that are watched together

struct Access {
  uint32_t unit = 0; // core and pipe
  uint32_t number = 0;
  bool adds = false;
  const char *call = "";
};
struct Grain {
  Access write; // number 0: none
  std::vector<Access> silent; // writes since then of what was there
  std::vector<Access> reads;
};
struct Touch {
  uint64_t first, last; // grains
  bool write, adds;
};

struct Watch {
  std::vector<Clock> clocks;    // of each unit: the calls of every unit that certainly ended
  std::vector<uint32_t> issued; // calls of each unit so far
  std::map<std::pair<int, int>, std::deque<Clock>> flags;
  std::map<std::pair<uint32_t, int32_t>, std::deque<Clock>> sent, arrived;
  Clock meeting;
  std::map<uint64_t, Grain> grains;
  std::map<std::string, Hold> found;
  Access access; // of the call that runs
  std::vector<Touch> touches;
  bool quiet = false;
};

Watch &watch() {
  static Watch made;
  return made;
}

uint32_t core_number(const Core &core) {
  const auto &cores = machine().cores;
  const auto same = [&](const std::unique_ptr<Core> &other) { return other.get() == &core; };
  return static_cast<uint32_t>(std::find_if(cores.begin(), cores.end(), same) - cores.begin());
}
uint32_t unit_of(const Core &core, uint32_t pipe) { return core_number(core) * kPipes + pipe; }

void join(Clock &into, const Clock &more) {
  into.resize(std::max(into.size(), more.size()));
  for (size_t i = 0; i < more.size(); ++i) {
    into[i] = std::max(into[i], more[i]);
  }
}

Clock taken(std::deque<Clock> &line) {
  if (line.empty()) {
    return {};
  }
  Clock first = line.front();
  line.pop_front();
  return first;
}

std::string unit_text(const Access &access) {
  const Core &core = *machine().cores[access.unit / kPipes];
  return core.name() + " " + access.call + " on " + pipe_name(access.unit % kPipes);
}

void expect_after(const char *what, const Access &first) {
  const Access &later = watch().access;
  const Clock &clock = watch().clocks[later.unit];
  const bool ordered = first.unit < clock.size() && clock[first.unit] >= first.number;
  const bool own = first.unit == later.unit && (first.number == later.number || later.unit % kPipes == PIPE_S);
  if (!ordered && !own && !(first.adds && later.adds)) {
    const std::string text = std::string(what) + ": " + unit_text(later) + " does not wait for " + unit_text(first);
    const bool start = std::string(what) == "WAR";
    watch().found.insert({text, {machine().wave, first.unit / kPipes, first.unit % kPipes, first.number, start}});
  }
}

void touch(Grain &grain, bool write, bool silent) {
  const Access &access = watch().access;
  if (grain.write.number != 0) {
    expect_after(write ? "WAW" : "RAW", grain.write);
  }
  if (!write) {
    const auto same = [&](const Access &read) { return read.unit == access.unit; };
    grain.reads.erase(std::remove_if(grain.reads.begin(), grain.reads.end(), same), grain.reads.end());
    grain.reads.push_back(access);
    return;
  }
  if (silent) {
    grain.silent.push_back(access);
    return;
  }
  for (const Access &other : grain.silent) {
    expect_after("WAW", other);
  }
  grain.silent.clear();
  for (const Access &read : grain.reads) {
    if (read.unit != access.unit || read.unit % kPipes == PIPE_V) {
      expect_after("WAR", read);
    }
  }
  grain.reads.clear();
  grain.write = access;
}

} // namespace

void begin_watch() {
  const bool quiet = watch().quiet;
  auto found = std::move(watch().found);
  watch() = Watch();
  watch().quiet = quiet;
  watch().found = std::move(found);
  watch().clocks.resize(machine().cores.size() * kPipes);
  watch().issued.resize(machine().cores.size() * kPipes);
}

std::vector<Disorder> take_disorder() {
  std::vector<Disorder> taken;
  for (const auto &[text, first] : watch().found) {
    taken.push_back({text, first});
  }
  watch().found.clear();
  return taken;
}

Clock stamp_of(const Core &core, uint32_t pipe) {
  return machine().watches ? watch().clocks[unit_of(core, pipe)] : Clock();
}

void know(const Core &core, uint32_t pipe, const Clock &more) {
  if (machine().watches) {
    join(watch().clocks[unit_of(core, pipe)], more);
  }
}

void know_pipe(const Core &core, uint32_t pipe, uint32_t ended) {
  if (machine().watches) {
    const uint32_t unit = unit_of(core, ended);
    Clock &clock = watch().clocks[unit_of(core, pipe)];
    clock.resize(std::max<size_t>(clock.size(), unit + 1));
    clock[unit] = watch().issued[unit];
    join(clock, Clock(watch().clocks[unit]));
  }
}

uint32_t begin_access(Core &core, uint32_t pipe, const char *call) {
  if (machine().watches) {
    const uint32_t unit = unit_of(core, pipe);
    watch().access = {unit, ++watch().issued[unit], false, call};
  }
  return ++core.queues[pipe].begun;
}

// It ends at once, so whatever S issues later comes after it.
void begin_scalar_read(const Core &core, const char *call) {
  if (machine().watches) {
    const uint32_t unit = unit_of(core, PIPE_S);
    const Clock &clock = watch().clocks[unit];
    watch().access = {unit, unit < clock.size() ? clock[unit] : 0, false, call};
  }
}

void see(const uint8_t *place, uint64_t bytes, bool write, bool adding) {
  if (!machine().watches || watch().clocks.empty() || bytes == 0) {
    return;
  }
  const uint64_t first = reinterpret_cast<uint64_t>(place) / kGrain;
  const uint64_t last = (reinterpret_cast<uint64_t>(place) + bytes - 1) / kGrain;
  watch().touches.push_back({first, last, write, adding});
}

void end_access(bool silent) {
  for (const Touch &one : watch().touches) {
    watch().access.adds = one.adds;
    for (uint64_t at = one.first; at <= one.last; ++at) {
      touch(watch().grains[at], one.write, silent && watch().quiet);
    }
  }
  watch().touches.clear();
}

void send_flag(const Core &core, HardEvent event, int32_t id) {
  if (machine().watches) {
    const int key = static_cast<int>(event) * static_cast<int>(kIds) + id;
    watch().flags[{static_cast<int>(core_number(core)), key}].push_back(stamp_of(core, source_of(event)));
  }
}
void receive_flag(const Core &core, HardEvent event, int32_t id) {
  if (machine().watches) {
    const int key = static_cast<int>(event) * static_cast<int>(kIds) + id;
    know(core, target_of(event), taken(watch().flags[{static_cast<int>(core_number(core)), key}]));
  }
}

void send_cross(const Core &core, uint32_t pipe, int32_t id) {
  if (machine().watches) {
    watch().sent[{core_number(core), id}].push_back(stamp_of(core, pipe));
  }
}
Clock collect_cross(const Core &core, int32_t id) {
  return machine().watches ? taken(watch().sent[{core_number(core), id}]) : Clock();
}
void arrive_cross(const Core &core, int32_t id, const Clock &clock) {
  if (machine().watches) {
    watch().arrived[{core_number(core), id}].push_back(clock);
  }
}
void receive_cross(const Core &core, int32_t id) {
  if (machine().watches) {
    know(core, PIPE_S, taken(watch().arrived[{core_number(core), id}]));
  }
}

void join_clock(Clock &into, const Clock &more) { join(into, more); }

void reach_meeting(const Core &core) {
  if (machine().watches) {
    join(watch().meeting, stamp_of(core, PIPE_S));
  }
}
void leave_meeting(const Core &core) { know(core, PIPE_S, machine().watches ? watch().meeting : Clock()); }

void watch_order(bool watches, bool quiet) {
  machine().watches = watches;
  watch().quiet = quiet;
}

} // namespace AscendC::twin
