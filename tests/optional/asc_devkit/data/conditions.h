// What the API demands of types and constants stands in assertions that only its debug builds compile. Here they are
// judged while compiling, wherever they are known then.
#pragma once
#define __ASCENDC_INCLUDE_INTERNAL_HEADERS__
#include "impl/basic_api/kernel_log.h"
#undef __ASCENDC_INCLUDE_INTERNAL_HEADERS__

namespace conditions {
// A lambda's type depends on the template around it, so nothing is judged before that is instantiated.
template <typename Around>
inline void holds(Around, bool condition)
    __attribute__((diagnose_if(!condition, "a condition of the API does not hold", "error"))) {}
} // namespace conditions

#undef ASCENDC_ASSERT
#undef ASCENDC_DEBUG_ASSERT
#undef ASCENDC_REPORT_NOT_SUPPORT
#define ASCENDC_ASSERT(condition, ...) ::conditions::holds([] {}, condition)
#define ASCENDC_DEBUG_ASSERT(condition, ...) ::conditions::holds([] {}, condition)
#define ASCENDC_REPORT_NOT_SUPPORT(condition, ...) ::conditions::holds([] {}, condition)
