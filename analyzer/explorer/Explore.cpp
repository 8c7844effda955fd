#include "analyzer/explorer/Explore.h"

#include "analyzer/explorer/Reduction.h"

#include <algorithm>
#include <new>
#include <unordered_set>

namespace rdma::explorer {
namespace {

/// Depth-first search over states, each visited once. Steps that can be taken first without loss are taken on
/// the spot and leave no state behind.
class DepthFirst {
public:
  DepthFirst(const Machine &M, const Limits &L, bool FollowOrder)
      : M(M), FollowOrder(FollowOrder), Reduce(L.Reduce) {
    if (L.Timeout.count() > 0)
      Deadline = std::chrono::steady_clock::now() + L.Timeout;
  }

  /// Calls Found(State) for every final state until it returns false.
  template <class Visitor> void run(Visitor Found) {
    try {
      search(Found);
    } catch (const std::bad_alloc &) {
      TimedOut = Stopped = true;
      Visited = Seen.size();
      // The answer wants memory too.
      Stack = {};
      Seen = {};
    }
  }

  std::uint64_t states() const { return std::max<std::uint64_t>(Visited, Seen.size()); }
  bool timedOut() const { return TimedOut; }

private:
  template <class Visitor> void search(Visitor &Found) {
    push(M.initial(FollowOrder));
    while (!Stack.empty() && !outOfTime()) {
      State S = std::move(Stack.back());
      Stack.pop_back();
      visit(std::move(S), Found);
    }
  }

  void push(State S) { Stack.push_back(std::move(S)); }

  bool outOfTime() {
    if (Deadline && (++Ticks & 0xff) == 0 && std::chrono::steady_clock::now() > *Deadline)
      TimedOut = Stopped = true;
    return Stopped;
  }

  template <class Visitor> void visit(State S, Visitor &Found) {
    // A loop that never leaves the steps taken on the spot would be endless; its states count after a while.
    for (unsigned OnTheSpot = 0; !outOfTime(); ++OnTheSpot) {
      std::vector<Transition> Enabled = M.enabled(S);
      if (Enabled.empty()) {
        if (M.finished(S) && !Found(S))
          Stopped = true;
        return;
      }
      Persistent First;
      if (Reduce)
        First = persistentSet(M, S, Enabled);
      if (First.Dead)
        return;
      if (First.Steps.size() == 1 && OnTheSpot < 1000) {
        M.apply(S, First.Steps[0]);
        continue;
      }
      if (!Seen.insert(encode(S)).second)
        return;
      for (const Transition &T : First.Steps.empty() ? Enabled : First.Steps) {
        State Next = S;
        M.apply(Next, T);
        push(std::move(Next));
      }
      return;
    }
  }

  const Machine &M;
  bool FollowOrder, Reduce;
  std::vector<State> Stack;
  std::unordered_set<std::string> Seen;
  std::optional<std::chrono::steady_clock::time_point> Deadline;
  unsigned Ticks = 0;
  std::uint64_t Visited = 0;
  bool Stopped = false, TimedOut = false;
};

} // namespace

Limits Limits::since(std::chrono::steady_clock::time_point Begin) const {
  using std::chrono::milliseconds;
  Limits Left = *this;
  auto Gone = std::chrono::duration_cast<milliseconds>(std::chrono::steady_clock::now() - Begin);
  if (Timeout.count() > 0) // 0 would be no end
    Left.Timeout = std::max(milliseconds(1), Timeout - Gone);
  return Left;
}

Exploration explore(const Program &P, Model M, const Limits &L) {
  CompiledProgram C = compile(P);
  Machine Machine(C, M, L.Unroll);
  DepthFirst Search(Machine, L, false);
  Exploration Out;
  Search.run([&](const State &S) {
    Out.Outcomes.insert(S.Memory);
    return true;
  });
  Out.States = Search.states();
  Out.TimedOut = Search.timedOut();
  Out.Bounded = Machine.HitLimit;
  return Out;
}

Robustness checkRobust(const Program &P, Model M, const Limits &L) {
  CompiledProgram C = compile(P);
  Machine Machine(C, M, L.Unroll);
  DepthFirst Search(Machine, L, M != Model::Sc);
  Robustness Out;
  bool Weak = false;
  try {
    Search.run([&](const State &S) {
      Out.Ends = true;
      Weak = S.Order.Weak;
      return !Weak;
    });
  } catch (const std::length_error &) { // Trace
    Out.TooLarge = true;
  }
  Out.States = Search.states();
  Out.Bounded = Machine.HitLimit;
  if (Weak)
    Out.Robust = false;
  else if (!Search.timedOut() && !Out.TooLarge)
    Out.Robust = true;
  return Out;
}

} // namespace rdma::explorer
