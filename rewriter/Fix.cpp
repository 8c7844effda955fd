#include "rewriter/Fix.h"

#include "analyzer/tools/Inputs.h"
#include "ir/Litmus.h"
#include "rewriter/source/SourceEditor.h"

namespace rdma {
namespace {

/// Plans and edits once, on top of what earlier rounds have edited. Edits without a place in the source are
/// planned around. True when some file changed.
bool editSources(const Options &O, const Program &P, Fix &F) {
  std::vector<PlannedEdit> Excluded;
  while (true) {
    Plan Planned = plan(P, O.CpuModel, Excluded);
    SourceEditor Editor(extractionOptions(O, F.After));
    std::size_t Refused = Excluded.size();
    for (const PlannedEdit &E : Planned.Edits)
      if (std::string Why; !Editor.add(P, E, Why)) {
        F.Reasons.push_back(describe(P, E) + ": " + Why);
        Excluded.push_back(E);
      }
    if (Excluded.size() > Refused)
      continue;
    if (F.Edits.empty())
      F.Edits = Planned.Edits;
    FileContents Edited = Editor.result();
    for (auto &[Name, Text] : Edited) {
      F.Before.try_emplace(Name, readFile(Name));
      F.After[Name] = std::move(Text);
    }
    return !Edited.empty();
  }
}

void fixSources(const Options &O, Fix &F) {
  F.Fixed = F.Code;
  F.Result = decide(F.Fixed, O.CpuModel);
  // An edit stands at a statement of the source, a planned remedy at one of the extracted program; where that
  // makes a difference the next round sees it.
  constexpr unsigned MaxRounds = 4;
  for (unsigned Round = 0; Round < MaxRounds && !toRepair(F.Result).empty(); ++Round) {
    if (!editSources(O, F.Fixed, F))
      return;
    F.Fixed = readInputs(O, F.After);
    F.Result = decide(F.Fixed, O.CpuModel);
  }
}

void fixLitmus(const Options &O, Fix &F) {
  const std::string &Name = O.Files.front();
  LitmusTest Test = readLitmus(Name);
  Plan Planned = plan(F.Code, O.CpuModel);
  F.Edits = Planned.Edits;
  F.Fixed = applied(F.Code, Planned.Edits);
  F.Result = decide(F.Fixed, O.CpuModel);
  if (F.Edits.empty())
    return;
  F.Before[Name] = writeLitmus(Test);
  Test.Code = F.Fixed;
  F.After[Name] = writeLitmus(Test);
}

} // namespace

Fix fix(const Options &O) {
  Fix F;
  F.Code = readInputs(O);
  F.Found = toRepair(decide(F.Code, O.CpuModel));
  if (isLitmus(O.Files.front()))
    fixLitmus(O, F);
  else
    fixSources(O, F);
  return F;
}

} // namespace rdma
