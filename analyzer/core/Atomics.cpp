#include "analyzer/core/Conditions.h"
#include "analyzer/core/LockWord.h"

#include <algorithm>
#include <map>

namespace rdma {
namespace {

struct Write {
  EventRef Ref;
  LocationId Where;
};

std::vector<Write> writesOf(const Analysis &A, bool Atomic) {
  std::vector<Write> Found;
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T)
    for (EventId E : A.Threads[T].Order) {
      const Event &Here = A.Threads[T].Events[E];
      if (!Here.Joins && !isUnseen(A.Threads[T].operation(A.Code, E)) && writes(Here.Ref.Kind) &&
          (Here.Ref.Kind == EventKind::narW) == Atomic)
        Found.push_back({Here.Ref, A.Where.of(T, E)});
    }
  return Found;
}

/// The plain writes of the program, found by location and thread.
class PlainWrites {
public:
  explicit PlainWrites(const Analysis &A) : A(A), All(writesOf(A, false)), At(A.Where.size()) {
    for (unsigned I = 0; I < All.size(); ++I)
      At[All[I].Where][All[I].Ref.Thread].push_back(I);
  }

  /// Those that may be in another thread and of the same bytes, in the order of the program.
  std::vector<EventRef> clashes(const Write &Atomic) const {
    std::vector<unsigned> Found;
    for (LocationId L : A.Where.overlapping(Atomic.Where))
      for (const auto &[Thread, Writes] : At[L])
        if (Thread != Atomic.Ref.Thread || A.Code.Threads[Thread].Many)
          Found.insert(Found.end(), Writes.begin(), Writes.end());
    std::sort(Found.begin(), Found.end());
    std::vector<EventRef> Refs;
    for (unsigned I : Found)
      Refs.push_back(All[I].Ref);
    return Refs;
  }

private:
  const Analysis &A;
  std::vector<Write> All;
  std::vector<std::map<ThreadIndex, std::vector<unsigned>>> At;
};

} // namespace

std::vector<Violation> atomicityBreaks(const Analysis &A) {
  std::vector<Violation> Breaks;
  PlainWrites Plain(A);
  std::map<LocationId, LockWord> Locks;
  for (const Write &Atomic : writesOf(A, true))
    for (const EventRef &Other : Plain.clashes(Atomic)) {
      const LockWord &Lock = Locks.try_emplace(Atomic.Where, A, Atomic.Ref.Location).first->second;
      if (!Lock.givesBack(Other))
        Breaks.push_back({Rule::Atomics, Atomic.Ref, Other, {}, false});
    }
  return Breaks;
}

} // namespace rdma
