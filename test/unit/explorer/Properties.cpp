#include "Properties.h"

#include "analyzer/core/Verdict.h"
#include "analyzer/explorer/Compiled.h"
#include "analyzer/explorer/Declarative.h"

#include <algorithm>

namespace rdma::test {

Tally Seen;

namespace {

using namespace std::chrono_literals;

bool isOrder(const RandomStatement &S) {
  for (const char *Word : {"poll", "wait", "rfence", "mfence"})
    if (S.Text.starts_with(Word))
      return true;
  return false;
}

void dropOrder(std::vector<RandomStatement> &Block) {
  std::erase_if(Block, isOrder);
  for (RandomStatement &S : Block) {
    if (auto At = S.Text.find(" fenced"); At != std::string::npos)
      S.Text.erase(At, 7);
    for (auto &Inner : S.Blocks)
      dropOrder(Inner);
  }
}

void count(const RandomProgram &Random, const Verdict &V, Model M) {
  ++Seen.Proved;
  Seen.ByFenced += V.Fenced;
  Seen.ByTreeFenced += V.TreeFenced;
  Seen.ByCycles += V.Cycles;
  RandomProgram Bare = Random;
  for (auto &T : Bare.Threads)
    dropOrder(T.Body);
  if (decide(Bare.parse(), M).robust() || explorer::explore(Random.parse(), Model::Sc).Outcomes.empty())
    return;
  ++Seen.NeedOrder;
  std::string Text = Random.text("");
  for (const char *Word : {"put ", "get ", "rcas ", "rfaa ", " cas(", "poll(", "wait(", "rfence(", "mfence",
                           "assume(", "choose", "loop", "fenced;", "inline", "unsignaled"})
    Seen.NeedOrderWith[Word] += Text.find(Word) != std::string::npos;
}

} // namespace

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
    count(Random, V, M);
    explorer::Robustness R = explorer::checkRobust(P, M, {.Timeout = 2s, .Unroll = 2});
    Seen.Explored += R.Robust.has_value();
    if (R.Robust == false)
      return std::string("proved robust (") + (V.Fenced ? "fenced " : "") +
             (V.TreeFenced ? "tree-fenced " : "") + (V.Cycles ? "cycles" : "") + "), but it is not" + Under;
  }
  return std::nullopt;
}

std::optional<std::string> copiesAreSound(const RandomProgram &Random) {
  RandomProgram Few = Random, Many = Random;
  for (const RandomProgram::Thread &T : Random.Threads) {
    Few.Threads.push_back(T);
    Many.Threads.insert(Many.Threads.end(), 2, T);
  }
  Program P = Few.parse();
  for (ThreadIndex T = Random.Threads.size(); T < P.Threads.size(); ++T)
    P.Threads[T].Many = true;
  for (Model M : {Model::RdmaTso, Model::RdmaSc}) {
    if (!decide(P, M).robust())
      continue;
    ++Seen.Proved;
    explorer::Robustness R = explorer::checkRobust(Many.parse(), M, {.Timeout = 2s, .Unroll = 2});
    Seen.Explored += R.Robust.has_value();
    if (R.Robust == false)
      return "proved robust for any number, but three of each are not (" + std::string(name(M)) + ")";
  }
  return std::nullopt;
}

