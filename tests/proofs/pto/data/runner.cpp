// Runs a program: for each block a thread for the cube core and one for each of its two vector cores. Each core has
// memories of its own, filled with bytes that are NaN as floats, so that what nobody wrote shows.
//
//   program BLOCKS TOGETHER INPUT OUTPUT SIZE...
//
// TOGETHER: how many blocks run at a time. INPUT and OUTPUT hold the tensors one behind the other.
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <fstream>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <tuple>

#include "prelude.h"

using Tensors = std::vector<std::vector<char>>;
extern "C" void proof_cube(char **tensors);
extern "C" void proof_vector(char **tensors);

namespace {
constexpr int kCube = -1;
constexpr auto kLimit = std::chrono::seconds(20);

struct Core {
  int block;
  int side; // kCube, 0 or 1
};
thread_local Core here{0, 0};
int first_block, end_block;

std::mutex sync_lock;
std::condition_variable changed;
std::map<std::tuple<int, int, int, int>, int> sets; // mode, block, side, flag
std::map<std::tuple<int, int, int>, int> waits;     // block, side, flag
int met[4], generation[4]; // by the cores of a block that meet

int all_set(int mode, int flag) {
  int least = std::numeric_limits<int>::max();
  const auto see = [&](int block, int side) { least = std::min(least, sets[{mode, block, side, flag}]); };
  if (mode == 2 && here.side != kCube) {
    see(here.block, kCube);
  } else if (mode == 2 || (mode == 1 && here.side != kCube)) {
    see(here.block, 0);
    see(here.block, 1);
  } else if (mode == 0) {
    for (int block = first_block; block < end_block; ++block) {
      if (here.side == kCube) {
        see(block, kCube);
      } else {
        see(block, 0);
        see(block, 1);
      }
    }
  } else {
    least = 0;
  }
  return least;
}

[[noreturn]] void stuck(const std::string &what) {
  const std::string side = here.side == kCube ? "cube" : "vector " + std::to_string(here.side);
  std::printf("block %d %s waits for %s\n", here.block, side.c_str(), what.c_str());
  std::fflush(stdout);
  std::_Exit(3);
}

template <typename F> void wait_until(F ready, const std::string &what) {
  std::unique_lock<std::mutex> guard(sync_lock);
  if (!changed.wait_for(guard, kLimit, ready)) {
    stuck(what);
  }
}

void poison() {
  auto &memory = pto::NPUMemoryModel::Instance();
  const auto &sizes = memory.GetSizes();
  std::memset(memory.GetUBBase(), 0xff, sizes[0]);
  std::memset(memory.GetL1Base(), 0xff, sizes[1]);
  std::memset(memory.GetL0ABase(), 0xff, sizes[2]);
  std::memset(memory.GetL0BBase(), 0xff, sizes[3]);
  std::memset(memory.GetL0CBase(), 0xff, sizes[4]);
}

void run(Core core, char **tensors) {
  here = core;
  pto::cpu_sim::set_execution_context(core.block, core.side == kCube ? 0 : core.side, 2);
  pto::NPUMemoryModel::Instance().EnsureInitialized();
  poison();
  (core.side == kCube ? proof_cube : proof_vector)(tensors);
}
} // namespace

namespace proof {
void set_cross(int, int config) {
  const std::lock_guard<std::mutex> guard(sync_lock);
  ++sets[{config >> 4 & 3, here.block, here.side, config >> 8 & 15}];
  changed.notify_all();
}

void wait_cross(int flag) {
  const auto ready = [&] {
    int &used = waits[{here.block, here.side, flag}];
    if (all_set(0, flag) + all_set(1, flag) + all_set(2, flag) <= used) {
      return false;
    }
    ++used;
    return true;
  };
  wait_until(ready, "cross flag " + std::to_string(flag));
}

void meet(int cores) {
  int mine;
  {
    const std::lock_guard<std::mutex> guard(sync_lock);
    mine = generation[cores];
    if (++met[cores] == cores * (end_block - first_block)) {
      met[cores] = 0;
      ++generation[cores];
      changed.notify_all();
    }
  }
  wait_until([&] { return generation[cores] != mine; }, "all cores");
}

std::mutex &atomic() {
  static std::mutex one;
  return one;
}

int number() {
  static const char *given = std::getenv("PROOF_NUMBER");
  return given == nullptr ? 0 : std::atoi(given);
}
} // namespace proof

int main(int, char **arguments) {
  const int blocks = std::atoi(arguments[1]), together = std::atoi(arguments[2]);
  std::ifstream input(arguments[3], std::ios::binary);
  Tensors tensors;
  std::vector<char *> places;
  for (char **size = arguments + 5; *size != nullptr; ++size) {
    tensors.emplace_back(std::atoll(*size));
    input.read(tensors.back().data(), tensors.back().size());
  }
  for (auto &tensor : tensors) {
    places.push_back(tensor.data());
  }
  for (first_block = 0; first_block < blocks; first_block = end_block) {
    end_block = std::min(blocks, first_block + together);
    std::vector<std::thread> cores;
    for (int block = first_block; block < end_block; ++block) {
      for (int side = kCube; side < 2; ++side) {
        cores.emplace_back(run, Core{block, side}, places.data());
      }
    }
    for (auto &core : cores) {
      core.join();
    }
  }
  std::ofstream output(arguments[4], std::ios::binary);
  for (auto &tensor : tensors) {
    output.write(tensor.data(), tensor.size());
  }
  return 0;
}
