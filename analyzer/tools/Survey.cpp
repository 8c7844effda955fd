#include "analyzer/tools/Survey.h"

#include "analyzer/tools/Inputs.h"
#include "analyzer/tools/Parallel.h"
#include "analyzer/tools/Report.h"

#include <algorithm>
#include <mutex>
#include <set>

namespace rdma {
namespace {

struct Result {
  std::optional<Report> Said;
  std::exception_ptr Failed;
};

Result surveyOne(const Options &O, const Unit &U) {
  Result R;
  try {
    R.Said = report(readInputs(optionsFor(O, U)), O.CpuModel);
  } catch (...) {
    R.Failed = std::current_exception();
  }
  return R;
}

std::vector<Result> surveyAll(const Options &O, const std::vector<Unit> &Units, unsigned Threads,
                              const OnProgress &Progress) {
  std::vector<Result> Results(Units.size());
  std::mutex Speaking;
  inParallel(Threads, Units.size(), [&](std::size_t I) {
    if (Progress) {
      std::lock_guard Alone(Speaking);
      Progress(I + 1, Units[I]);
    }
    Results[I] = surveyOne(O, Units[I]);
  });
  return Results;
}

/// Sources that several programs share would repeat their findings.
std::string keyOf(const Finding &F) {
  std::string Key = F.Check + F.Main.Text;
  auto Add = [&](const Place &At) {
    Key += "\n" + At.File + ":" + std::to_string(At.Line) + ":" + std::to_string(At.Column);
  };
  Add(F.Main.At);
  if (!F.Notes.empty())
    Add(F.Notes.front().At);
  return Key;
}

void add(Summary &All, const Summary &One) {
  All.Operations += One.Operations;
  All.QueuePairs += One.QueuePairs;
  All.PairsOrdered += One.PairsOrdered;
  All.PairsNotOrdered += One.PairsNotOrdered;
  All.PairsNotProved += One.PairsNotProved;
  All.SitesNotAnalysed += One.SitesNotAnalysed;
  All.Robust &= One.Robust;
  All.Asked &= One.Asked;
}

void add(Verdict &All, const Verdict &One) {
  All.Ldrf &= One.Ldrf;
  All.Atomics &= One.Atomics;
  All.Fenced &= One.Fenced;
  All.TreeFenced &= One.TreeFenced;
  All.Cycles &= One.Cycles;
}

std::string messageOf(const std::exception_ptr &Failed) {
  try {
    std::rethrow_exception(Failed);
  } catch (const std::exception &E) {
    return errorLine("rdma-tidy", E.what());
  }
}

} // namespace

Survey survey(const Options &O, const std::vector<Unit> &Units, unsigned Threads,
              const OnProgress &Progress) {
  std::vector<Result> Results = surveyAll(O, Units, Threads, Progress);
  if (Units.size() == 1 && Results.front().Failed)
    std::rethrow_exception(Results.front().Failed);
  Survey A;
  A.Sum.Model = name(O.CpuModel);
  bool First = true;
  std::vector<std::string> Failures;
  std::set<std::string> Seen;
  for (unsigned I = 0; I < Units.size(); ++I) {
    Result &R = Results[I];
    if (R.Failed) {
      Failures.push_back(messageOf(R.Failed));
      A.Units.push_back({Units[I], std::nullopt, Failures.back()});
      continue;
    }
    A.Units.push_back({Units[I], std::move(R.Said->Code), ""});
    if (First) {
      A.Decided = std::move(R.Said->Decided);
      A.Sum = R.Said->Sum;
    } else {
      add(A.Decided, R.Said->Decided);
      add(A.Sum, R.Said->Sum);
    }
    First = false;
    for (Finding &F : R.Said->Findings)
      if (Units.size() == 1 || Seen.insert(keyOf(F)).second) {
        A.Findings.push_back(std::move(F));
        A.UnitOf.push_back(I);
      }
  }
  if (std::any_of(A.Units.begin(), A.Units.end(), [](auto &U) { return !U.Code || !U.Of.LeftOut.empty(); }))
    A.Sum.Robust = false;
  A.Sum.FailedPrograms = std::move(Failures);
  return A;
}

} // namespace rdma
