#include "analyzer/explorer/Witness.h"

#include "analyzer/explorer/Reduction.h"
#include "analyzer/explorer/StepWords.h"

#include <deque>
#include <unordered_set>

namespace rdma::explorer {
namespace {

using Clock = std::chrono::steady_clock;

/// Breadth-first search for a final state that Trace calls weak.
class BreadthFirst {
public:
  BreadthFirst(const Machine &M, const Limits &L) : M(M), L(L), Begin(Clock::now()) {}

  /// The steps of such a run, none when there is no such run.
  std::vector<Transition> run() {
    Todo.push_back({M.initial(true), None});
    std::vector<Transition> Path;
    while (!Todo.empty() && Path.empty()) {
      auto [S, Link] = std::move(Todo.front());
      Todo.pop_front();
      if (L.Timeout.count() > 0 && Clock::now() - Begin > L.Timeout)
        break;
      expand(std::move(S), Link, Path);
    }
    return Path;
  }

private:
  struct Taken {
    Transition Step;
    unsigned Before; ///< index into Steps
  };
  struct Reached {
    State S;
    unsigned Link;
  };

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
      Persistent First = persistentSet(M, S, Enabled);
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
        Todo.push_back({std::move(Next), link(T, Link)});
      }
      return;
    }
  }

  const Machine &M;
  const Limits &L;
  Clock::time_point Begin;
  std::deque<Reached> Todo;
  std::vector<Taken> Steps;
  std::unordered_set<std::string> Seen;
};

unsigned statementOf(const State &S, const Transition &T) {
  return T.What == Transition::Kind::Cpu ? S.Threads[T.Index].At : None;
}

std::optional<Witness> trace(const Program &P, Model M, const Limits &L) {
  auto Compiled = std::make_shared<CompiledProgram>(compile(P));
  Machine Machine(*Compiled, M, L.Unroll);
  std::vector<Transition> Path = BreadthFirst(Machine, L).run();
  if (Path.empty())
    return std::nullopt;
  Witness W;
  auto Run = std::make_shared<Recording>(P.Objects.size());
  State S = Machine.initial(false);
  S.Order.Record = Run.get();
  Run->Now = &S;
  for (const Transition &T : Path) {
    Run->Statement = statementOf(S, T);
    State Before = S;
    Machine.apply(S, T);
    if (auto Step = inWords(Machine, Before, S, T))
      W.Steps.push_back(std::move(*Step));
  }
  W.Cycle = Run->cycle();
  W.Final = S.Memory;
  W.Compiled = Compiled;
  Run->Now = nullptr;
  W.Run = Run;
  return W;
}

} // namespace

std::optional<Witness> findWitness(const Program &P, Model M, const Limits &L) {
  try {
    return trace(P, M, L);
  } catch (const std::length_error &) { // more events than Recording or Trace can number
    return std::nullopt;
  }
}

} // namespace rdma::explorer
