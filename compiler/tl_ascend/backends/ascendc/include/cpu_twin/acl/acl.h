// SPDX-License-Identifier: Apache-2.0
// The names of the host runtime that emitted host code uses.
#ifndef TL_ASCEND_TWIN_ACL_H
#define TL_ASCEND_TWIN_ACL_H

using aclrtStream = void *;

#endif // TL_ASCEND_TWIN_ACL_H
