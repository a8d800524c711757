// SPDX-License-Identifier: Apache-2.0
// Runs one emitted program on the CPU twin under many seeds. Equal results are written once.
//
//   program INPUTS RESULTS FIRST_SEED COUNT [KNOWN HOLD LINE..]
//
// prints `SEED ok NUMBER`, where RESULTS.NUMBER holds what the tensors held at the end, or `SEED wrong TEXT`. With
// LINEs, the synchronisation of these lines is left out, and the first seed that gives none of the KNOWN first results
// is the last. COUNT 0: two runs that print `SEED race HOLD TEXT` for accesses that nothing orders, then `SEED harm
// HOLD TEXT` for those where what is written was not there already. HOLD: WAVE:CORE:PIPE:NUMBER:START, or -, is the
// call that is held back.
#ifndef TESTS_PROOFS_PROVE_H
#define TESTS_PROOFS_PROVE_H

#include "tl_templates/ascend/common.h"
#include "tl_templates/ascend/printf.h"

#include "acl/acl.h"
#include <cstdio>
#include <fstream>
#include <iterator>
#include <runtime/rt_ffts.h>

namespace prove {

// A tensor in GM. Scratch starts as what nothing wrote, and its end does not matter.
struct Tensor {
  const char *name;
  size_t bytes;
  bool scratch;
};
using Bytes = std::vector<uint8_t>;

inline std::vector<Bytes> read(const std::string &path, const std::vector<Tensor> &tensors) {
  std::ifstream file(path, std::ios::binary);
  std::vector<Bytes> found;
  for (const Tensor &tensor : tensors) {
    found.emplace_back(tensor.bytes);
    if (!tensor.scratch) {
      file.read(reinterpret_cast<char *>(found.back().data()), static_cast<std::streamsize>(tensor.bytes));
    }
  }
  return found;
}

inline void write(const std::string &path, const Bytes &result) {
  std::ofstream file(path, std::ios::binary);
  file.write(reinterpret_cast<const char *>(result.data()), static_cast<std::streamsize>(result.size()));
}

// One run; the result is what the tensors hold, one after the other.
template <typename Call>
Bytes run(std::vector<Bytes> memory, const std::vector<Tensor> &tensors, uint64_t seed, const Call &call) {
  std::vector<uint8_t *> places;
  AscendC::twin::forget_global();
  for (size_t i = 0; i < tensors.size(); ++i) {
    for (size_t j = 0; tensors[i].scratch && j < memory[i].size(); ++j) {
      memory[i][j] = seed % 2 == 1 ? 0xFF : static_cast<uint8_t>(0x41 + j % 7);
    }
    places.push_back(memory[i].data());
    AscendC::twin::allow_global(memory[i].data(), memory[i].size(), tensors[i].name);
  }
  AscendC::twin::set_seed(seed);
  call(places);
  Bytes result;
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].scratch) {
      result.insert(result.end(), memory[i].begin(), memory[i].end());
    }
  }
  return result;
}

inline Bytes load(const std::string &path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

// Results by their numbers, each of which is a file.
struct Results {
  std::string path;
  std::vector<Bytes> known;
  std::string file(size_t number) const { return path + "." + std::to_string(number); }
  size_t number(const Bytes &result) {
    for (size_t number = 0; number < known.size(); ++number) {
      if (known[number] == result) {
        return number;
      }
    }
    known.push_back(result);
    write(file(known.size() - 1), result);
    return known.size() - 1;
  }
};

inline void tell(uint64_t seed, const std::string &text) {
  std::printf("%llu %s\n", static_cast<unsigned long long>(seed), text.c_str());
  std::fflush(stdout);
}

inline AscendC::twin::Hold hold_of(const std::string &text) {
  AscendC::twin::Hold hold;
  unsigned start = 0;
  std::sscanf(text.c_str(), "%u:%u:%u:%u:%u", &hold.wave, &hold.core, &hold.pipe, &hold.number, &start);
  hold.start = start != 0;
  return hold;
}

inline std::string text_of(const AscendC::twin::Hold &hold) {
  const auto word = [](uint32_t number) { return std::to_string(number) + ":"; };
  return word(hold.wave) + word(hold.core) + word(hold.pipe) + word(hold.number) + (hold.start ? "1" : "0");
}

// A run under each notion of order.
template <typename Call>
void tell_races(const std::vector<Bytes> &memory, const std::vector<Tensor> &tensors, uint64_t seed, const Call &call) {
  for (const bool quiet : {false, true}) {
    AscendC::twin::watch_order(true, quiet);
    run(memory, tensors, seed, call);
    AscendC::twin::take_failure();
    for (const AscendC::twin::Disorder &one : AscendC::twin::take_disorder()) {
      tell(seed, (quiet ? "harm " : "race ") + text_of(one.first) + " " + one.text);
    }
  }
}

template <typename Call>
int main(const std::vector<std::string> &arguments, const std::vector<Tensor> &tensors, const Call &call,
         AscendC::twin::Place place = AscendC::twin::Place()) {
  const std::vector<Bytes> memory = read(arguments[1], tensors);
  const uint64_t first = std::stoull(arguments[3]), count = std::stoull(arguments[4]);
  Results results{arguments[2], {}};
  std::vector<int> lines;
  for (size_t i = 7; i < arguments.size(); ++i) {
    lines.push_back(std::stoi(arguments[i]));
  }
  const size_t known = lines.empty() ? 0 : std::stoull(arguments[5]);
  for (size_t number = 0; number < known; ++number) {
    results.known.push_back(load(results.file(number)));
  }
  AscendC::twin::leave_out(place, lines);
  const AscendC::twin::Hold hold = hold_of(lines.empty() ? "" : arguments[6]);
  if (count == 0) {
    tell_races(memory, tensors, first, call);
  }
  for (uint64_t seed = first; seed < first + count && (lines.empty() || results.known.size() == known); ++seed) {
    AscendC::twin::hold_back(hold);
    const Bytes result = run(memory, tensors, seed, call);
    const std::string failure = AscendC::twin::take_failure();
    if (failure.empty()) {
      tell(seed, "ok " + std::to_string(results.number(result)));
      continue;
    }
    tell(seed, "wrong " + failure);
    if (!lines.empty()) {
      break;
    }
  }
  return 0;
}

} // namespace prove

#endif // TESTS_PROOFS_PROVE_H
