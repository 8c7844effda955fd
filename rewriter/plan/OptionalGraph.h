// A program with every candidate in it, each of which can be switched on and off.
#pragma once

#include "analyzer/core/GuaranteedBefore.h"
#include "rewriter/plan/HittingSet.h"
#include "rewriter/plan/Plan.h"

#include <map>
#include <memory>

namespace rdma {

/// Guaranteed-before is monotone in what is switched on: waits and fences only add order, and an inserted
/// wait takes no completion but its own.
class OptionalGraph {
public:
  OptionalGraph(const Program &P, const std::vector<PlannedEdit> &Candidates, Model M,
                const std::vector<Violation> &Required);
  ~OptionalGraph();

  /// Switches exactly these on.
  void choose(const std::vector<unsigned> &Candidates);
  void chooseAll();
  /// Required pairs that are open now, of those given.
  std::vector<unsigned> open(const std::vector<unsigned> &Required);
  /// For a pair that is open now: candidates of which one must be on for it to be ordered. Everything else
  /// may be on and leaves it open. Empty when nothing orders it. What is on stays as it was.
  Clause clause(unsigned Required);
  /// These pairs, those first whose events stand close to each other.
  void sortByDistance(std::vector<unsigned> &Required) const;
  /// Does a way lead from one of the candidates to the later event, without the earlier one on it? True
  /// of every pair that one of them may order.
  bool leadsFrom(const std::vector<bool> &Candidates, unsigned Required);

private:
  struct Pair {
    ThreadIndex Thread;
    Model Under;
    std::vector<EventId> Firsts, Seconds; ///< several where a statement goes several ways
    std::vector<unsigned> Counted;        ///< candidates that order it by what the source counts
  };
  struct ThreadGraph;

  /// Candidates on ways from the earlier to the later event; others cannot order them.
  std::vector<unsigned> between(unsigned Required) const;
  void set(unsigned Candidate, bool On);
  bool isOpen(const Pair &P);
  bool isCounted(const Pair &P) const;
  bool isFlushOf(unsigned Flush, unsigned Wait) const;

  Program All;
  std::vector<std::unique_ptr<ThreadGraph>> Threads;
  std::vector<std::vector<std::pair<ThreadIndex, EventId>>> Events; ///< per candidate
  std::vector<PlannedEdit> Choices;
  std::vector<bool> On;
  std::vector<Pair> Pairs;
};

} // namespace rdma
