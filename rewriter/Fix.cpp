#include "rewriter/Fix.h"

#include "analyzer/core/Reasons.h"
#include "analyzer/report/Places.h"
#include "analyzer/tools/Inputs.h"
#include "ir/Litmus.h"
#include "rewriter/Comments.h"
#include "rewriter/Reading.h"
#include "rewriter/plan/Completions.h"
#include "rewriter/plan/Instead.h"
#include "rewriter/plan/RefusalTexts.h"
#include "rewriter/plan/Together.h"
#include "rewriter/source/SourceEditor.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>

namespace rdma {
namespace {

Place placeOf(const Program &P, const PlannedEdit &E) {
  const Site &At = P.Threads[E.Why.Second.Thread].Statements[E.At].Where;
  auto [Earlier, Later] = placesOf(P, E);
  if (E.How == PlannedEdit::Stand::Before || E.How == PlannedEdit::Stand::Unrolled ||
      (E.How == PlannedEdit::Stand::Entering && !At.known()))
    return Later;
  if (E.How == PlannedEdit::Stand::BehindCall)
    return Earlier;
  return At.known() ? At.Chain.front() : Later;
}

std::string fromTo(const Place &Earlier, const Place &Later) {
  auto At = [](const Place &P) { return P.File + ":" + std::to_string(P.Line); };
  return !Earlier.Line || !Later.Line
             ? ""
             : (At(Earlier) == At(Later) ? "at " : "from " + At(Earlier) + " to ") + At(Later);
}

std::vector<MadeEdit> told(const Program &P, const std::vector<PlannedEdit> &Edits) {
  std::vector<double> Costs = costsOf(Edits);
  std::vector<bool> Joins(Edits.size());
  for (const std::vector<unsigned> &Call : together(Edits))
    for (unsigned E : Call)
      Joins[E] = E != Call.front();
  std::vector<MadeEdit> Made;
  for (std::size_t E = 0; E < Edits.size(); ++E)
    Made.push_back({placeOf(P, Edits[E]), describe(P, Edits[E], Joins[E]), Costs[E], {}});
  return Made;
}

/// Edits the sources in rounds. An edit stands at a statement of the source, a planned remedy at one of the
/// extracted program; so every round is judged by analysing what it wrote, and taken back when that shows no
/// gain.
class SourceFixer {
public:
  SourceFixer(const Options &O, const PlanOptions &Planning, const Selection &Shown, Fix &F)
      : O(O), Planning(Planning), Shown(Shown), F(F) {}

  void run() {
    constexpr unsigned MaxRounds = 64;
    for (unsigned Round = 0; Round < MaxRounds && countOpen() && mayTryMore(); ++Round) {
      Plan Planned = planEditable();
      if (Round == 0)
        F.note(Planned);
      if (advance(Planned))
        forgetFailures();
      else if (Planned.Edits.empty())
        break;
    }
    takeBackUseless();
  }

private:
  /// All of the plan when it does what was planned; else what of it does so by itself. When there is nothing
  /// more to plan, what helped at least a little.
  bool advance(const Plan &Planned) {
    if (Planned.Edits.empty())
      return attemptPartial();
    return attemptFewer(Planned.Edits, Planned.Left.size()) || attempt(Planned.Edits, Planned.Left.size()) ||
           attemptEach(Planned.Edits);
  }

  /// In the source an edit may order more than where it stands in the program: a wait before a loop is also
  /// passed where the loop is not entered. Of few edits, all but one that costs the most may be enough.
  bool attemptFewer(const std::vector<PlannedEdit> &Edits, std::size_t MaxOpen) {
    constexpr std::size_t Few = 4; // each try compiles and analyses the program
    if (Edits.size() < 2 || Edits.size() > Few)
      return false;
    const unsigned Before = Failures;
    const auto Dearest = std::max_element(Edits.begin(), Edits.end(),
                                          [](const auto &A, const auto &B) { return A.Cost < B.Cost; });
    std::vector<PlannedEdit> Others = Edits;
    Others.erase(Others.begin() + (Dearest - Edits.begin()));
    const bool Enough = attempt(Others, MaxOpen);
    Failures = Before;
    F.Spared |= Enough;
    return Enough;
  }

  /// What is left to be repaired, as it is told.
  std::size_t countTold(const Report &In) const {
    return shownIn(In, Severity::Warning).size() + (Planning.Unproved ? In.Sum.PairsNotProved : 0);
  }

