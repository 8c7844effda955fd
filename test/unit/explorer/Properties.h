// What must be true of every program, for random ones.
#pragma once

#include "RandomProgram.h"

#include <optional>

namespace rdma::test {

/// What is wrong with the program, if anything.
using Property = std::function<std::optional<std::string>(const RandomProgram &)>;

/// LDRF and atomics and (fenced, or tree-fenced, or no unordered critical cycle) implies that the explorer
/// finds no execution that is not sequentially consistent; tree-fenced implies fenced; fenced implies no
/// unordered critical cycle. Both models.
std::optional<std::string> conditionsAreSound(const RandomProgram &P);

/// The machine and the declarative model give the same outcomes and the same answer to robust, under both
/// models.
std::optional<std::string> enginesAgree(const RandomProgram &P);

/// With and without partial-order reduction: the same outcomes and the same answer.
std::optional<std::string> reductionLosesNothing(const RandomProgram &P);

/// A robust program has the outcomes of sequential consistency, no more and no fewer; every program has at
/// least those.
std::optional<std::string> robustMeansSameOutcomes(const RandomProgram &P);

struct Failure {
  std::uint64_t Seed;
  RandomProgram Program; ///< shrunk
  std::string Reason;
};

/// Tries Count programs with seeds from First on; stops at the first failure.
std::optional<Failure> search(std::uint64_t First, std::uint64_t Count, const Shape &S,
                              const Property &Holds);

/// How many of the programs tried met the premises of conditionsAreSound, so that a run is known not to be
/// empty.
extern std::uint64_t ProvedRobust;

} // namespace rdma::test
