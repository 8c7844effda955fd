#include "FixProperty.h"

#include "analyzer/core/Reasons.h"
#include "analyzer/explorer/Explore.h"
#include "rewriter/plan/Completions.h"
#include "rewriter/plan/Plan.h"
#include "rewriter/plan/Together.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <sstream>

namespace rdma::test {

using namespace std::chrono_literals;

FixTally FixesSeen;

namespace {

/// Nothing is set aside, such as a lock word that is taken by a value which is not known.
const PlanOptions Whole{.Unproved = true};

bool isClean(const Program &P, Model M) { return toRepair(P, judge(P, M), Whole).empty(); }

/// The final values of the original's own locations; nothing when there was no time.
std::optional<std::set<explorer::Outcome>> outcomes(const Program &Original, const Program &P, Model M) {
  explorer::Exploration E = explorer::explore(P, M, {.Timeout = 1s, .Unroll = 2});
  if (E.TimedOut || E.Bounded)
    return std::nullopt;
  std::set<explorer::Outcome> Kept;
  for (explorer::Outcome O : E.Outcomes) {
    O.resize(Original.Objects.size());
    Kept.insert(O);
  }
  return Kept;
}

/// Does it wait for a request that has no completion of its own? The wait never ends, unless something later
/// on that queue pair has one: an inserted request, say.
bool awaitsSilence(const Program &P) {
  for (const Thread &T : P.Threads)
    for (const Statement &S : T.Statements)
      if (S.Op.Unsignaled && S.Op.Id != None)
        return true;
  return false;
}

/// The least cost of all choices that leave nothing to repair.
double leastCost(const Program &P, Model M, const std::vector<PlannedEdit> &Choices) {
  double Least = std::numeric_limits<double>::infinity();
  for (unsigned Set = 0; Set < 1u << Choices.size(); ++Set) {
    std::vector<PlannedEdit> Chosen;
    for (unsigned C = 0; C < Choices.size(); ++C)
      if (Set & (1u << C))
        Chosen.push_back(Choices[C]);
    std::vector<double> Costs = costsOf(Chosen);
    double Cost = std::accumulate(Costs.begin(), Costs.end(), 0.0);
    if (Cost < Least && isClean(applied(P, Chosen), M))
      Least = Cost;
  }
  return Least;
}

std::optional<std::string> fixIsSound(const Program &P, Model M) {
  constexpr unsigned MostChoices = 10;
  ++FixesSeen.Programs;
  Verdict V = judge(P, M);
  std::vector<Violation> Broken = toRepair(P, V, Whole);
  if (Broken.empty())
    return std::nullopt;
  ++FixesSeen.Broken;
  Plan Found = plan(P, M, Whole);
  std::vector<PlannedEdit> Choices = candidates(P, Broken, Whole);
  bool Few = Choices.size() <= MostChoices;
  double Least = Few ? leastCost(P, M, Choices) : 0;
  if (!Found.Left.empty()) {
    ++FixesSeen.Unfixable;
    if (Few && std::isfinite(Least))
      return "left unfixed, but a choice of cost " + std::to_string(Least) + " fixes it";
    // An insertion takes no order away: what all of them together leave, each choice leaves.
    if (!Few && isClean(applied(P, Choices), M))
      return "left unfixed, but all insertions together fix it";
    ++FixesSeen.Confirmed;
  }
  if (std::abs(Found.LowerBound - Found.cost()) > 1e-6)
    return "not proven cheapest";
  if (Found.cost() > Found.Naive + 1e-6)
    return "cost " + std::to_string(Found.cost()) + ", and everything in order where it stands costs " +
           std::to_string(Found.Naive);
  Program Fixed = applied(P, Found.Edits);
  if (std::string Taken = takenFromProgram(P, Fixed); !Taken.empty())
    return Taken;
  if (Found.Left.empty()) {
    ++FixesSeen.Fixed;
    FixesSeen.Cost += Found.cost();
    FixesSeen.Naive += Found.Naive;
    FixesSeen.Combined += Found.Rounds > 1;
    if (!decide(Fixed, M).robust())
      return "the fixed program is not robust";
    FixesSeen.Compared += Few;
    if (Few && std::abs(Least - Found.cost()) > 1e-6)
      return "cost " + std::to_string(Found.cost()) + ", but " + std::to_string(Least) + " is enough";
    explorer::Robustness R = explorer::checkRobust(Fixed, M, {.Timeout = 1s, .Unroll = 2});
    FixesSeen.Explored += R.Robust.has_value();
    if (R.Robust == false)
      return "the explorer finds an execution of the fixed program that is not sequentially consistent";
  }
  auto Before = outcomes(P, P, Model::Sc), After = outcomes(P, Fixed, Model::Sc);
  if (!Before || !After || *Before == *After)
    return std::nullopt;
  if (!std::includes(After->begin(), After->end(), Before->begin(), Before->end()))
    return "the fixed program does not end where the original did";
  return awaitsSilence(P) ? std::nullopt : std::optional<std::string>("the fixed program has other outcomes");
}

} // namespace

std::optional<std::string> fixIsSound(const RandomProgram &Random) {
  Program P = Random.parse();
  for (Model M : {Model::RdmaTso, Model::RdmaSc})
    if (auto Wrong = fixIsSound(P, M))
      return *Wrong + " (" + std::string(name(M)) + ")";
  return std::nullopt;
}

std::string describe(const FixTally &T) {
  std::ostringstream Out;
  Out << "  " << T.Programs << " programs, " << T.Broken << " of them not robust\n"
      << "  " << T.Fixed << " fixed, " << T.Explored << " of these explored in full\n"
      << "  " << T.Unfixable << " that no insertion fixes, " << T.Confirmed
      << " of these confirmed by all choices\n"
      << "  " << T.Compared << " as cheap as the best of all choices\n"
      << "  " << T.Combined << " plans of several rounds\n"
      << "  cost " << T.Cost << ", waiting for everything " << T.Naive << "\n";
  return Out.str();
}

} // namespace rdma::test
