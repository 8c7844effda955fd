// Pairs that an order inserted elsewhere hides: nobody can look at both any more, so they need none of their
// own.
//
// What is over when a thread passes an `assume`, or lies in a section of a lock as a whole, depends on
// guaranteed-before (Handshakes, Sections). More order only hides more: a pair that is seen with everything
// in place but some candidates calls for one of these.
#pragma once

#include "rewriter/plan/HittingSet.h"
#include "rewriter/plan/Plan.h"

namespace rdma {

class Hidden {
public:
  Hidden(const Program &P, const std::vector<PlannedEdit> &Candidates, Model M,
         const std::vector<Violation> &Required);

  /// Required pairs that all candidates together would hide, were the pairs open still; sorted.
  const std::vector<unsigned> &pairs() const { return Pairs; }

  /// The first of these required pairs that others can see with just these candidates in place; None when
  /// there is none.
  unsigned seen(const std::vector<unsigned> &Open, const std::vector<unsigned> &Chosen) const;

  /// For a pair that is seen with what is chosen: candidates of which one must be there for it to be ordered
  /// or hidden. Ordering: those of which one must be for it to be ordered. When time is over, more than that.
  Clause clause(unsigned Pair, const std::vector<unsigned> &Chosen, const Clause &Ordering,
                const std::function<bool()> &IsLate) const;

private:
  bool isSeen(unsigned Pair, const std::vector<unsigned> &On) const { return seen({Pair}, On) != None; }

  const Program &P;
  const std::vector<PlannedEdit> &Candidates;
  const Model M;
  const std::vector<Violation> &Required;
  std::vector<unsigned> Pairs;
};

} // namespace rdma
