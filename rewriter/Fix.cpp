#include "rewriter/Fix.h"

#include "analyzer/report/Places.h"
#include "analyzer/tools/Inputs.h"
#include "ir/Litmus.h"
#include "rewriter/plan/Completions.h"
#include "rewriter/source/SourceEditor.h"

#include <algorithm>
#include <chrono>

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
      if (Planned.Edits.empty())
        return;
      // All of it when it does what was planned; else what helps by itself, one after the other.
      if (!attempt(Planned.Edits, Planned.Left.size()) && !attemptEach(Planned.Edits))
        continue;
      Excluded.clear();
    }
  }

private:
  /// Every attempt compiles and analyses the program anew.
  bool isOutOfTime() {
    std::chrono::duration<double> Time = std::chrono::steady_clock::now() - Begin;
    if (Time.count() < Planning.TimeLimit)
      return false;
    F.Reasons.insert("more: the time is over (--time-limit)");
    return true;
  }

  /// Only what the source offers a place for, and what did not fail there.
  Plan planEditable() {
    SourceEditor Editor(extractionOptions(O, F.After));
    PlanOptions Wanted = Planning;
    Wanted.Junctions = false;
    Wanted.Known = &F.Result;
    Wanted.Editable = [&](const PlannedEdit &E) {
      auto Same = [&](const PlannedEdit &X) {
        return X.What == E.What && X.At == E.At && X.How == E.How && X.Why.First == E.Why.First &&
               X.Why.Second == E.Why.Second;
      };
      if (std::any_of(Excluded.begin(), Excluded.end(), Same))
        return false;
      if (Editor.canAdd(F.Fixed, E, Why))
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
      if (attempt({E}, Open - 1))
        return true;
      Excluded.push_back(E);
      F.Reasons.insert(describe(F.Fixed, E) + ": " + Why);
    }
    return false;
  }

  /// Keeps the edits if the edited program compiles and has at most MaxOpen violations left.
  bool attempt(const std::vector<PlannedEdit> &Edits, std::size_t MaxOpen) {
    SourceEditor Editor(extractionOptions(O, F.After));
    for (const PlannedEdit &E : Edits)
      if (!Editor.add(F.Fixed, E, Why))
        return false;
    FileContents After = F.After;
    for (auto &[Name, Text] : Editor.result())
      After[Name] = std::move(Text);
    if (After == F.After)
      return false;
    try {
      Program Edited = readInputs(O, After);
      Verdict Result = decide(Edited, O.CpuModel);
      if (Why = takenFromProgram(F.Code, Edited); !Why.empty())
        return false;
      Why = "the edited source is still not in order";
      if (toRepair(Edited, Result).size() > MaxOpen)
        return false;
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
  }

  const Options &O;
  const PlanOptions &Planning;
  Fix &F;
  const std::chrono::steady_clock::time_point Begin = std::chrono::steady_clock::now();
  std::vector<PlannedEdit> Excluded; ///< of F.Fixed: tried in the source, without success
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
