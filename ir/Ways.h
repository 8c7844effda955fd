// Statements that stand for one instruction of the source, which does one of them.
#pragma once

#include "ir/Program.h"

namespace rdma {

/// Does the instruction post to another queue pair as well? S: of T.
bool postsElsewhere(const Thread &T, const Statement &S);
/// Does the instruction post the request of S at times with a completion and at times without? S: of T.
bool asksAtTimes(const Thread &T, const Statement &S);

} // namespace rdma
