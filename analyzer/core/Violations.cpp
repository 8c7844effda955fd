#include "analyzer/core/Violations.h"

namespace rdma {

EventNumbers::EventNumbers(const std::vector<EventGraph> &Threads) {
  for (const EventGraph &G : Threads) {
    std::vector<unsigned> &Mine = Numbers.emplace_back(G.Events.size(), None);
    for (EventId E : G.Order) {
      Mine[E] = Refs.size();
      Refs.push_back(G.Events[E].Ref);
    }
  }
}

Violation Violations::operator[](std::size_t I) const {
  const Pair &P = Pairs[I];
  Violation V{Broken, (*Events)[P.First], (*Events)[P.Second], {}};
  if (P.Way != None)
    V.Observers = Ways[P.Way];
  V.LoopCarried = P.Second <= P.First;
  V.RestsOn = P.RestsOn;
  V.InTurn = P.InTurn;
  return V;
}

} // namespace rdma