  /// The last edits, behind which all findings are still there: what else they order, nobody asked for.
  void takeBackUseless() {
    if (!Useful)
      return;
    F.Made = std::move(Useful->Made);
    F.Before = std::move(Useful->Before);
    F.After = std::move(Useful->After);
    F.Now = std::move(Useful->Now);
    // Why there was no more to try holds of what is left, too; the rest is about places of the edited source.
    if (!Useful->Refused.empty())
      std::erase_if(F.Refused, [](const auto &Of) { return !Of.first.first.empty(); });
    F.Refused.merge(Useful->Refused);
  }

  /// They were of the program before the last edit.
  void forgetFailures() {
    Excluded.clear();
    Partial.clear();
  }

  /// Every attempt compiles and analyses the program anew, so what the plan says and the source does not bear
  /// out must end soon.
  bool mayTryMore() {
    constexpr unsigned MostFailures = 8;
    std::chrono::duration<double> Time = std::chrono::steady_clock::now() - Begin;
    if (Failures >= MostFailures)
      F.refuse(refusals::TriedEnough(std::to_string(Failures)));
    else if (Time.count() >= Planning.TimeLimit)
      F.refuse(refusals::TimeOver());
    else
      return true;
    return false;
  }

  PlanOptions wanted(const Report &In) const {
    PlanOptions Wanted = Planning;
    Wanted.Wanted = wantedIn(In);
    return Wanted;
  }
  std::size_t countOpen(const Report &In) const { return toRepair(In.Code, In.Decided, wanted(In)).size(); }
  std::size_t countOpen() const { return countOpen(F.Now); }

  /// The sources as they are now, each parsed once.
  SourceEditor &editor() {
    if (!Editor)
      Editor = std::make_unique<SourceEditor>(extractionOptions(O, F.After));
    return *Editor;
  }

  /// Only what the source offers a place for, and what did not fail there.
  Plan planEditable() {
    PlanOptions Wanted = wanted(F.Now);
    Wanted.Junctions = false;
    Wanted.Known = &F.Now.Decided;
    Wanted.Rounds = [&](const Violation &V) { return editor().rounds(F.Now.Code, V); };
    Wanted.Stands = [&](const PlannedEdit &E) { return editor().standsAt(F.Now.Code, E); };
    Wanted.Editable = [&](const PlannedEdit &E) {
      auto Same = [&](const PlannedEdit &X) {
        if (PlannedEdit::isBehind(E.How) && E.Leaves && X.Leaves == E.Leaves && X.Why.First == E.Why.First)
          return true; // what counting does not prove ahead of the buffer's use, it does not there
        return X.What == E.What && X.At == E.At && X.How == E.How && X.Level == E.Level &&
               X.Counts == E.Counts && X.Leaves == E.Leaves && X.OnAll == E.OnAll &&
               X.Why.First == E.Why.First && X.Why.Second == E.Why.Second;
      };
      if (std::any_of(Excluded.begin(), Excluded.end(), Same))
        return false;
      if (editor().canAdd(F.Now.Code, E, Why))
        return true;
      // A poll of the program needs no name for the queue pair.
      std::string Unwritten = Why;
      if (withOwnPolls(E, 1))
        return true;
      Why = Unwritten;
      F.refuse(Why, E);
      return false;
    };
    return plan(F.Now.Code, O.CpuModel, Wanted);
  }

  std::size_t expectedOpen(const PlannedEdit &E) const {
    Program Planned = applied(F.Now.Code, {E});
    return toRepair(Planned, judge(Planned, O.CpuModel), wanted(F.Now)).size();
  }

  /// A wait for all but some comes first: how many may be left is a guess, and what stands beside it may not
  /// be the cheapest without it.
  bool attemptEach(std::vector<PlannedEdit> Edits) {
    std::size_t Open = countOpen();
    const auto Certain =
        std::stable_partition(Edits.begin(), Edits.end(), [](const PlannedEdit &E) { return E.Leaves; });
    for (auto E = Edits.begin(); E != Edits.end(); ++E) {
      if (!mayTryMore() || (E == Certain && E != Edits.begin()))
        return false;
      // A single one was the whole plan.
      if (Edits.size() > 1 && attempt({*E}, std::min(expectedOpen(*E), Open - 1)))
        return true;
      if (StillOpen < Open)
        Partial.push_back(*E);
      Excluded.push_back(*E);
      F.refuse(Why, *E);
    }
    return false;
  }

  /// One that does less than was planned, but something.
  bool attemptPartial() {
    std::size_t Open = countOpen();
    return std::any_of(Partial.begin(), Partial.end(),
                       [&](const PlannedEdit &E) { return mayTryMore() && attempt({E}, Open - 1); });
  }

