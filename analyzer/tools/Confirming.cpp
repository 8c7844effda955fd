#include "analyzer/tools/Confirming.h"

#include "analyzer/confirm/Confirm.h"
#include "analyzer/tools/WitnessFormats.h"

namespace rdma {
namespace {

using Clock = std::chrono::steady_clock;

std::string dotOf(const Finding &F, Program Part, const explorer::Witness &W, SourceLines &Sources) {
  const Place &At = F.Main.At;
  Part.Name = At.File + ":" + std::to_string(At.Line) + ":" + std::to_string(At.Column) + ": " + F.Check;
  return asDot(Part, W, Sources);
}

/// The finding has chosen the call levels that tell most.
void takePlaces(Drawing &D, const Finding &F) {
  Timeline &Run = D.Run;
  const Confirmation &C = *F.Shown;
  if (D.Cycle.Nodes.size() > 1 && !F.Notes.empty()) { // the pair comes first
    D.Cycle.Nodes[0].At = F.Notes.front().At;
    D.Cycle.Nodes[1].At = F.Main.At;
  }
  for (std::size_t I = 0; I < Run.Steps.size() && I < C.Execution.size(); ++I)
    Run.Steps[I].At = C.Execution[I].At;
}

class Looker {
public:
  Looker(Survey &A, const Options &O, const TidyOptions &T, std::string *Dots)
      : A(A), O(O), T(T), Dots(Dots), Begin(Clock::now()) {}

  std::map<std::size_t, Drawing> run() {
    for (unsigned Unit = 0; Unit < A.Units.size(); ++Unit)
      if (A.Units[Unit].Code)
        lookIn(Unit);
    return std::move(Drawings);
  }

private:
  void lookIn(unsigned Unit) {
    const Program &P = *A.Units[Unit].Code;
    std::vector<std::size_t> Which;
    std::vector<Finding> Asked;
    for (std::size_t I = 0; I < A.UnitOf.size(); ++I)
      if (A.UnitOf[I] == Unit && A.Findings[I].Hidden == Hiding::Shown && !A.Findings[I].Causes.empty()) {
        Which.push_back(I);
        Asked.push_back(A.Findings[I]);
        Drawings[I].Cycle = cycleOf(P, Asked.back().Causes.front());
      }
    if (Asked.empty())
      return;
    SourceLines Sources({});
    auto Draw = [&](const Finding &F, const Program &Part, const explorer::Witness &W) {
      std::size_t I = Which.at(&F - Asked.data());
      Drawings[I] = {cycleOf(Part, W), timeline(Part, W)};
      if (Dots)
        *Dots += dotOf(F, Part, W, Sources);
    };
    confirm(Asked, P, O.CpuModel, A.Units.size() == 1 ? T.Limits : T.Limits.since(Begin),
            !isLitmus(O.Files.empty() ? "" : O.Files.front()), Draw);
    for (std::size_t I = 0; I < Which.size(); ++I) {
      A.Findings[Which[I]].Shown = std::move(Asked[I].Shown);
      takePlaces(Drawings[Which[I]], A.Findings[Which[I]]);
    }
  }

  Survey &A;
  const Options &O;
  const TidyOptions &T;
  std::string *Dots;
  Clock::time_point Begin;
  std::map<std::size_t, Drawing> Drawings;
};

} // namespace

std::map<std::size_t, Drawing> look(Survey &A, const Options &O, const TidyOptions &T, std::string *Dots) {
  return Looker(A, O, T, Dots).run();
}

} // namespace rdma
