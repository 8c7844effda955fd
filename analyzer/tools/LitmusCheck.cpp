#include "analyzer/tools/LitmusCheck.h"

#include "analyzer/core/Verdict.h"
#include "analyzer/explorer/Concrete.h"

#include <algorithm>

namespace rdma {

using explorer::Exploration;
using explorer::Outcome;

namespace {

using Clock = std::chrono::steady_clock;

class Checker {
public:
  Checker(const LitmusTest &Test, const explorer::Limits &L) : Test(Test), L(L), Begin(Clock::now()) {}

  CheckedTest run() {
    for (const Assertion &A : Test.Assertions)
      for (Model M : A.Models)
        Out.Assertions.push_back(checkOne(A, M));
    return std::move(Out);
  }

private:
  CheckedAssertion checkOne(const Assertion &A, Model M) {
    switch (A.What) {
    case Assertion::Kind::Allowed:
    case Assertion::Kind::Forbidden:
      return checkOutcome(A, M);
    case Assertion::Kind::Robust:
      return checkRobust(A, M);
    default:
      return checkCondition(A, M);
    }
  }

  CheckedAssertion checkOutcome(const Assertion &A, Model M) {
    const Exploration &E = outcomes(M);
    auto Hit =
        std::find_if(E.Outcomes.begin(), E.Outcomes.end(), [&](const Outcome &O) { return A.When.holds(O); });
    bool Found = Hit != E.Outcomes.end();
    bool Expected = A.What == Assertion::Kind::Allowed;
    if (Found == Expected)
      // A forbidden outcome is only excluded when every run was looked at.
      return E.TimedOut && !Found ? unknown(A, M) : CheckedAssertion{&A, M, Answer::Holds, ""};
    if (!Found && E.TimedOut)
      return unknown(A, M);
    std::string Because = Found ? "a run ends with " + describe(Test.Code, *Hit)
                          : E.Outcomes.empty()
                              ? "no run ends; a poll, wait or assume waits for ever"
                              : "none of the " + std::to_string(E.Outcomes.size()) + " outcomes has it";
    return {&A, M, Answer::Fails, Because};
  }

  CheckedAssertion checkRobust(const Assertion &A, Model M) {
    explorer::Robustness R = explorer::checkRobust(runnable(), M, L.since(Begin));
    Out.States += R.States;
    Out.Bounded |= R.Bounded;
    if (R.TooLarge)
      return {&A, M, Answer::Unknown, "more than 64 events are under way at once"};
    if (!R.Robust)
      return unknown(A, M);
    return decided(A, M, *R.Robust);
  }

  CheckedAssertion checkCondition(const Assertion &A, Model M) {
    if (!Verdicts.count(M))
      Verdicts.emplace(M, decide(Test.Code, M));
    const Verdict &V = Verdicts.at(M);
    if (A.What == Assertion::Kind::Ldrf)
      return decided(A, M, V.Ldrf);
    return decided(A, M, A.What == Assertion::Kind::Fenced ? V.Fenced : V.TreeFenced);
  }

  CheckedAssertion decided(const Assertion &A, Model M, bool Found) {
    if (Found == A.Expected)
      return {&A, M, Answer::Holds, ""};
    return {&A, M, Answer::Fails, Found ? "the verdict is yes" : "the verdict is no"};
  }
  CheckedAssertion unknown(const Assertion &A, Model M) {
    return {&A, M, Answer::Unknown, "not decided within the time or the memory"};
  }

  const Exploration &outcomes(Model M) {
    auto [At, New] = Explored.try_emplace(M);
    if (New) {
      At->second = explorer::explore(runnable(), M, L.since(Begin));
      Out.States += At->second.States;
      Out.Bounded |= At->second.Bounded;
    }
    return At->second;
  }

  const Program &runnable() {
    if (!Runnable)
      Runnable = explorer::concrete(Test.Code);
    return *Runnable;
  }

  const LitmusTest &Test;
  std::optional<Program> Runnable;
  const explorer::Limits &L;
  Clock::time_point Begin;
  CheckedTest Out;
  std::map<Model, Exploration> Explored;
  std::map<Model, Verdict> Verdicts;
};

} // namespace

Answer CheckedTest::overall() const {
  Answer Worst = Answer::Holds;
  for (const CheckedAssertion &A : Assertions) {
    if (A.Result == Answer::Fails)
      return Answer::Fails;
    if (A.Result == Answer::Unknown)
      Worst = Answer::Unknown;
  }
  return Worst;
}

CheckedTest check(const LitmusTest &Test, const explorer::Limits &L) { return Checker(Test, L).run(); }

std::string describe(const Program &P, const Outcome &O) {
  std::string Text;
  for (ObjectId I = 0; I < O.size(); ++I)
    if (!P.Objects[I].Fresh)
      Text += (Text.empty() ? "" : " ") + P.Objects[I].Name + "=" + std::to_string(O[I]) + ";";
  return Text;
}

} // namespace rdma
