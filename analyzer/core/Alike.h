// Pairs of events in programs that have the same statements, held against each other.
#pragma once

#include "analyzer/core/Analysis.h"

#include <functional>
#include <map>
#include <set>

namespace rdma {

/// Pairs that something is asked about, in any such program.
class Sought {
public:
  void add(const EventRef &First, const EventRef &Second) {
    Earlier.insert(keyOf(First));
    Later.insert(keyOf(Second));
  }
  /// Those that gb leaves open, and few others; per thread.
  std::vector<std::vector<OpenPair>> openIn(const Analysis &A) const;

private:
  std::set<EventKey> Earlier, Later;
};

class Alike {
public:
  /// The events of the program at hand.
  explicit Alike(const EventNumbers &Events);

  /// The pairs of a list about another such program, in the numbers of this one, sorted: those that are asked
  /// for by their places, or all.
  std::vector<std::uint64_t> renumbered(const Violations &Other,
                                        const std::function<bool(std::size_t)> &Is = {}) const;
  /// A pair of this program, as renumbered() says it: of events that are alike, the first.
  std::uint64_t order(const Violations::Pair &X) const {
    return Violations::Pair{First[X.First], First[X.Second]}.order();
  }

private:
  std::map<EventKey, unsigned> Numbers;
  std::vector<unsigned> First; ///< by number, that of the first event that is alike
};

} // namespace rdma
