// What must be true of every program, for random ones.
#pragma once

#include "RandomProgram.h"

#include <map>
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

/// Loops, which the machine follows to a fixpoint and the declarative model up to a bound: with Rounds rounds
/// at most, both engines agree (the machine runs the program with its loops written out); and the machine's
/// fixpoint has each of those outcomes, and is not robust when those few rounds are not.
std::optional<std::string> enginesAgreeOnLoops(const RandomProgram &P, unsigned Rounds);

/// With and without partial-order reduction: the same outcomes and the same answer.
std::optional<std::string> reductionLosesNothing(const RandomProgram &P);

/// A robust program has the outcomes of sequential consistency, no more and no fewer; every program has at
/// least those.
std::optional<std::string> robustMeansSameOutcomes(const RandomProgram &P);

/// Threads that stand for any number (Thread::Many): when the conditions prove a program in which each thread
/// has such a copy beside it, the explorer finds nothing weak in three of each thread.
std::optional<std::string> copiesAreSound(const RandomProgram &P);

struct Failure {
  std::uint64_t Seed;
  RandomProgram Program; ///< shrunk
  std::string Reason;
};

/// Tries Count programs with seeds from First on; stops at the first failure.
std::optional<Failure> search(std::uint64_t First, std::uint64_t Count, const Shape &S,
                              const Property &Holds);

/// What a run has looked at, so that it is known not to be empty. Programs count once for each model.
struct Tally {
  std::uint64_t Compared = 0;  ///< by enginesAgree: neither engine ran out of time
  std::uint64_t Outcomes = 0;  ///< seen in these
  std::uint64_t NotRobust = 0; ///< of these, so both engines say
  std::uint64_t Rounds = 0;    ///< by enginesAgreeOnLoops: programs whose loops were compared
  std::uint64_t AllRounds = 0; ///< of these: the bound already shows every outcome of the fixpoint
  std::uint64_t Proved = 0;    ///< met the premises of conditionsAreSound
  std::uint64_t Explored = 0;  ///< of these: the explorer answered within its time
  std::uint64_t ByFenced = 0, ByTreeFenced = 0, ByCycles = 0; ///< of these, which condition held
  /// Proved, with a run that ends, but not without their polls, waits and fences.
  std::uint64_t NeedOrder = 0;
  std::map<std::string, std::uint64_t> NeedOrderWith; ///< by keyword in their text
};
extern Tally Seen;
std::string describe(const Tally &T);

} // namespace rdma::test
