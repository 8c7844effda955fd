// The lock word: the one use of a location by remote atomics and plain writes that keeps both indivisible.
#pragma once

#include "analyzer/core/Analysis.h"

namespace rdma {

/// Statements whose plain write of Word gives back a lock that their thread holds: the word is taken by a
/// remote compare-and-swap from e to another value and nothing else atomic, and the statement writes e after
/// such a compare-and-swap of the same thread whose success was tested, with no other write of Word between,
/// on every path. Word names the exact bytes of the remote atomics.
class LockWord {
public:
  LockWord(const Analysis &A, const Access &Word);
  bool givesBack(const EventRef &PlainWrite) const;
  /// It is such a statement, if it writes e and the word is taken by another value; and one of them is not
  /// known.
  bool mayGiveBack(const EventRef &PlainWrite) const;
  bool swapsUnknown() const { return SwapsUnknown; }

private:
  std::optional<std::int64_t> freeValue();
  bool isHeld(const EventRef &At) const;
  std::optional<std::int64_t> written(ThreadIndex T, StatementId S) const;
  bool sharedWithOthers(ThreadIndex T, const Access &Where) const;
  void findHeld(ThreadIndex T);

  const Analysis &A;
  const Access Word;
  bool SwapsUnknown = false;        ///< to which value, is not known of some compare-and-swap
  std::optional<std::int64_t> Free; ///< e, when the word is used as a lock at all
  /// Per thread and statement: the queue pair over which the lock that is held before it was taken.
  std::vector<std::vector<QueuePairId>> HeldVia;
};

} // namespace rdma
