#include "analyzer/core/Violation.h"

namespace rdma {

/// The two conflict only if memory without a name is memory with one.
static bool guessedConflict(const Program &P, const EventRef &A, const EventRef &B) {
  bool Unnamed = P.Objects[A.Location.Target].Anything || P.Objects[B.Location.Target].Anything;
  return Unnamed && A.Location.Target != B.Location.Target;
}

bool restsOnGuess(const Program &P, const Violation &V) {
  if (V.Broken == Rule::LocalRace || V.Broken == Rule::Atomics)
    return guessedConflict(P, V.First, V.Second);
  if (V.Observers.empty() || V.InTurn)
    return false;
  if (guessedConflict(P, V.Second, V.Observers.front()) || guessedConflict(P, V.Observers.back(), V.First))
    return true;
  for (std::size_t I = 0; I + 1 < V.Observers.size(); ++I)
    if (V.Observers[I].Thread != V.Observers[I + 1].Thread &&
        guessedConflict(P, V.Observers[I], V.Observers[I + 1]))
      return true;
  return false;
}

} // namespace rdma
