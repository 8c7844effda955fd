#include "analyzer/report/Causes.h"

#include "analyzer/core/Remedy.h"
#include "analyzer/report/Texts.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace rdma {
namespace {

/// What one remedy, or one answer to a question, would settle.
struct Cause {
  enum class Stand : std::uint8_t { Behind, Before, Words } Where; ///< the earlier, the later, neither
  std::string Check, Words;
  Remedy What;
  std::string File;
  unsigned Line, Column;
  auto operator<=>(const Cause &) const = default;
};

Cause at(Cause::Stand Where, const Finding &F, Remedy What, const Place &At) {
  return {Where, F.Check, "", What, At.File, At.Line, At.Column};
}

std::vector<Cause> causesOf(const Finding &F) {
  if (F.Causes.empty() || F.Notes.empty() || F.Withholds) {
    std::string Words = F.RestsOn.empty() ? F.Main.Text : F.RestsOn;
    return {{Cause::Stand::Words, F.Check, Words, Remedy::Impossible, "", 0, 0}};
  }
  const Violation &V = F.Causes.front();
  Remedy What = V.Broken == Rule::Atomics ? Remedy::Impossible : cheapestRemedy(V);
  std::vector<Cause> All = {at(Cause::Stand::Before, F, What, F.Main.At)};
  // The flag goes on the later request, and nothing stands between the halves of one.
  if (What != Remedy::RemoteFence && What != Remedy::Impossible)
    All.push_back(at(Cause::Stand::Behind, F, What, F.Notes.front().At));
  return All;
}

/// The one that is told: without a way around a loop, else the first.
std::size_t strongest(const std::vector<Finding> &Findings, const std::vector<std::size_t> &Of) {
  return *std::min_element(Of.begin(), Of.end(), [&](std::size_t A, std::size_t B) {
    auto weak = [&](std::size_t I) {
      return !Findings[I].Causes.empty() && Findings[I].Causes[0].LoopCarried;
    };
    return std::pair(weak(A), A) < std::pair(weak(B), B);
  });
}

Note standsFor(const Finding &F, Cause::Stand Where, std::size_t More) {
  std::vector<std::string> Count = {std::to_string(More)};
  switch (Where) {
  case Cause::Stand::Behind:
    return {F.Notes.front().At, text(TextId::MoreBehind, Count)};
  case Cause::Stand::Before:
    return {F.Main.At, text(TextId::MoreBefore, Count)};
  case Cause::Stand::Words:
    break;
  }
  return {F.Main.At, text(TextId::MorePlaces, Count)};
}

} // namespace

void foldCauses(std::vector<Finding> &Findings) {
  std::map<Cause, std::vector<std::size_t>> Groups;
  for (std::size_t I = 0; I < Findings.size(); ++I)
    if (Findings[I].Hidden == Hiding::Shown)
      for (Cause &C : causesOf(Findings[I]))
        Groups[std::move(C)].push_back(I);
  std::vector<bool> Told(Findings.size());
  auto prune = [&](std::vector<std::size_t> &Of) {
    std::erase_if(Of, [&](std::size_t I) { return Told[I]; });
  };
  // The largest first, with lazy sizes: a group only ever shrinks.
  std::multimap<std::size_t, const Cause *, std::greater<>> Queue;
  for (const auto &[C, Of] : Groups)
    Queue.emplace(Of.size(), &C);
  while (!Queue.empty()) {
    auto [Size, C] = *Queue.begin();
    Queue.erase(Queue.begin());
    std::vector<std::size_t> &Of = Groups.at(*C);
    prune(Of);
    if (Of.size() < 2)
      continue;
    if (Of.size() < Size) {
      Queue.emplace(Of.size(), C);
      continue;
    }
    std::size_t First = strongest(Findings, Of);
    Findings[First].Notes.push_back(standsFor(Findings[First], C->Where, Of.size() - 1));
    for (std::size_t I : Of) {
      Told[I] = true;
      if (I != First) {
        Findings[I].Hidden = Hiding::Folded;
        Findings[I].Under = First;
      }
    }
  }
}

} // namespace rdma
