#include "Properties.h"

#include "analyzer/core/Verdict.h"
#include "analyzer/explorer/Declarative.h"

#include <algorithm>

namespace rdma::test {

std::uint64_t ProvedRobust = 0;

std::optional<std::string> conditionsAreSound(const RandomProgram &Random) {
  Program P = Random.parse();
  for (Model M : {Model::RdmaTso, Model::RdmaSc}) {
    Verdict V = decide(P, M);
    std::string Under = " (" + std::string(name(M)) + ")";
    if (V.TreeFenced && !V.Fenced)
      return "tree-fenced but not fenced" + Under;
    if (V.Fenced && !V.Cycles)
      return "fenced, but a critical cycle is open" + Under;
    if (!V.robust())
      continue;
    ++ProvedRobust;
    using std::chrono_literals::operator""s;
    explorer::Robustness R = explorer::checkRobust(P, M, {.Timeout = 2s, .Unroll = 2});
    if (R.Robust == false)
      return std::string("proved robust (") + (V.Fenced ? "fenced " : "") +
             (V.TreeFenced ? "tree-fenced " : "") + (V.Cycles ? "cycles" : "") + "), but it is not" + Under;
  }
  return std::nullopt;
}

std::optional<std::string> enginesAgree(const RandomProgram &Random) {
  Program P = Random.parse();
  for (Model M : {Model::RdmaTso, Model::RdmaSc}) {
    std::string Under = " (" + std::string(name(M)) + ")";
    using std::chrono_literals::operator""s;
    explorer::Limits Time{.Timeout = 1s};
    explorer::Exploration Steps = explorer::explore(P, M, Time);
    explorer::Exploration Choices = explorer::enumerateOutcomes(P, M, Time);
    if (Steps.TimedOut || Choices.TimedOut)
      continue;
    if (Steps.Outcomes != Choices.Outcomes) {
      bool Missing = std::includes(Choices.Outcomes.begin(), Choices.Outcomes.end(), Steps.Outcomes.begin(),
                                   Steps.Outcomes.end());
      return (Missing ? "the machine misses an outcome" : "the declarative model misses an outcome") + Under;
    }
    auto Machine = explorer::checkRobust(P, M, Time).Robust,
         Declared = explorer::enumerateRobust(P, M, Time).Robust;
    if (Machine && Declared && *Machine != *Declared)
      return (*Machine ? "only the machine says robust" : "only the declarative model says robust") + Under;
  }
  return std::nullopt;
}

std::optional<std::string> reductionLosesNothing(const RandomProgram &Random) {
  Program P = Random.parse();
  for (Model M : {Model::RdmaTso, Model::RdmaSc, Model::Sc}) {
    std::string Under = " (" + std::string(name(M)) + ")";
    if (explorer::explore(P, M).Outcomes != explorer::explore(P, M, {.Reduce = false}).Outcomes)
      return "the reduction changes the outcomes" + Under;
    if (explorer::checkRobust(P, M).Robust != explorer::checkRobust(P, M, {.Reduce = false}).Robust)
      return "the reduction changes robustness" + Under;
  }
  return std::nullopt;
}

std::optional<std::string> robustMeansSameOutcomes(const RandomProgram &Random) {
  Program P = Random.parse();
  explorer::Exploration Sc = explorer::explore(P, Model::Sc);
  for (Model M : {Model::RdmaTso, Model::RdmaSc}) {
    std::string Under = " (" + std::string(name(M)) + ")";
    explorer::Exploration Weak = explorer::explore(P, M);
    if (!std::includes(Weak.Outcomes.begin(), Weak.Outcomes.end(), Sc.Outcomes.begin(), Sc.Outcomes.end()))
      return "an outcome of sequential consistency is missing" + Under;
    if (explorer::checkRobust(P, M).Robust == true && Weak.Outcomes != Sc.Outcomes)
      return "robust, but with an outcome of its own" + Under;
  }
  return std::nullopt;
}

std::optional<Failure> search(std::uint64_t First, std::uint64_t Count, const Shape &S,
                              const Property &Holds) {
  for (std::uint64_t Seed = First; Seed < First + Count; ++Seed) {
    RandomProgram P = randomProgram(Seed, S);
    std::optional<std::string> Reason = Holds(P);
    if (!Reason)
      continue;
    RandomProgram Small = shrink(P, [&](const RandomProgram &Less) { return Holds(Less) == Reason; });
    return Failure{Seed, Small, *Reason};
  }
  return std::nullopt;
}

} // namespace rdma::test
