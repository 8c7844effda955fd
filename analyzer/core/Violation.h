// What a condition finds wrong: two sub-events of one thread that can be seen out of order, or be torn apart.
#pragma once

#include "ir/Program.h"

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

enum class Rule : std::uint8_t {
  LocalRace,  ///< ROBUST Def. 7
  Atomics,    ///< semantics from SYNC section 2.3: a location of remote atomics is written by something else
  Fenced,     ///< ROBUST Def. 8, 13
  TreeFenced, ///< ROBUST Def. 9, 14
  CriticalCycle, ///< an unordered pair that other threads can see (ROBUST Theorem 2)
};

/// First comes before Second on some path of their thread (Atomics: First is the remote atomic, Second the
/// other write, in any thread) and nothing guarantees that it is seen before it.
struct Violation {
  Rule Broken;
  EventRef First, Second;
  /// CriticalCycle, Fenced: how other threads get from Second's location back to First's: accesses in the
  /// order of the cycle, the first in conflict with Second, the last in conflict with First.
  std::vector<EventRef> Observers;
  /// Second comes after First only around a loop.
  bool LoopCarried = false;
  /// Others see it although each message through a socket is received in its turn (Streams.h).
  bool InTurn = false;
  /// The fact whose loss leaves the pair open (Verdict::Facts), as far as findReasons has found one.
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
