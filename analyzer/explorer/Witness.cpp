#include "analyzer/explorer/Witness.h"

#include "analyzer/explorer/Reduction.h"
#include "analyzer/explorer/StepWords.h"

#include <algorithm>
#include <deque>
#include <span>
#include <unordered_set>

namespace rdma::explorer {
namespace {

using Clock = std::chrono::steady_clock;

/// What to look for: any weak run, or one that breaks a pair.
struct Goal {
  const WatchedPair *Pair = nullptr;
  bool OneLate = false;
};

/// Breadth-first search for a final state that Trace calls weak.
class BreadthFirst {
public:
  BreadthFirst(const Machine &M, const Goal &G, const Limits &L) : M(M), G(G), L(L), Begin(Clock::now()) {}

  /// The steps of such a run, none when there is no such run.
  std::vector<Transition> run() {
    State Start = M.initial(true);
    Start.Order.Watch = G.Pair;
    Todo.push_back({std::move(Start), None});
    std::vector<Transition> Path;
    while (!Todo.empty() && Path.empty() && !outOfTime()) {
      auto [S, Link] = std::move(Todo.front());
      Todo.pop_front();
      try {
        expand(std::move(S), Link, Path);
      } catch (const std::length_error &) { // Trace; the rest of this run is left off
        TooLarge = true;
      } catch (const std::bad_alloc &) {
        TimedOut = true;
        Todo.clear();
        Seen = {};
        return {};
      }
    }
    return Path;
  }

  bool TimedOut = false, TooLarge = false;
  std::uint64_t states() const { return Seen.size(); }

private:
  struct Taken {
    Transition Step;
    unsigned Before; ///< index into Steps
  };
  struct Reached {
    State S;
    unsigned Link;
  };

  bool outOfTime() {
    TimedOut = L.Timeout.count() > 0 && Clock::now() - Begin > L.Timeout;
    return TimedOut;
  }

  unsigned link(const Transition &T, unsigned Before) {
    Steps.push_back({T, Before});
    return Steps.size() - 1;
  }

  void expand(State S, unsigned Link, std::vector<Transition> &Path) {
    for (unsigned OnTheSpot = 0;; ++OnTheSpot) {
      std::vector<Transition> Enabled = M.enabled(S);
      if (Enabled.empty()) {
        if (M.finished(S) && S.Order.Weak)
          for (unsigned I = Link; I != None; I = Steps[I].Before)
            Path.insert(Path.begin(), Steps[I].Step);
        return;
      }
      Persistent First = firstSteps(S, Enabled);
      if (First.Dead)
        return;
      if (First.Steps.size() == 1 && OnTheSpot < 1000) {
        Link = link(First.Steps[0], Link);
        M.apply(S, First.Steps[0]);
        continue;
      }
      if (!Seen.insert(encode(S)).second)
        return;
      for (const Transition &T : First.Steps.empty() ? Enabled : First.Steps) {
        State Next = S;
        M.apply(Next, T);
        reach({std::move(Next), link(T, Link)});
      }
      return;
    }
  }

  /// A run that is weak already only has to come to its end.
  void reach(Reached R) {
    if (R.S.Order.Weak)
      Todo.push_front(std::move(R));
    else
      Todo.push_back(std::move(R));
  }

  Persistent firstSteps(const State &S, const std::vector<Transition> &Enabled) const {
    if (!G.OneLate || S.Order.Weak)
      return L.Reduce ? persistentSet(M, S, Enabled) : Persistent();
    for (const Transition &T : Enabled)
      if (T.What != Transition::Kind::Cpu && !isOfFirst(S, T))
        return {{T}};
    // What is posted or stored takes effect at once, so when that is done is a choice.
    std::vector<Transition> Quiet;
    Footprint Rest = stillToCome(M, S);
    std::copy_if(Enabled.begin(), Enabled.end(), std::back_inserter(Quiet),
                 [&](const Transition &T) { return isQuiet(S, T, Rest); });
    return persistentSet(M, S, Quiet);
  }

