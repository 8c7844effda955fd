// Where a queue pair exists for certain: a wait on one that is gone, or not there yet, does harm.
#pragma once

#include "rewriter/plan/Plan.h"

#include <functional>
#include <vector>

namespace rdma {

/// Queue pairs come and go in calls. Such a call leaves a queue pair alive when something is posted on it
/// later, before the next such call.
class Lifetimes {
public:
  /// MayEnd: may the statement create or destroy queue pairs? Asked once for each.
  Lifetimes(const Program &P, std::function<bool(const Statement &)> MayEnd);

  /// Does the queue pair exist on every way to each place where the edit stands? FromOutside: who enters the
  /// thread brings the queue pair along.
  bool existWhere(const PlannedEdit &E, bool FromOutside) const;

  /// The statements of the thread that may end it, as nothing is posted on it behind that.
  std::vector<StatementId> endsOf(ThreadIndex T, QueuePairId Pair) const;

private:
  bool usedBefore(const Copy &C, const std::vector<std::vector<StatementId>> &Previous,
                  std::vector<StatementId> Before, bool FromOutside) const;
  bool endsBetweenRounds(const PlannedEdit &E, const Copy &C) const;
  bool exists(const PlannedEdit &E, const Copy &C, bool FromOutside) const;
  bool usedAfter(const Thread &T, ThreadIndex Index, std::vector<StatementId> From, QueuePairId Pair) const;
  bool aliveBehind(ThreadIndex T, StatementId S, QueuePairId Pair) const;

  const Program &P;
  std::vector<std::vector<bool>> Ends; ///< by thread and statement
};

} // namespace rdma
