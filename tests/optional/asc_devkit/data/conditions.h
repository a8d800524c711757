// What the API demands of types and constants stands in assertions that only its debug builds compile. Here they are
// judged while compiling, wherever they are known then.
#pragma once
#define __ASCENDC_INCLUDE_INTERNAL_HEADERS__
#include "impl/basic_api/kernel_log.h"
#undef __ASCENDC_INCLUDE_INTERNAL_HEADERS__

namespace conditions {
constexpr bool says(const char *text, const char *other) {
  return *text == *other && (*text == 0 || says(text + 1, other + 1));
}
// A plain `false` marks a branch; whether it is taken is not known here.
constexpr bool marks(const char *text) {
  return says(text, "false") || says(text, "(false)") || says(text, "0") || says(text, "(0)");
}
inline void holds(bool condition, const char *text)
    __attribute__((diagnose_if(!condition && !marks(text), "a condition of the API does not hold", "error"))) {}
} // namespace conditions

#undef ASCENDC_ASSERT
#undef ASCENDC_DEBUG_ASSERT
#undef ASCENDC_REPORT_NOT_SUPPORT
#define ASCENDC_ASSERT(condition, ...) ::conditions::holds(condition, #condition)
#define ASCENDC_DEBUG_ASSERT(condition, ...) ::conditions::holds(condition, #condition)
#define ASCENDC_REPORT_NOT_SUPPORT(condition, ...) ::conditions::holds(condition, #condition)