  /// The sources with these edits; nothing when they do not change, or one cannot be made.
  std::optional<FileContents> edited(const std::vector<PlannedEdit> &Edits) {
    editor().clear();
    for (const PlannedEdit &E : Edits)
      if (!editor().add(F.Now.Code, E, Why))
        return std::nullopt;
    FileContents After = F.After;
    for (auto &[Name, Text] : editor().result())
      After[Name] = std::move(Text);
    return After == F.After ? std::nullopt : std::optional(std::move(After));
  }

  /// With requests that take their bytes along in the place of waits, or the program's own polls that stand
  /// behind them, as few of these as will do; else as planned.
  bool attempt(const std::vector<PlannedEdit> &Edits, std::size_t MaxOpen) {
    constexpr unsigned MostPolls = 3;
    std::vector<PlannedEdit> Inlined = Edits;
    bool Inlines = false;
    for (PlannedEdit &E : Inlined)
      Inlines |= inlines(E, Edits, &E - Inlined.data());
    unsigned Before = Failures;
    StillOpen = countOpen();
    bool Moves = true;
    for (unsigned Polls = 1; Moves && Polls <= MostPolls; ++Polls) {
      std::vector<PlannedEdit> Moved = Inlined;
      Moves = false;
      for (PlannedEdit &E : Moved)
        if (auto Own = withOwnPolls(E, Polls)) {
          E = *Own;
          Moves = true;
        }
      if ((Moves || (Inlines && Polls == 1)) && keep(Moved, MaxOpen))
        return true;
    }
    Failures = Before;
    return keep(Edits, MaxOpen) || attemptKept(Edits, MaxOpen);
  }

  /// With the queue pairs kept in variables, where the waits behind their posts were not enough, or not known
  /// to be: where it is not known which one is posted to, its WRITE may change what the wait would find it
  /// by.
  bool attemptKept(std::vector<PlannedEdit> Edits, std::size_t MaxOpen) {
    bool Keeps = false;
    const auto WhyNotBehind = Why;
    const bool NotKnown = Why == refusals::NotProved();
    for (PlannedEdit &E : Edits) {
      E.Keeps = (E.What == Remedy::Poll || E.What == Remedy::PolledGet) && PlannedEdit::isBehind(E.How);
      E.Keeps = E.Keeps && editor().canAdd(F.Now.Code, E, Why);
      Keeps |= E.Keeps;
    }
    if (!Keeps || (StillOpen <= MaxOpen && !NotKnown)) {
      Why = WhyNotBehind;
      return false;
    }
    --Failures; // the same once more
    if (keep(Edits, MaxOpen))
      return true;
    if (NotKnown)
      Why = WhyNotBehind;
    return false;
  }

  std::optional<PlannedEdit> withOwnPolls(const PlannedEdit &E, unsigned Count) {
    PlannedEdit Own = E;
    Own.OwnPolls = Count;
    Own.Cost = 0;
    using enum PlannedEdit::Stand;
    bool IsAhead = E.How == Before || E.How == Entering || E.How == Unrolled;
    bool IsWait = E.What == Remedy::Poll && IsAhead && !E.Counts;
    return IsWait && E.Inlined.empty() && editor().canAdd(F.Now.Code, Own, Why) ? std::optional(Own)
                                                                                : std::nullopt;
  }

  bool inlines(PlannedEdit &E, const std::vector<PlannedEdit> &Edits, std::size_t Index) {
    constexpr std::size_t MostTried = 16; // each takes the conditions a few times
    if (Edits.size() > MostTried || E.What != Remedy::Poll)
      return false;
    PlannedEdit Inlined = E;
    Inlined.Inlined = inlinedInsteadOf(F.Now.Code, O.CpuModel, wanted(F.Now), Edits, Index);
    Inlined.Cost = E.Cost * Planning.Prices.RemoteFence / Planning.Prices.of(E.What);
    if (Inlined.Inlined.empty() || !editor().canAdd(F.Now.Code, Inlined, Why))
      return false;
    E = Inlined;
    return true;
  }

  /// Keeps the edits if the edited program compiles, finds all its completions, and has at most MaxOpen
  /// violations left.
  bool keep(const std::vector<PlannedEdit> &Edits, std::size_t MaxOpen) {
    std::optional<FileContents> After = edited(Edits);
    if (!After)
      return false;
    try {
      Report Now = reading(O, Shown, *After);
      Why = against(Now, MaxOpen);
      if (Why.empty()) {
        accept(Edits, std::move(*After), std::move(Now));
        return true;
      }
    } catch (const InputError &E) {
      Why = refusals::NotCompiled(E.what());
    }
    ++Failures;
    return false;
  }

