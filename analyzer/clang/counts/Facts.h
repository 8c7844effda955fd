// What is known at a cut, and how it is kept.
#pragma once

#include "analyzer/clang/counts/Invariants.h"

namespace rdma::clang_ir {

/// What holds of some terms: equations, and for pairs (or one term alone) how far apart they are.
struct Invariants::Facts {
  std::vector<Term> Terms;
  AffineHull Hull{0};
  struct Bound {
    int Minuend, Subtrahend; ///< -1: none
    std::optional<Integer> Least, Most;
    bool Sum = false;  ///< of the sum of the two
    bool Fine = false; ///< out of all constants, whatever is tried
    bool Empty = true;
    template <class Number> Number of(const std::vector<Number> &Terms) const {
      return Subtrahend < 0 ? Terms[Minuend]
             : Sum          ? Number(Terms[Minuend] + Terms[Subtrahend])
                            : Number(Terms[Minuend] - Terms[Subtrahend]);
    }
  };
  std::vector<Bound> Bounds;
};

/// Facts are kept apart by these: has an index passed the one in focus, is the element in focus zero, does
/// the loop end here?
struct Invariants::Case {
  unsigned Term;
  int Against; ///< of which term it is above; -1: it is the number
  std::int64_t Number = 0;
  bool Equal = false; ///< and not above
};

struct Invariants::Place {
  System::Cut Where;
  Region Way;
  std::vector<Case> Cases;
  /// For each way the cases can go. Pending: while a request is followed, for each post that it may be of.
  std::vector<Facts> Always{1};
  std::vector<std::vector<Facts>> Pending{1};
  std::unique_ptr<z3::solver> Solver;
  bool Reached = false, Stale = false;
  unsigned Assumed = 0; ///< how many of the region's assumptions the solver has
  Place(System &S, System::Cut Where) : Where(Where), Way(S, Where) {}
};

} // namespace rdma::clang_ir
