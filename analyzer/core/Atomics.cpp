#include "analyzer/core/Conditions.h"
#include "analyzer/core/LockWord.h"

#include <algorithm>

namespace rdma {
namespace {

std::vector<EventRef> writesOf(const Analysis &A, bool Atomic) {
  std::vector<EventRef> Found;
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T)
    for (EventId E : A.Threads[T].Order) {
      const Event &Here = A.Threads[T].Events[E];
      if (!Here.Joins && writes(Here.Ref.Kind) && (Here.Ref.Kind == EventKind::narW) == Atomic)
        Found.push_back(Here.Ref);
    }
  return Found;
}

/// May the two be in different threads?
bool apart(const Analysis &A, const EventRef &X, const EventRef &Y) {
  return X.Thread != Y.Thread || A.Code.Threads[X.Thread].Many;
}

} // namespace

std::vector<Violation> atomicityBreaks(const Analysis &A) {
  std::vector<Violation> Breaks;
  std::vector<EventRef> Plain = writesOf(A, false);
  for (const EventRef &Atomic : writesOf(A, true)) {
    auto Clashes = [&](const EventRef &Write) {
      return apart(A, Atomic, Write) && mayOverlap(A.Code, Atomic.Location, Write.Location);
    };
    if (std::none_of(Plain.begin(), Plain.end(), Clashes))
      continue;
    LockWord Lock(A, Atomic.Location);
    for (const EventRef &Write : Plain)
      if (Clashes(Write) && !Lock.givesBack(Write))
        Breaks.push_back({Rule::Atomics, Atomic, Write, {}, false});
  }
  return Breaks;
}

} // namespace rdma
