#include "analyzer/tools/Ends.h"

#include "analyzer/clang/Extract.h"
#include "analyzer/tools/Inputs.h"
#include "analyzer/tools/Parallel.h"

namespace rdma {
namespace {

using Ends = std::vector<std::optional<ShownEnd>>;

/// The only other program that may be at its other end.
std::optional<std::size_t> partnerOf(std::size_t U, const Ends &Shown) {
  std::optional<std::size_t> Only;
  for (std::size_t V = 0; V < Shown.size(); ++V)
    if (V != U && Shown[U] && Shown[V] && areEnds(*Shown[U], *Shown[V])) {
      if (Only)
        return std::nullopt;
      Only = V;
    }
  return Only;
}

} // namespace

std::vector<Unit> joinEnds(const Options &O, std::vector<Unit> Units, unsigned Threads) {
  if (O.Assumption == "never" || O.OpenWorld)
    return Units;
  Ends Shown(Units.size());
  inParallel(Threads, Units.size(), [&](std::size_t U) {
    if (topologyOf(O, Units[U]).empty() && !Units[U].Alone)
      Shown[U] = shownEnd(extractionOptions(optionsFor(O, Units[U])));
  });
  std::vector<Unit> Joined;
  for (std::size_t U = 0; U < Units.size(); ++U) {
    const std::optional<std::size_t> Other = partnerOf(U, Shown);
    const bool Mutual = Other && partnerOf(*Other, Shown) == U;
    if (Mutual && *Other < U)
      continue;
    if (!Mutual) {
      Joined.push_back(Units[U]);
      continue;
    }
    Joined.emplace_back(together({Units[U], Units[*Other]})).Name += " + " + Units[*Other].Name;
  }
  return Joined;
}

} // namespace rdma
