// SPDX-License-Identifier: Apache-2.0
// Flags, barriers, and flags between cores.
#include "machine_state.h"

namespace AscendC::twin {

namespace {

void expect_id(const char *what, int32_t id, int32_t most) {
  if (id < 0 || id >= most) {
    fail(std::string(what) + ": id " + std::to_string(id) + " is not from 0 to " + std::to_string(most - 1));
  }
}

int32_t &flag(HardEvent event, int32_t id) { return core().flags[static_cast<uint32_t>(event)][id]; }

std::string flag_text(HardEvent event, int32_t id) {
  return std::string("flag ") + event_name(event) + " " + std::to_string(id);
}

void queue_item(pipe_t pipe, Item item) {
  item.issued = stamp_of(core(), PIPE_S);
  core().queues[pipe].items.push_back(std::move(item));
  core().changed = true;
}

void set_now(HardEvent event, int32_t id) {
  send_flag(core(), event, id);
  ++flag(event, id);
  core().changed = true;
}

void wait_for_all() {
  scalar_flush();
  block_on(Waits::kAll);
  for (uint32_t pipe = 0; pipe < kPipes; ++pipe) {
    know_pipe(core(), PIPE_S, pipe);
  }
}

} // namespace

void set_flag(HardEvent event, int32_t id) {
  expect_id("SetFlag", id, kIds);
  if (++core().issued_sets[static_cast<uint32_t>(event)][id] > 1) {
    fail(flag_text(event, id) + " is set twice without a wait between");
  }
  const pipe_t pipe = source_of(event);
  if (!machine().launched || pipe == PIPE_S) {
    scalar_flush();
    set_now(event, id);
    return;
  }
  Item item{Item::kSet, "SetFlag", nullptr};
  item.event = event;
  item.id = id;
  queue_item(pipe, std::move(item));
  pause();
}

void wait_flag(HardEvent event, int32_t id) {
  expect_id("WaitFlag", id, kIds);
  --core().issued_sets[static_cast<uint32_t>(event)][id];
  if (!machine().launched) {
    if (--flag(event, id) != 0) {
      fail(flag_text(event, id) + " is waited for and never set");
    }
    return;
  }
  const pipe_t pipe = target_of(event);
  if (pipe == PIPE_S) {
    core().event = event;
    core().id = id;
    block_on(Waits::kFlag);
    --flag(event, id);
    receive_flag(core(), event, id);
    return;
  }
  Item item{Item::kWait, "WaitFlag", nullptr};
  item.event = event;
  item.id = id;
  queue_item(pipe, std::move(item));
  pause();
}

void pipe_barrier(pipe_t pipe) {
  if (pipe == PIPE_S) {
    fail("PipeBarrier<PIPE_S>: the scalar unit has no barrier");
  }
  if (!machine().launched) {
    return;
  }
  if (pipe == PIPE_ALL) {
    wait_for_all();
    return;
  }
  queue_item(pipe, Item{Item::kBarrier, "PipeBarrier", nullptr});
  pause();
}

void cross_set(uint8_t mode, pipe_t pipe, uint16_t id) {
  expect_id("CrossCoreSetFlag", id, kCrossIds);
  if (mode > 2 || pipe == PIPE_S || pipe == PIPE_ALL) {
    fail("CrossCoreSetFlag: the mode is 0, 1 or 2, and the pipe neither S nor ALL");
  }
  if (!machine().launched) {
    return;
  }
  Item item{Item::kCrossSet, "CrossCoreSetFlag", nullptr};
  item.id = id;
  item.mode = mode;
  queue_item(pipe, std::move(item));
  pause();
}

void cross_wait(uint16_t id) {
  expect_id("CrossCoreWaitFlag", id, kCrossIds);
  if (machine().launched) {
    core().id = id;
    block_on(Waits::kCross);
    --core().cross[id];
    receive_cross(core(), id);
  }
}

void sync_all(bool vector_only) {
  if (machine().launched) {
    wait_for_all();
    reach_meeting(core());
    ++core().meetings;
    core().meets_vectors = vector_only;
    for (const auto &other : machine().cores) {
      other->changed = true;
    }
    block_on(Waits::kMeeting);
    leave_meeting(core());
  }
}

// Blocks that run one after the other never meet.
bool has_met(const Core &core) {
  if (machine().cores.front()->block != 0 || machine().cores.back()->block + 1 != machine().blocks) {
    return false;
  }
  for (const auto &other : machine().cores) {
    const bool called = !other->absent && !(core.meets_vectors && other->cube);
    if (called && other->meetings < core.meetings) {
      return false;
    }
  }
  return true;
}

namespace {

void arrive(Core &core, int32_t id, const Clock &clock) {
  arrive_cross(core, id, clock);
  if (++core.cross[id] > 15) {
    fail(core.name() + ": the counter of flag " + std::to_string(id) + " between cores exceeds 15");
  }
  core.changed = true;
}

// Every sender of a group has sent: their numbers fall by one, and the receivers' rise.
template <typename Sends, typename Receives>
void gather(uint8_t mode, int32_t id, const Sends &sends, const Receives &receives) {
  for (const auto &core : machine().cores) {
    if (sends(*core) && core->sent[mode][id] == 0) {
      return;
    }
  }
  Clock clock;
  for (const auto &core : machine().cores) {
    if (sends(*core)) {
      --core->sent[mode][id];
      join_clock(clock, collect_cross(*core, id));
    }
  }
  for (const auto &core : machine().cores) {
    if (receives(*core)) {
      arrive(*core, id, clock);
    }
  }
}

} // namespace

void deliver(Core &from, uint8_t mode, int32_t id) {
  const bool cube = from.cube;
  const uint32_t block = from.block;
  ++from.sent[mode][id];
  const auto alike = [=](const Core &core) {
    return !core.absent && core.cube == cube && (mode == 0 || core.block == block);
  };
  const auto beside = [=](const Core &core) {
    return !core.absent && core.cube != cube && core.block == block;
  };
  if (mode == 2) {
    gather(mode, id, alike, beside);
  } else if (mode == 1 || machine().cores.back()->block + 1 == machine().blocks) {
    gather(mode, id, alike, alike);
  }
}

} // namespace AscendC::twin
