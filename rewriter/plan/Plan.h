// Which remedy goes where: the cheapest set that orders every pair that calls for a remedy.
#pragma once

#include "analyzer/core/Remedy.h"
#include "analyzer/core/Verdict.h"
#include "rewriter/plan/Costs.h"

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace rdma {

/// One edit of the source. An edit of a place that several statements were inlined from, or that replicas of
/// a thread share, stands for all of them (copiesOf).
struct PlannedEdit {
  enum class Stand : std::uint8_t {
    Before,     ///< on every way that leads to the statement
    Behind,     ///< on every way out of it; in the source, behind the post itself
    BehindCall, ///< the same behind a call that it came through, and the later operation did not
    Entering,   ///< on the ways into the loop that the statement heads, not around it
    Unrolled,   ///< before the loop of the source whose rounds the statement is the first of
    On          ///< the flag on the request
  };
  /// Behind the earlier operation, or a call that it came through?
  static bool isBehind(Stand How) { return How == Stand::Behind || How == Stand::BehindCall; }
  Remedy What;
  Violation Why;         ///< one of those that called for it, of the program as it was
  StatementId At = None; ///< of the thread of Why
  Stand How = Stand::Before;
  /// Of BehindCall: which call of the earlier operation's chain; of On: of the request's; of Before: how many
  /// calls further in than the function that both operations came through; of Unrolled: 1 where the loop is
  /// in another one that was unrolled, too, and the earlier operation only in that.
  unsigned Level = 0;
  /// Of a wait before a statement: so many of the program's own polls, which stand behind it, move up in its
  /// place.
  unsigned OwnPolls = 0;
  /// Of a wait, requests of the thread of Why: the flag on them, to take their bytes along, in its place.
  std::vector<StatementId> Inlined = {};
  /// Of a flag: on all requests of this kind in the list that is posted there, not on the one that is meant.
  bool OnAll = false;
  /// Of a wait: that it orders its pairs rests on what the source counts, which the program's graph does not
  /// show (countedPairs); the edited source has to.
  bool Counts = false;
  /// Of a wait that counts: so many of the rounds before may stay out.
  unsigned Leaves = 0;
  /// Of a wait behind the earlier operation: the queue pair is kept in a variable before that, as what leads
  /// to it may not be the same afterwards.
  bool Keeps = false;
  double Cost = 0; ///< of the remedy, times ten for each loop around it, summed over all copies
  /// Of a wait that others may be one call with (Together.h): where it is written, and what it costs there
  /// beside another one.
  std::string Stands = {};
  double Beside = 0;
};

struct Plan {
  std::vector<PlannedEdit> Edits;
  /// What stays, as the planned program still shows it.
  std::vector<Violation> Left;
  /// No choice among the candidates that orders the same pairs costs less; equals cost() when proven optimal.
  double LowerBound = 0;
  double Naive = 0; ///< naiveCost
  unsigned Candidates = 0, Rounds = 0;
  Verdict Result; ///< of the planned program
  double cost() const;
};

/// What is to hold in the end. Every program that is fenced or tree-fenced is robust; it need be neither.
enum class Goal : std::uint8_t { Robust, Fenced, TreeFenced };

struct PlanOptions {
  Costs Prices = {};
  Goal Until = Goal::Robust;
  std::vector<Violation> Also = {}; ///< to be ordered too, whether or not the verdict names them
  bool Greedy = false;              ///< cheapest cost for most pairs, without proof
  double TimeLimit = 600;           ///< in seconds; then the best found so far
  const Verdict *Known = nullptr;   ///< of the program, where it was judged before
  /// Pairs that rest on a lost fact or a guess too, which the program may order already
  /// (analyzer/core/Reasons.h).
  bool Unproved = false;
  /// Is the pair, of which statements keep their numbers, to be repaired?
  std::function<bool(const Violation &)> Wanted = [](auto &) { return true; };
  /// Junctions without a statement are places too; true where any place can be written, as in litmus text.
  bool Junctions = true;
  /// How many rounds the buffers that the two operations use may last for, the likeliest first.
  std::function<std::vector<unsigned>(const Violation &)> Rounds = [](auto &) {
    return std::vector<unsigned>();
  };
  /// Can the edit be written? Asked before anything is chosen.
  std::function<bool(const PlannedEdit &)> Editable = [](auto &) { return true; };
  /// Where a wait is written that can be; asked right behind that. By default at its statement, where any
  /// place can be.
  std::function<std::string(const PlannedEdit &)> Stands = nullptr;
};

/// The violations that call for a remedy: local races, atomicity breaks, and open cycles unless the program
/// is fenced; none that rests on a guess, unless that is asked for. V comes with its reasons.
std::vector<Violation> toRepair(const Program &P, const Verdict &V, const PlanOptions &O = {});

Plan plan(const Program &P, Model M, const PlanOptions &O = {});

/// What it would cost to wait for every request where it is posted, flushing what it writes, and to put a
/// memory fence behind each store to shared memory that a load may come after before such a wait.
double naiveCost(const Program &P, Model M, const Costs &Prices);

/// What other ways to a robust program would cost, were any place and any queue pair at hand. Absent:
/// insertions do not lead there.
struct Comparison {
  double Naive = 0; ///< naiveCost
  std::optional<double> Fenced, TreeFenced, Robust;
};
Comparison comparePlans(const Program &P, Model M, PlanOptions O = {});

/// What could be chosen for these violations. Every edit once.
std::vector<PlannedEdit> candidates(const Program &P, const std::vector<Violation> &Found,
                                    const PlanOptions &O);

/// A statement that an edit stands at, and the queue pair that it is about there.
struct Copy {
  ThreadIndex Thread;
  StatementId At;
  QueuePairId Pair;
};
std::vector<Copy> copiesOf(const Program &P, const PlannedEdit &E);

/// The first rounds of a loop of the source that the compiler unrolled, which have become copies of the later
/// operation: the one behind the earlier operation, or, where that has copies too, the first in the thread
/// and in each loop around it. Each: for each of its copies the one that comes behind it. Nothing when none
/// is the first.
std::vector<StatementId> firstRounds(const Thread &T, StatementId Earlier, StatementId Later, bool Each);

/// What a wait that counts is to order: a request of one thread, and a later statement.
std::set<std::pair<StatementId, StatementId>> countedPairs(const Program &P, const PlannedEdit &E,
                                                           const Copy &C);

/// The statements of the loop that the statement heads: ways from it that come back without leaving the loop.
std::vector<bool> loopOf(const Thread &T, StatementId Head);

/// What an edit put into a thread: new statements, or the flag on one that was there.
struct Inserted {
  ThreadIndex Thread;
  std::vector<StatementId> Statements;
  StatementId Flagged = None;
};

/// The program with the edits in place. Statement numbers of P stay what they were. Where: for each edit what
/// stands for it.
Program applied(const Program &P, const std::vector<PlannedEdit> &Edits,
                std::vector<std::vector<Inserted>> *Where = nullptr);

/// In the innermost function that the earlier operation and the edit share: where the former was called, and
/// before which place the edit stands (behind which, for BehindCall: the first; of Before, Level calls in).
std::pair<Place, Place> placesOf(const Program &P, const PlannedEdit &E);

/// Joins: it is one call with another, of a wait that is told before it.
std::string describe(const Program &P, const PlannedEdit &Edit, bool Joins = false);

} // namespace rdma