namespace {

/// Without the fresh locations, of which a program has more when its loops are written out.
std::set<explorer::Outcome> named(const Program &P, const explorer::Exploration &E) {
  std::set<explorer::Outcome> Out;
  for (const explorer::Outcome &Final : E.Outcomes) {
    explorer::Outcome Kept;
    for (ObjectId O = 0; O < P.Objects.size(); ++O)
      if (!P.Objects[O].Fresh)
        Kept.push_back(Final[O]);
    Out.insert(Kept);
  }
  return Out;
}

/// The machine on one form of a program and the declarative model on another that means the same.
std::optional<std::string> compare(const Program &Stepped, const Program &Chosen, Model M,
                                   const explorer::Limits &L) {
  explorer::Exploration Steps = explorer::explore(Stepped, M, L);
  explorer::Exploration Choices = explorer::enumerateOutcomes(Chosen, M, L);
  if (Steps.TimedOut || Choices.TimedOut)
    return std::nullopt;
  auto Stepwise = named(Stepped, Steps), Declared = named(Chosen, Choices);
  if (Stepwise != Declared) {
    bool Missing = std::includes(Declared.begin(), Declared.end(), Stepwise.begin(), Stepwise.end());
    return Missing ? "the machine misses an outcome" : "the declarative model misses an outcome";
  }
  auto Walked = explorer::checkRobust(Stepped, M, L).Robust,
       Enumerated = explorer::enumerateRobust(Chosen, M, L).Robust;
  if (Walked && Enumerated && *Walked != *Enumerated)
    return *Walked ? "only the machine says robust" : "only the declarative model says robust";
  ++Seen.Compared;
  Seen.Outcomes += Steps.Outcomes.size();
  Seen.NotRobust += Walked == false && Enumerated == false;
  return std::nullopt;
}

std::string under(Model M) { return " (" + std::string(name(M)) + ")"; }

} // namespace

std::optional<std::string> enginesAgree(const RandomProgram &Random) {
  Program P = Random.parse();
  for (Model M : {Model::RdmaTso, Model::RdmaSc})
    if (auto Wrong = compare(P, P, M, {.Timeout = 1s}))
      return *Wrong + under(M);
  return std::nullopt;
}

std::optional<std::string> enginesAgreeOnLoops(const RandomProgram &Random, unsigned Rounds) {
  if (Random.text("").find("loop") == std::string::npos)
    return std::nullopt;
  Program Looping = Random.parse(), Written = Random.unrolled(Rounds).parse();
  for (Model M : {Model::RdmaTso, Model::RdmaSc}) {
    explorer::Limits L{.Timeout = 200ms, .Unroll = Rounds};
    try {
      if (auto Wrong = compare(Written, Looping, M, L))
        return *Wrong + under(M);
    } catch (const explorer::Unsupported &) { // too many events for the declarative model
      continue;
    }
    explorer::Exploration Some = explorer::explore(Written, M, L), All = explorer::explore(Looping, M, L);
    if (Some.TimedOut || All.TimedOut)
      continue;
    auto Few = named(Written, Some), Fixpoint = named(Looping, All);
    explorer::Robustness R = explorer::checkRobust(Looping, M, L);
    if (!All.Bounded && !std::includes(Fixpoint.begin(), Fixpoint.end(), Few.begin(), Few.end()))
      return "the fixpoint misses an outcome of " + std::to_string(Rounds) + " rounds" + under(M);
    if (R.Robust == true && !R.Bounded && explorer::checkRobust(Written, M, L).Robust == false)
      return "robust, but not in " + std::to_string(Rounds) + " rounds" + under(M);
    if (All.Bounded)
      continue;
    ++Seen.Rounds;
    Seen.AllRounds += Few == Fixpoint;
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

std::string describe(const Tally &T) {
  std::string Out;
  auto line = [&](const std::string &What, std::uint64_t Count) {
    if (Count)
      Out += "  " + std::to_string(Count) + " " + What + "\n";
  };
  line("comparisons of the engines", T.Compared);
  line("outcomes in these", T.Outcomes);
  line("of the comparisons found a program that is not robust", T.NotRobust);
  line("fixpoints compared with bounded loops", T.Rounds);
  line("of these had no more outcomes than the bound shows", T.AllRounds);
  line("verdicts robust", T.Proved);
  line("of these explored in full", T.Explored);
  line("by fenced", T.ByFenced);
  line("by tree-fenced", T.ByTreeFenced);
  line("by critical cycles", T.ByCycles);
  line("need their polls, waits or fences", T.NeedOrder);
  for (auto &[Word, Count] : T.NeedOrderWith)
    line("of these with " + Word, Count);
  return Out;
}

} // namespace rdma::test
