#include "analyzer/report/Places.h"

#include <map>
#include <string>
#include <tuple>

namespace rdma {
namespace {

const Statement &statement(const Program &P, const EventRef &E) {
  return P.Threads[E.Thread].Statements[E.Statement];
}

Place last(const std::vector<Place> &Chain) { return Chain.empty() ? Place{} : Chain.back(); }

/// Statements behind From by these steps, nearest first; From itself only around a loop.
template <typename NextFn>
std::vector<StatementId> reachable(std::size_t Size, StatementId From, NextFn Next) {
  std::vector<bool> Seen(Size);
  std::vector<StatementId> Found = {From};
  for (std::size_t I = 0; I < Found.size(); ++I)
    for (StatementId To : Next(Found[I]))
      if (!Seen[To]) {
        Seen[To] = true;
        Found.push_back(To);
      }
  Found.erase(Found.begin());
  return Found;
}

bool polls(const Operation &Op, const Program &P, const EventRef &E) {
  return Op.Kind == OperationKind::Poll && E.Pair != None && Op.Queue == P.QueuePairs[E.Pair].Queue;
}

} // namespace

std::pair<Place, Place> placesOfPair(const Program &P, const EventRef &First, const EventRef &Second) {
  std::vector<Place> A = statement(P, First).Where.Chain, B = statement(P, Second).Where.Chain;
  // Outermost places stand last.
  while (A.size() > 1 && B.size() > 1 && A.back() == B.back()) {
    A.pop_back();
    B.pop_back();
  }
  return {last(A), last(B)};
}

Place placeToTell(const Site &Where) {
  for (const Place &At : Where.Chain)
    if (!At.File.starts_with("/usr/include/") && !At.File.starts_with("/usr/lib/"))
      return At;
  return Where.known() ? Where.Chain.front() : Place{};
}

Place outermostPlace(const Program &P, const EventRef &E) { return last(statement(P, E).Where.Chain); }

PlaceNumbers::PlaceNumbers(const Program &P) {
  std::map<std::tuple<std::string, unsigned, unsigned>, unsigned> SpotOf;
  std::map<std::pair<unsigned, std::string>, unsigned> NumberOf; // a spot in a function
  for (const Thread &T : P.Threads) {
    Chains.emplace_back();
    for (const Statement &S : T.Statements) {
      std::vector<unsigned> &Chain = Chains.back().emplace_back();
      for (const Place &At : S.Where.Chain) {
        unsigned Spot = SpotOf.try_emplace({At.File, At.Line, At.Column}, SpotOf.size()).first->second;
        auto [Known, New] = NumberOf.try_emplace({Spot, At.Function}, Spots.size());
        if (New)
          Spots.push_back(Spot);
        Chain.push_back(Known->second);
      }
    }
  }
}

std::uint64_t PlaceNumbers::ofPair(const EventRef &First, const EventRef &Second) const {
  const auto &A = Chains[First.Thread][First.Statement], &B = Chains[Second.Thread][Second.Statement];
  std::size_t Same = 0;
  while (A.size() > Same + 1 && B.size() > Same + 1 && A.end()[-1 - Same] == B.end()[-1 - Same])
    ++Same;
  auto spot = [&](const std::vector<unsigned> &Chain) {
    return Chain.empty() ? 0 : std::uint64_t(Spots[Chain.end()[-1 - Same]]) + 1;
  };
  return spot(A) << 32 | spot(B);
}

std::optional<Place> PollsBetween::find(const EventRef &First, const EventRef &Second) {
  if (First.Thread != Second.Thread)
    return std::nullopt;
  const Thread &T = P.Threads[First.Thread];
  Steps &Back = Before[First.Thread];
  if (Back.empty())
    Back = predecessors(T);
  std::size_t Size = T.Statements.size();
  std::optional<std::vector<bool>> LeadsOn;
  auto onward = [&](StatementId S) -> const auto & { return T.Statements[S].Successors; };
  for (StatementId S : reachable(Size, First.Statement, onward)) {
    if (!polls(T.Statements[S].Op, P, First))
      continue;
    if (!LeadsOn) {
      LeadsOn.emplace(Size);
      for (StatementId Earlier :
           reachable(Size, Second.Statement, [&](StatementId At) -> const auto & { return Back[At]; }))
        (*LeadsOn)[Earlier] = true;
    }
    if ((*LeadsOn)[S])
      return placesOfPair(P, First, {First.Thread, S, EventKind::P, {}, First.Pair}).second;
  }
  return std::nullopt;
}

} // namespace rdma
