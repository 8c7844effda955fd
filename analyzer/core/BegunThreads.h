// Threads that another one begins while its requests are out: what they may wait for before they use what the
// requests use.
#pragma once

#include "analyzer/core/Violation.h"
#include "ir/Program.h"

#include <map>

namespace rdma {

/// Threads that may wait, by the flag that says they have begun, each with the statement where it may first:
/// it reads again and again, waits for, or swaps, a word that the thread which began it writes behind the
/// beginning. Which values let it pass is not asked here; a word that both take by the same swap is a lock,
/// and lets in whoever comes first.
std::map<ObjectId, EventRef> mayWait(const Program &P);

/// A program like this one in which each of these threads has waited, at all such places, until the other
/// one came to write.
Program withWaits(const Program &P);

} // namespace rdma
