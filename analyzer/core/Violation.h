// What a condition finds wrong: two sub-events of one thread that can be seen out of order, or be torn apart.
#pragma once

#include "ir/Program.h"

#include <memory>
#include <tuple>
#include <vector>

namespace rdma {

/// A sub-event of a statement of a thread. Several sub-events of one statement differ in kind or location.
struct EventRef {
  ThreadIndex Thread = None;
  StatementId Statement = None;
  EventKind Kind = EventKind::F;
  Access Location;
  QueuePairId Pair = None;
  bool operator==(const EventRef &) const = default;
};

/// What an event is in every program that has the same statements.
inline auto keyOf(const EventRef &E) {
  const Access &A = E.Location;
  return std::tuple(E.Thread, E.Statement, E.Kind, A.Target, A.Begin, A.End, E.Pair);
}
using EventKey = decltype(keyOf(std::declval<EventRef>()));

enum class Rule : std::uint8_t {
  LocalRace,  ///< ROBUST Def. 7
  Atomics,    ///< semantics from SYNC section 2.3: a location of remote atomics is written by something else
  Fenced,     ///< ROBUST Def. 8, 13
  TreeFenced, ///< ROBUST Def. 9, 14
  CriticalCycle, ///< an unordered pair that other threads can see (ROBUST Theorem 2)
};

/// Accesses of other threads, in the order of the cycle. Violations by the million are seen in one way:
/// copies share it.
class Observers {
public:
  Observers() = default;
  Observers(std::vector<EventRef> Some)
      : All(Some.empty() ? nullptr : std::make_shared<const std::vector<EventRef>>(std::move(Some))) {}

  bool empty() const { return !All; }
  std::size_t size() const { return All ? All->size() : 0; }
  const EventRef *begin() const { return All ? All->data() : nullptr; }
  const EventRef *end() const { return begin() + size(); }
  const EventRef &operator[](std::size_t I) const { return (*All)[I]; }
  const EventRef &front() const { return All->front(); }
  const EventRef &back() const { return All->back(); }

private:
  std::shared_ptr<const std::vector<EventRef>> All; ///< not when there are none
};

/// First comes before Second on some path of their thread (Atomics: First is the remote atomic, Second the
/// other write, in any thread) and nothing guarantees that it is seen before it.
struct Violation {
  Rule Broken;
  EventRef First, Second;
  /// CriticalCycle, Fenced: how other threads get from Second's location back to First's: the first in
  /// conflict with Second, the last in conflict with First.
  rdma::Observers Observers;
  /// Second comes after First only around a loop.
  bool LoopCarried = false;
  /// Others see it although each message through a socket is received in its turn (Streams.h).
  bool InTurn = false;
  /// The fact whose loss leaves the pair open (Verdict::Facts), as far as judge has found one.
  LostFactId RestsOn = None;
};

/// Does the violation rest on memory that the extraction could not name (Object::Anything) being the same as
/// memory it could?
bool restsOnGuess(const Program &P, const Violation &V);

/// Does it rest on a guess or on a lost fact? Then the pair is not proved ordered, and not known to be a
/// defect either.
inline bool restsOnLoss(const Program &P, const Violation &V) {
  return V.RestsOn != None || restsOnGuess(P, V);
}

} // namespace rdma
