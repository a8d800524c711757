// SPDX-License-Identifier: Apache-2.0
// Runs one emitted program on the CPU twin under many seeds. Equal results are written once.
//
//   program INPUTS RESULTS FIRST_SEED COUNT
//
// prints `SEED ok NUMBER`, where RESULTS.NUMBER holds what the tensors held at the end, or `SEED wrong TEXT`.
#ifndef TESTS_PROOFS_PROVE_H
#define TESTS_PROOFS_PROVE_H

#include "tl_templates/ascend/common.h"
#include "tl_templates/ascend/printf.h"

#include "acl/acl.h"
#include <cstdio>
#include <fstream>
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

template <typename Call> int main(char **arguments, const std::vector<Tensor> &tensors, const Call &call) {
  const std::vector<Bytes> memory = read(arguments[1], tensors);
  const uint64_t first = std::strtoull(arguments[3], nullptr, 10);
  const uint64_t count = std::strtoull(arguments[4], nullptr, 10);
  std::vector<Bytes> results;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    const Bytes result = run(memory, tensors, seed, call);
    const std::string failure = AscendC::twin::take_failure();
    if (!failure.empty()) {
      std::printf("%llu wrong %s\n", static_cast<unsigned long long>(seed), failure.c_str());
      std::fflush(stdout);
      continue;
    }
    size_t number = 0;
    while (number < results.size() && results[number] != result) {
      ++number;
    }
    if (number == results.size()) {
      results.push_back(result);
      write(std::string(arguments[2]) + "." + std::to_string(number), result);
    }
    std::printf("%llu ok %zu\n", static_cast<unsigned long long>(seed), number);
    std::fflush(stdout);
  }
  return 0;
}

} // namespace prove

#endif // TESTS_PROOFS_PROVE_H
