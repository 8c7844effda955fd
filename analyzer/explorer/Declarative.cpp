#include "analyzer/explorer/Declarative.h"

#include "analyzer/explorer/Executions.h"

namespace rdma::explorer {
namespace {

/// All pre-executions of a program, one after the other.
class Enumeration {
public:
  Enumeration(const Program &P, Model M, const Limits &L) : P(P), M(M), L(L), Begin(Clock::now()) {
    for (ThreadIndex T = 0; T < P.Threads.size(); ++T)
      Traces.push_back(tracesOf(P, T, L.Unroll));
  }

  void run(const std::function<bool(const Execution &)> &Wanted,
           const std::function<bool(const Execution &)> &Found) {
    extend({}, 0, Wanted, Found);
  }

  std::uint64_t Choices = 0;
  bool TimedOut = false;

private:
  using Clock = std::chrono::steady_clock;

  bool outOfTime() {
    TimedOut |= L.Timeout.count() > 0 && Clock::now() - Begin > L.Timeout;
    return TimedOut;
  }

  bool extend(const PreExecution &G, ThreadIndex T, const std::function<bool(const Execution &)> &Wanted,
              const std::function<bool(const Execution &)> &Found) {
    if (T < Traces.size()) {
      for (const ThreadTrace &Trace : Traces[T]) {
        PreExecution Next = G;
        Next.append(Trace, T);
        if (!extend(Next, T + 1, Wanted, Found))
          return false;
      }
      return true;
    }
    bool GoOn = true;
    ExecutionSearch Search(P, G, M);
    Search.OutOfTime = [&] { return outOfTime(); };
    Search.run(Wanted, [&](const Execution &E) { return GoOn = Found(E); });
    Choices += Search.choices();
    return GoOn && !TimedOut;
  }

  const Program &P;
  Model M;
  const Limits &L;
  std::vector<std::vector<ThreadTrace>> Traces;
  Clock::time_point Begin;
};

} // namespace

Exploration enumerateOutcomes(const Program &P, Model M, const Limits &L) {
  Enumeration All(P, M, L);
  Exploration Out;
  All.run([&](const Execution &E) { return !Out.Outcomes.count(E.Final); },
          [&](const Execution &E) {
            Out.Outcomes.insert(E.Final);
            return true;
          });
  Out.States = All.Choices;
  Out.TimedOut = All.TimedOut;
  return Out;
}

Robustness enumerateRobust(const Program &P, Model M, const Limits &L) {
  Enumeration All(P, M, L);
  Robustness Out;
  bool Weak = false;
  All.run([](const Execution &E) { return !E.isSequentiallyConsistent(); },
          [&](const Execution &) {
            Weak = true;
            return false;
          });
  Out.States = All.Choices;
  if (Weak)
    Out.Robust = false;
  else if (!All.TimedOut)
    Out.Robust = true;
  return Out;
}

} // namespace rdma::explorer