  /// Why the edited program is no gain; empty when it is one.
  std::string against(const Report &Edited, std::size_t MaxOpen) {
    if (std::string Taken = takenFromProgram(F.Code, Edited.Code); !Taken.empty())
      return Taken;
    StillOpen = countOpen(Edited);
    if (StillOpen > MaxOpen)
      return refusals::NotInOrder();
    // A pair is not in order because the edit makes the analysis lose it.
    std::size_t Gained = countOpen() - std::min(StillOpen, countOpen());
    if (Edited.Sum.PairsNotProved > F.Now.Sum.PairsNotProved &&
        Edited.Sum.PairsNotProved + Edited.Sum.PairsNotOrdered + Gained >
            F.Now.Sum.PairsNotProved + F.Now.Sum.PairsNotOrdered)
      return refusals::NotProved();
    return {};
  }

  void accept(const std::vector<PlannedEdit> &Edits, FileContents After, Report Now) {
    constexpr std::size_t MostTold = 16; // each takes the conditions a few times
    if (countTold(Now) < countTold(Useful ? Useful->Now : F.Now))
      Useful.reset();
    else if (!Useful)
      Useful = F;
    std::vector<MadeEdit> Made = told(F.Now.Code, Edits);
    for (std::size_t E = 0; E < Edits.size() && Edits.size() <= MostTold; ++E)
      Made[E].Instead = insteadOf(F.Now.Code, O.CpuModel, wanted(F.Now), Edits, E);
    F.Made.insert(F.Made.end(), Made.begin(), Made.end());
    for (const auto &[Name, Text] : After)
      if (!F.Before.contains(Name))
        F.Before[Name] = readFile(Name);
    F.After = std::move(After);
    F.Now = std::move(Now);
    F.Refused.clear();
    Editor = nullptr;
  }

  const Options &O;
  const PlanOptions &Planning;
  const Selection &Shown;
  Fix &F;
  const std::chrono::steady_clock::time_point Begin = std::chrono::steady_clock::now();
  std::unique_ptr<SourceEditor> Editor;
  unsigned Failures = 0;
  std::size_t StillOpen = 0;         ///< after the last attempt that could be analysed
  std::vector<PlannedEdit> Excluded; ///< of F.Now: tried in the source, without success
  std::vector<PlannedEdit> Partial;  ///< those of them that helped a little
  std::optional<Fix> Useful;         ///< where no finding is gone since
  std::string Why;
};

void fixLitmus(const Options &O, const PlanOptions &Planning, const Selection &Shown, Fix &F) {
  const std::string &Name = O.Files.front();
  LitmusTest Test = readLitmus(Name);
  PlanOptions Wanted = Planning;
  Wanted.Wanted = wantedIn(F.Now);
  Wanted.Known = &F.Now.Decided;
  Plan Planned = plan(F.Code, O.CpuModel, Wanted);
  F.note(Planned);
  if (Planned.Edits.empty())
    return;
  Test.Code = applied(F.Code, Planned.Edits);
  if (std::string Taken = takenFromProgram(F.Code, Test.Code); !Taken.empty()) {
    F.refuse(Taken);
    return;
  }
  F.Made = told(F.Code, Planned.Edits);
  F.Before[Name] = readFile(Name);
  F.After[Name] = withCommentsOf(F.Before[Name], writeLitmus(Test));
  F.Now = reading(O, Shown, F.After);
}

} // namespace

void Fix::note(const Plan &P) {
  PlannedCost = P.cost();
  LowerBound = P.LowerBound;
  Naive = P.Naive;
}

void Fix::refuse(const std::string &Why, const PlannedEdit &E) {
  auto [Earlier, Later] = placesOf(Now.Code, E);
  Reasons[Why].insert(describe(Now.Code, E));
  Refused[{fromTo(Earlier, Later), Why}].insert(describe(Now.Code, E));
}

void Fix::refuse(const std::string &Why) {
  Reasons[Why].insert("more");
  Refused[{"", Why}].insert("more");
}

Fix fix(const Options &O, const PlanOptions &Planning, const Selection &Shown) {
  Fix F;
  F.Now = F.Was = reading(O, Shown);
  F.Code = F.Now.Code;
  F.Findings = shownIn(F.Now, Severity::Warning).size();
  PlanOptions Wanted = Planning;
  Wanted.Wanted = wantedIn(F.Now);
  F.Found = toRepair(F.Code, F.Now.Decided, Wanted);
  if (isLitmus(O.Files.front()))
    fixLitmus(O, Planning, Shown, F);
  else
    SourceFixer(O, Planning, Shown, F).run();
  return F;
}

Fix fix(const Options &O, const PlanOptions &Planning) {
  return fix(O, Planning, Selection{O.Checks, "", Filters(O.Files, std::nullopt, std::nullopt, {})});
}

} // namespace rdma
