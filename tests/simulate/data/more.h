// Device calls that generated kernels make beyond those of the numeric tests of emission, for the immediate machine.
#ifndef TESTS_SIMULATE_MORE_H
#define TESTS_SIMULATE_MORE_H

#include "machine.h"

namespace AscendC {

MACHINE_UNARY(Ln, OnlyFloating, std::log(a))
MACHINE_UNARY(Reciprocal, OnlyFloating, 1 / a)
MACHINE_UNARY(Sqrt, OnlyFloating, std::sqrt(a))
MACHINE_UNARY(Rsqrt, OnlyFloating, 1 / std::sqrt(a))

} // namespace AscendC

#endif // TESTS_SIMULATE_MORE_H
