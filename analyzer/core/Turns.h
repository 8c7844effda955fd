// Threads that take turns: each awaits a word that the other writes, again and again.
//
// Only thread W writes the word l, but for numbers that its awaiter A puts there itself and that do not let A
// pass: A goes on at `assume(l == k)` or `assume(l != k)` each time by another write of W. (Between two such
// assumes A has stored a number that does not let it pass, or has read one that does not let it pass the
// second one; what a thread reads of one word, one after the other, is in the order in which it was written.
// The same where A goes on with another number each time.)
// So the n-th time A passes behind the n-th of W's writes, or behind the one before where the first value
// lets it pass once. What W has done before that write, as far as gb and oppo order it there, comes before
// all that A does then, in every execution.
//
// Where B awaits A's word, too, conflicts say how far the two are apart. Let w(x) count the writes of its own
// word in front of an event x, and p(x) the assumes passed at it. If a in A comes before b in B, and b is
// ordered before B's next write, then p(a) <= w(b); likewise the other way round. Where w - p is the same on
// all ways to a statement, these are differences of one number per thread, which program order does not let
// become smaller. A cycle that asks this number to grow is in no execution (the sum of its steps is above
// zero).
#pragma once

#include "analyzer/core/Analysis.h"

#include <map>
#include <set>

namespace rdma {

class Turns {
public:
  explicit Turns(const Analysis &A);

  /// Does the thread take turns with any other?
  bool any(ThreadIndex T) const;

  /// Is there an execution for all that is known, in which the later event of an open pair comes before an
  /// event of From in another thread, and one of To, behind that one or the same, before the earlier event?
  /// Those of From come after the later event, those of To before the earlier one, if at all.
  bool mayClose(ThreadIndex T, const OpenPair &Pair, ThreadIndex Other, const std::vector<EventId> &From,
                const std::vector<EventId> &To) const;

private:
  /// One word, its awaiter, and who writes it.
  struct Word {
    Access Location;
    ThreadIndex Writer = None, Awaiter = None;
    std::vector<bool> Written; ///< statements of the writer that write it
    std::vector<bool> Passed;  ///< statements of the awaiter behind which one more write is known
    bool OnceAtFirst = false;  ///< its first value lets the awaiter pass once
    std::vector<bool> Ordered; ///< events of the writer that are ordered before its next write
  };
  /// What one thread of two counts.
  struct Count {
    const Word *Own, *Awaited;
    std::vector<std::optional<int>> Ahead; ///< per statement: writes of its own in front of it, less passes
  };
  static bool areTurns(const Word &Own, const Word &Awaited);
  void findWord(const Access &Location, ThreadIndex Awaiter);
  bool findWriter(Word &W) const;
  bool passesOnce(Word &W, const std::vector<StatementId> &Awaits) const;
  void findOrdered(Word &W) const;
  Count count(const Word &Own, const Word &Awaited) const;
  std::optional<int> aheadAt(const Count &C, EventId E) const;
  unsigned step(const Count &C, EventId From, EventId To) const;
  std::vector<unsigned> leastSteps(const Count &C, const std::map<EventId, unsigned> &From) const;
  bool excludes(const Count &Here, const Count &There, const OpenPair &Pair, const std::vector<EventId> &From,
                const std::vector<EventId> &To) const;

  const Analysis &A;
  std::vector<Word> Words;
  std::map<std::pair<ThreadIndex, ThreadIndex>, std::vector<std::pair<Count, Count>>> Counts;
};

} // namespace rdma
