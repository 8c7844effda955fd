// The byte ranges that a slice keeps, disjoint, by object.
#pragma once

#include "ir/Program.h"

#include <set>
#include <vector>

namespace rdma {

/// The bytes that both accesses touch; invalid when there are none, or when only a guess says that they meet.
Access overlap(const Access &A, const Access &B);

class Atoms {
public:
  /// Threads: by thread, whether the slice has it.
  Atoms(const Program &P, std::vector<bool> Threads);

  void add(const Access &A);
  /// The first bytes of an access that every access of the threads takes as a whole or not at all: only there
  /// does a conflict of two kept accesses mean a conflict of the two.
  Access piece(const Access &A) const;
  /// Adds what every test of the threads reads.
  void addTested();
  void addEverything();
  /// Adds the sources of everything that flows into atoms, until nothing is new. False: too many.
  bool close();

  /// The atoms that an access touches, in order.
  std::vector<Access> of(const Access &A) const;
  /// The source bytes of what a request moves to `To`, a part of Target.
  static Access source(const Access &To, const Access &Target, const Access &Source);

private:
  void cut(ObjectId O, std::int64_t At);
  void flow(const Operation &Op);
  void flowInto(const Access &Target, const std::optional<Expression> &Value);
  void joinAtomics();
  std::size_t count() const;

  const Program &P;
  std::vector<bool> Threads;
  std::vector<std::vector<Access>> Kept;    ///< by object, sorted
  std::vector<std::set<std::int64_t>> Ends; ///< by object: where accesses begin and end
  std::vector<Access> Unsplittable;         ///< of compare-and-swaps and remote atomics
};

} // namespace rdma
