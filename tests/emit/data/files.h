// SPDX-License-Identifier: Apache-2.0
// Tensors of tests in files, one after the other, and launches that must succeed.
#ifndef TESTS_EMIT_FILES_H
#define TESTS_EMIT_FILES_H

#include "tl_templates/ascend/common.h"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace files {

using Tensors = std::vector<std::vector<uint8_t>>;

inline Tensors read(const std::string &path, const std::vector<size_t> &sizes) {
  std::ifstream file(path, std::ios::binary);
  Tensors tensors;
  for (size_t size : sizes) {
    tensors.emplace_back(size);
    file.read(reinterpret_cast<char *>(tensors.back().data()), static_cast<std::streamsize>(size));
  }
  return tensors;
}

inline void write(const std::string &path, const Tensors &tensors) {
  const std::string failure = AscendC::twin::take_failure();
  if (!failure.empty()) {
    std::printf("%s: %s\n", path.c_str(), failure.c_str());
    std::exit(2);
  }
  std::ofstream file(path, std::ios::binary);
  for (const auto &tensor : tensors) {
    file.write(reinterpret_cast<const char *>(tensor.data()), static_cast<std::streamsize>(tensor.size()));
  }
}

} // namespace files

#endif // TESTS_EMIT_FILES_H
