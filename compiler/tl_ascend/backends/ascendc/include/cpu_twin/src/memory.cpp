// SPDX-License-Identifier: Apache-2.0
// Memories of a core, bounds of GM, and writes that appear later.
#include "machine_state.h"

#include <cstring>

namespace AscendC::twin {

namespace {

struct Kind {
  const char *name;
  uint32_t bytes;
};
constexpr Kind kKinds[] = {{"UB", 192 * 1024},  {"L1", 512 * 1024},  {"L0A", 64 * 1024},
                           {"L0B", 64 * 1024},  {"L0C", 128 * 1024}, {"BT", 1024}};

uint32_t kind_of(TPosition position) {
  switch (position) {
  case TPosition::A1:
  case TPosition::B1:
    return 1;
  case TPosition::A2:
    return 2;
  case TPosition::B2:
    return 3;
  case TPosition::CO1:
    return 4;
  case TPosition::C2:
    return 5;
  default:
    return 0;
  }
}

struct Allowed {
  const uint8_t *start;
  uint64_t bytes;
  std::string name;
};
std::vector<Allowed> &allowed() {
  static std::vector<Allowed> pieces;
  return pieces;
}

// What nothing wrote: NaN in every float format, or numbers that differ from place to place.
void poison(std::vector<uint8_t> &bytes, uint64_t seed) {
  if (seed % 2 == 1) {
    std::memset(bytes.data(), 0xFF, bytes.size());
    return;
  }
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<uint8_t>(0x41 + (i * 5 + (i >> 8) + seed) % 7);
  }
}

std::string place_text(const char *what, uint64_t at, uint64_t bytes, uint64_t size) {
  return std::string(machine().call) + " touches " + what + " from byte " + std::to_string(at) + " to " +
         std::to_string(at + bytes) + ", which has " + std::to_string(size);
}

} // namespace

uint32_t memory_size(TPosition position) { return kKinds[kind_of(position)].bytes; }

uint8_t *local(TPosition position, uint64_t address, uint64_t bytes, uint32_t alignment) {
  const uint32_t kind = kind_of(position);
  auto &memory = core().memories[kind];
  if (!memory) {
    memory = std::make_unique<std::vector<uint8_t>>(kKinds[kind].bytes);
    poison(*memory, machine().seed);
  }
  if (address + bytes > memory->size()) {
    fail(place_text(kKinds[kind].name, address, bytes, memory->size()));
  }
  if (address % alignment != 0) {
    fail(std::string(machine().call) + ": an operand at byte " + std::to_string(address) + " of " +
         kKinds[kind].name + " does not start at a multiple of " + std::to_string(alignment));
  }
  return memory->data() + address;
}

uint8_t *global(const void *place, uint64_t bytes) {
  const uint8_t *start = static_cast<const uint8_t *>(place);
  for (const Allowed &piece : allowed()) {
    if (start >= piece.start && start < piece.start + piece.bytes) {
      if (start + bytes > piece.start + piece.bytes) {
        const uint64_t at = static_cast<uint64_t>(start - piece.start);
        fail(place_text(piece.name.c_str(), at, bytes, piece.bytes));
      }
      return const_cast<uint8_t *>(start);
    }
  }
  if (!allowed().empty() && bytes != 0) {
    fail(std::string(machine().call) + " touches GM outside of every tensor");
  }
  return const_cast<uint8_t *>(start);
}

void allow_global(const void *start, uint64_t bytes, const char *name) {
  allowed().push_back({static_cast<const uint8_t *>(start), bytes, name});
}
void forget_global() { allowed().clear(); }

void saw(const uint8_t *place, uint64_t bytes) { see(place, bytes, false, false); }

void writes(uint8_t *place, uint64_t bytes) {
  see(place, bytes, true, false);
  Flight *flight = machine().recording;
  if (flight != nullptr && bytes != 0) {
    Change *last = flight->changes.empty() ? nullptr : &flight->changes.back();
    if (last != nullptr && last->addition == nullptr && last->place + last->size == place) {
      last->size += bytes;
    } else {
      flight->changes.push_back({place, bytes, flight->bytes.size(), nullptr});
    }
    flight->bytes.insert(flight->bytes.end(), place, place + bytes);
  }
}

void adds(uint8_t *place, const uint8_t *addend, uint64_t bytes, Addition addition) {
  see(place, bytes, true, true);
  Flight *flight = machine().recording;
  if (flight == nullptr) {
    addition(place, addend, bytes);
    return;
  }
  flight->changes.push_back({place, bytes, flight->bytes.size(), addition});
  flight->bytes.insert(flight->bytes.end(), addend, addend + bytes);
}

void scalar_turn(const char *call) {
  pause();
  machine().call = call;
}

void scalar_read(const uint8_t *place, void *value, uint32_t size) {
  begin_scalar_read(core(), machine().call);
  see(place, size, false, false);
  end_access(false);
  std::memcpy(value, place, size);
  uint8_t *to = static_cast<uint8_t *>(value);
  for (const Flight &store : core().queues[PIPE_S].flights) {
    const Change &change = store.changes[0];
    for (uint32_t i = 0; i < size; ++i) {
      if (place + i >= change.place && place + i < change.place + change.size) {
        to[i] = store.bytes[static_cast<size_t>(place + i - change.place)];
      }
    }
  }
}

void scalar_write(uint8_t *place, const void *value, uint32_t size) {
  const uint8_t *from = static_cast<const uint8_t *>(value);
  if (!machine().launched) {
    std::memcpy(place, from, size);
    return;
  }
  Flight store;
  store.number = begin_access(core(), PIPE_S, machine().call);
  see(place, size, true, false);
  end_access(false);
  store.call = machine().call;
  store.changes.push_back({place, size, 0, nullptr});
  store.bytes.assign(from, from + size);
  core().queues[PIPE_S].flights.push_back(std::move(store));
  core().changed = true;
}

void scalar_flush() { end_scalar_stores(core()); }

} // namespace AscendC::twin
