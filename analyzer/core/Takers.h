// Who takes the completions of which requests, as far as the extraction knows.
#pragma once

#include "ir/Program.h"

#include <map>
#include <vector>

namespace rdma {

class Takers {
public:
  explicit Takers(const Program &P) : P(P) {}

  /// Does the statement take completions, or may it, of a queue that is not known?
  bool takes(const Statement &S) const;
  /// Does the thread take the completions of the queue pair's queue, as far as is known: does it poll behind
  /// each of its requests?
  bool pollsOwn(QueuePairId Pair) const;
  /// Does a thread take completions that another, which posts, leaves to it?
  bool takesFor(ThreadIndex Taker, ThreadIndex Poster) const;
  /// Another thread of the node that polls: it may tell this one what is complete. None where the poster
  /// takes its own, and for an access of the CPU.
  ThreadIndex pollerBeside(ThreadIndex Poster, QueuePairId Pair) const;
  /// Does the operation read what the other thread writes, or receive what it sends?
  bool hears(const Operation &Op, ThreadIndex From) const;
  /// Is there a READ or an atomic on the queue pair, whose completion would push a write into memory?
  bool pushes(QueuePairId Pair) const;
  /// Requests of the thread that report to a queue that is not known: each poll may have taken one of theirs,
  /// and so counts for no other.
  LostFactId reportsAnywhere(ThreadIndex T) const;
  /// Per statement: every way there from the beginning of the thread takes completions.
  const std::vector<bool> &behindCompletions(ThreadIndex N);

private:
  bool takesFrom(const Statement &S, CompletionQueueId Queue) const;

  const Program &P;
  mutable std::map<QueuePairId, bool> PollsOwn;
  std::map<ThreadIndex, std::vector<bool>> Behind;
};

} // namespace rdma
