#include "rewriter/Fix.h"

#include "analyzer/report/Places.h"
#include "analyzer/tools/Inputs.h"
#include "ir/Litmus.h"
#include "rewriter/plan/Completions.h"
#include "rewriter/source/SourceEditor.h"

#include <algorithm>
#include <chrono>
#include <memory>

namespace rdma {
namespace {

Place placeOf(const Program &P, const PlannedEdit &E) {
  const Site &At = P.Threads[E.Why.Second.Thread].Statements[E.At].Where;
  auto [Earlier, Later] = placesOf(P, E);
  if (E.How == PlannedEdit::Stand::Before)
    return Later;
  if (E.How == PlannedEdit::Stand::BehindCall)
    return Earlier;
  return At.known() ? At.Chain.front() : Later;
}

/// Edits the sources in rounds. An edit stands at a statement of the source, a planned remedy at one of the
/// extracted program; so every round is judged by analysing what it wrote, and taken back when that shows no
/// gain.
class SourceFixer {
public:
  SourceFixer(const Options &O, const PlanOptions &Planning, Fix &F) : O(O), Planning(Planning), F(F) {}

  void run() {
    constexpr unsigned MaxSteps = 64;
    for (unsigned Step = 0; Step < MaxSteps && !toRepair(F.Fixed, F.Result).empty(); ++Step) {
      if (isOutOfTime())
        return;
      Plan Planned = planEditable();
      if (Step == 0)
        F.note(Planned);
      // All of it when it does what was planned; else what does by itself, one after the other; when there is
      // no more of that, what helps at all.
      if (Planned.Edits.empty()
              ? !attemptPartial()
              : !attempt(Planned.Edits, Planned.Left.size()) && !attemptEach(Planned.Edits)) {
        if (Planned.Edits.empty())
          return;
        continue;
      }
      Excluded.clear();
      Partial.clear();
    }
  }

private:
  /// Every attempt compiles and analyses the program anew, so what the plan says and the source does not bear
  /// out must end soon.
  bool isOutOfTime() {
    constexpr unsigned MostFailures = 8;
    std::chrono::duration<double> Time = std::chrono::steady_clock::now() - Begin;
    if (Failures < MostFailures && Time.count() < Planning.TimeLimit)
      return false;
    F.Reasons.insert(Failures < MostFailures
                         ? "more: the time is over (--time-limit)"
                         : "more: " + std::to_string(Failures) + " edits were tried without success");
    return true;
  }

  /// The sources as they are now, each parsed once.
  SourceEditor &editor() {
    if (!Editor)
      Editor = std::make_unique<SourceEditor>(extractionOptions(O, F.After));
    return *Editor;
  }

  /// Only what the source offers a place for, and what did not fail there.
  Plan planEditable() {
    PlanOptions Wanted = Planning;
    Wanted.Junctions = false;
    Wanted.Known = &F.Result;
    Wanted.Editable = [&](const PlannedEdit &E) {
      auto Same = [&](const PlannedEdit &X) {
        return X.What == E.What && X.At == E.At && X.How == E.How && X.Level == E.Level &&
               X.Why.First == E.Why.First && X.Why.Second == E.Why.Second;
      };
      if (std::any_of(Excluded.begin(), Excluded.end(), Same))
        return false;
      if (editor().canAdd(F.Fixed, E, Why))
        return true;
      F.Reasons.insert(describe(F.Fixed, E) + ": " + Why);
      return false;
    };
    return plan(F.Fixed, O.CpuModel, Wanted);
  }

  bool attemptEach(const std::vector<PlannedEdit> &Edits) {
    std::size_t Open = toRepair(F.Fixed, F.Result).size();
    for (const PlannedEdit &E : Edits) {
      if (isOutOfTime())
        return false;
      Program Planned = applied(F.Fixed, {E});
      std::size_t Expected = toRepair(Planned, decide(Planned, O.CpuModel)).size();
      StillOpen = Open;
      if (attempt({E}, std::min(Expected, Open - 1)))
        return true;
      if (StillOpen < Open)
        Partial.push_back(E);
      Excluded.push_back(E);
      F.Reasons.insert(describe(F.Fixed, E) + ": " + Why);
    }
    return false;
  }