  /// A step that nothing seen by others follows at once.
  bool isQuiet(const State &S, const Transition &T, const Footprint &Rest) const {
    using enum OperationKind;
    if (T.What != Transition::Kind::Cpu || M.choosing(S, T.Index))
      return true;
    const CompiledStatement &C = *M.current(S, T.Index);
    if (S.Threads[T.Index].Phase < C.Reads.size())
      return true;
    const Operation &Op = C.Op;
    switch (Op.Kind) {
    case Store:
      return Rest.writeIsAlone(Op.Local.Target);
    case LocalCas:
      return !Op.Result.valid() || Rest.writeIsAlone(Op.Result.Target);
    case Put:
      return (Op.Inline || Rest.readIsAlone(Op.Local.Target)) && Rest.writeIsAlone(Op.Remote.Target);
    case Get:
      return Rest.readIsAlone(Op.Remote.Target) && Rest.writeIsAlone(Op.Local.Target);
    case RemoteCas:
    case RemoteFaa:
      return false;
    default:
      return true;
    }
  }

  bool isOfFirst(const State &S, const Transition &T) const {
    const EventKey &First = G.Pair->First;
    if (T.What == Transition::Kind::Flush) {
      const Buffered &B = S.Buffers[T.Index].front();
      return B.IsWrite && T.Index == First.Thread && B.Location == First.Location;
    }
    const Request &R = M.request(S, T);
    return M.program().Source->QueuePairs[T.Index].Owner == First.Thread && R.Statement != None &&
           M.program().Threads[First.Thread].Statements[R.Statement].Source == First.Statement;
  }

  const Machine &M;
  const Goal &G;
  const Limits &L;
  Clock::time_point Begin;
  std::deque<Reached> Todo;
  std::vector<Taken> Steps;
  std::unordered_set<std::string> Seen;
};

/// After how many steps the pair is seen broken.
std::size_t stepsToShow(const Machine &M, const WatchedPair &Pair, const std::vector<Transition> &Path) {
  State S = M.initial(true);
  S.Order.Watch = &Pair;
  std::size_t Steps = 0;
  while (Steps < Path.size() && !S.Order.Weak)
    M.apply(S, Path[Steps++]);
  return Steps;
}

/// The run once more, step by step; how it comes to its end is no news once a pair is seen broken.
Witness follow(const Program &P, const Machine &M, const Goal &G, const std::vector<Transition> &Path) {
  Witness W;
  auto Run = std::make_shared<Recording>(P.Objects.size());
  State S = M.initial(false);
  S.Order.Record = Run.get();
  Run->Now = &S;
  std::size_t Count = G.Pair ? stepsToShow(M, *G.Pair, Path) : Path.size();
  for (const Transition &T : std::span(Path).first(Count)) {
    State Before = S;
    unsigned Earlier = Run->Latest;
    M.apply(S, T);
    if (auto Step = inWords(M, Before, S, T)) {
      Step->Event = Run->Latest == Earlier ? None : Run->Latest;
      W.Steps.push_back(std::move(*Step));
    }
  }
  W.Cycle = !G.Pair ? Run->cycle() : G.Pair->Torn ? std::vector<CycleStep>() : Run->cycle(*G.Pair);
  W.Final = S.Memory;
  Run->Now = nullptr;
  W.Run = Run;
  return W;
}

PairSearch search(const Program &P, Model M, const Goal &G, const Limits &L) {
  CompiledProgram Compiled = compile(P);
  Machine Machine(Compiled, M, L.Unroll);
  BreadthFirst Search(Machine, G, L);
  PairSearch Out;
  std::vector<Transition> Path = Search.run();
  Out.TimedOut = Search.TimedOut;
  Out.TooLarge = Search.TooLarge;
  Out.Bounded = Machine.HitLimit;
  Out.States = Search.states();
  try {
    if (!Path.empty())
      Out.Found = follow(P, Machine, G, Path);
  } catch (const std::length_error &) { // more events than Recording can number
    Out.TooLarge = true;
  }
  return Out;
}

} // namespace

std::optional<Witness> findWitness(const Program &P, Model M, const Limits &L) {
  return search(P, M, {}, L).Found;
}

PairSearch findWitness(const Program &P, Model M, const WatchedPair &Pair, bool OneLate, const Limits &L) {
  return search(P, M, {&Pair, OneLate}, L);
}

} // namespace rdma::explorer
