// Programs in which what is not known is decided for order: a pair that is open even there does not hang on
// it.
#pragma once

#include "ir/Program.h"

#include <optional>
#include <vector>

namespace rdma {

/// The statement waits for a value of which it is not known which.
bool awaitsUnknown(const Program &P, const Statement &S);

/// The ways of the thread through these of its statements end there, and what follows begins anew.
Program waysEndingAt(const Program &P, ThreadIndex Thread, const std::vector<bool> &Ends);

/// What the thread has posted to the queue pair completes where a fact says that it may, and at its polls.
void completeAt(Program &Favoured, ThreadIndex Thread, QueuePairId Pair,
                const std::vector<LostFactId> &Facts);

/// No thread but one goes on to wait for a value that is not known; each may begin with that.
Program waitedFor(const Program &P, ThreadIndex Examined);

/// A block of which a thread awaits a number in a part while it is not known what is there at first, or None;
/// and the program where all these hold zeros.
ObjectId unsetWord(const Program &P);
Program zeroAtFirst(const Program &P);

/// Where a thread writes to memory of unknown origin that may be a word which the CPUs of its node swap.
struct MaybeLock {
  ThreadIndex Thread;
  StatementId Statement;
};
std::optional<MaybeLock> writesMaybeLock(const Program &P);

/// No memory of unknown origin is such a word.
Program withLocksApart(const Program &P);

} // namespace rdma
