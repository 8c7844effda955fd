#include "analyzer/core/Alike.h"

#include <algorithm>

namespace rdma {

static std::vector<bool> among(const EventGraph &G, const std::set<EventKey> &Some) {
  std::vector<bool> Is(G.Events.size());
  for (EventId E : G.Order)
    Is[E] = Some.count(keyOf(G.Events[E].Ref));
  return Is;
}

std::vector<std::vector<OpenPair>> Sought::openIn(const Analysis &A) const {
  std::vector<std::vector<OpenPair>> Found(A.Threads.size());
  for (ThreadIndex T = 0; T < A.Threads.size(); ++T) {
    const std::vector<bool> First = among(A.Threads[T], Earlier), Second = among(A.Threads[T], Later);
    for (const OpenPair &Pair : A.Open[T])
      if (First[Pair.Earlier] && Second[Pair.Later])
        Found[T].push_back(Pair);
  }
  return Found;
}

Alike::Alike(const EventNumbers &Events) {
  for (unsigned N = 0; N < Events.size(); ++N)
    First.push_back(Numbers.try_emplace(keyOf(Events[N]), N).first->second);
}

std::vector<std::uint64_t> Alike::renumbered(const Violations &Other,
                                             const std::function<bool(std::size_t)> &Is) const {
  std::vector<unsigned> Here(Other.empty() ? 0 : Other.events().size(), None);
  for (unsigned N = 0; N < Here.size(); ++N)
    if (auto Found = Numbers.find(keyOf(Other.events()[N])); Found != Numbers.end())
      Here[N] = Found->second;
  std::vector<std::uint64_t> Pairs;
  for (std::size_t I = 0; I < Other.size(); ++I)
    if (const Violations::Pair X{Here[Other.pairs()[I].First], Here[Other.pairs()[I].Second]};
        X.First != None && X.Second != None && (!Is || Is(I)))
      Pairs.push_back(X.order());
  std::sort(Pairs.begin(), Pairs.end());
  return Pairs;
}

} // namespace rdma