  /// One that does less than was planned, but something.
  bool attemptPartial() {
    std::size_t Open = toRepair(F.Fixed, F.Result).size();
    return std::any_of(Partial.begin(), Partial.end(),
                       [&](const PlannedEdit &E) { return !isOutOfTime() && attempt({E}, Open - 1); });
  }

  /// Keeps the edits if the edited program compiles and has at most MaxOpen violations left.
  bool attempt(const std::vector<PlannedEdit> &Edits, std::size_t MaxOpen) {
    editor().clear();
    for (const PlannedEdit &E : Edits)
      if (!editor().add(F.Fixed, E, Why))
        return false;
    FileContents After = F.After;
    for (auto &[Name, Text] : editor().result())
      After[Name] = std::move(Text);
    if (After == F.After)
      return false;
    ++Failures;
    try {
      Program Edited = readInputs(O, After);
      Verdict Result = decide(Edited, O.CpuModel);
      if (Why = takenFromProgram(F.Code, Edited); !Why.empty())
        return false;
      Why = "the edited source is still not in order";
      StillOpen = toRepair(Edited, Result).size();
      if (StillOpen > MaxOpen)
        return false;
      --Failures;
      accept(Edits, std::move(After), std::move(Edited), std::move(Result));
      return true;
    } catch (const InputError &E) {
      Why = std::string("the edited source would not compile: ") + E.what();
      return false;
    }
  }

  void accept(const std::vector<PlannedEdit> &Edits, FileContents After, Program Edited, Verdict Result) {
    for (const PlannedEdit &E : Edits)
      F.Made.push_back({placeOf(F.Fixed, E), describe(F.Fixed, E), E.Cost});
    for (const auto &[Name, Text] : After)
      if (!F.Before.contains(Name))
        F.Before[Name] = readFile(Name);
    F.After = std::move(After);
    F.Fixed = std::move(Edited);
    F.Result = std::move(Result);
    Editor = nullptr;
  }

  const Options &O;
  const PlanOptions &Planning;
  Fix &F;
  const std::chrono::steady_clock::time_point Begin = std::chrono::steady_clock::now();
  std::unique_ptr<SourceEditor> Editor;
  unsigned Failures = 0;
  std::size_t StillOpen = 0;         ///< after the last attempt that could be analysed
  std::vector<PlannedEdit> Excluded; ///< of F.Fixed: tried in the source, without success
  std::vector<PlannedEdit> Partial;  ///< those of them that helped a little
  std::string Why;
};

void fixLitmus(const Options &O, const PlanOptions &Planning, Fix &F) {
  const std::string &Name = O.Files.front();
  LitmusTest Test = readLitmus(Name);
  PlanOptions Wanted = Planning;
  Wanted.Known = &F.Result;
  Plan Planned = plan(F.Code, O.CpuModel, Wanted);
  F.note(Planned);
  for (const PlannedEdit &E : Planned.Edits)
    F.Made.push_back({placeOf(F.Code, E), describe(F.Code, E), E.Cost});
  F.Fixed = applied(F.Code, Planned.Edits);
  F.Result = std::move(Planned.Result);
  if (std::string Taken = takenFromProgram(F.Code, F.Fixed); !Taken.empty()) {
    F.Reasons.insert(Taken);
    F.Made.clear();
    F.Fixed = F.Code;
    F.Result = decide(F.Fixed, O.CpuModel);
  }
  if (F.Made.empty())
    return;
  F.Before[Name] = readFile(Name);
  Test.Code = F.Fixed;
  F.After[Name] = writeLitmus(Test);
}

} // namespace

void Fix::note(const Plan &P) {
  PlannedCost = P.cost();
  LowerBound = P.LowerBound;
  Naive = P.Naive;
}

Fix fix(const Options &O, const PlanOptions &Planning) {
  Fix F;
  F.Code = readInputs(O);
  F.Fixed = F.Code;
  F.Result = decide(F.Code, O.CpuModel);
  F.Found = toRepair(F.Code, F.Result);
  if (isLitmus(O.Files.front()))
    fixLitmus(O, Planning, F);
  else
    SourceFixer(O, Planning, F).run();
  return F;
}

} // namespace rdma
