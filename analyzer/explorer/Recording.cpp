#include "analyzer/explorer/Recording.h"

#include <algorithm>
#include <queue>
#include <stdexcept>

namespace rdma::explorer {

Slot Recording::issued(unsigned InThread) {
  if (Events.size() >= NoSlot)
    throw std::length_error("more than 255 events in one run");
  Events.push_back({InThread, Statement});
  ReadsFrom.push_back(None);
  return Events.size() - 1;
}

void Recording::accessed(Slot S, unsigned Location, bool Write) {
  RecordedEvent &E = Events[S];
  E.Location = Location;
  E.Write = Write;
  E.Value = Now->Memory[Location];
  E.Time = ++Clock;
  auto &Order = MemoryOrder[Location];
  if (!Write) {
    ReadsFrom[S] = Order.empty() ? None : Order.back();
    return;
  }
  Order.push_back(S);
  std::erase_if(OpenAtomics, [&](auto &A) { return A.first == S; });
  for (auto [Atomic, At] : OpenAtomics)
    if (At == Location)
      Torn.push_back({S, Atomic});
}

void Recording::readBuffered(Slot Read, Slot Write, unsigned Location) {
  Events[Read].Location = Location;
  Events[Read].Time = ++Clock;
  ReadsFrom[Read] = Write;
}

void Recording::atomicRead(Slot Write, unsigned Location) { OpenAtomics.push_back({Write, Location}); }

unsigned Recording::positionInMemoryOrder(unsigned Write) const {
  const auto &Order = MemoryOrder[Events[Write].Location];
  return std::find(Order.begin(), Order.end(), Write) - Order.begin();
}

std::optional<Edge> Recording::edge(unsigned From, unsigned To) const {
  const RecordedEvent &A = Events[From], &B = Events[To];
  if (From == To || A.Location == None || B.Location == None)
    return std::nullopt;
  if (A.Location == B.Location && B.Write) {
    unsigned Later = positionInMemoryOrder(To);
    if (A.Write && positionInMemoryOrder(From) < Later)
      return Edge::Mo;
    if (!A.Write && (ReadsFrom[From] == None || positionInMemoryOrder(ReadsFrom[From]) < Later))
      return Edge::Rb;
  }
  if (!B.Write && ReadsFrom[To] == From)
    return Edge::Rf;
  if (A.Thread == B.Thread && From < To)
    return Edge::Po;
  return std::nullopt;
}

std::vector<CycleStep> Recording::cycle() const {
  std::vector<CycleStep> Best;
  for (unsigned Start = 0; Start < Events.size(); ++Start) {
    std::vector<unsigned> Parent(Events.size(), None);
    std::queue<unsigned> Next({Start});
    while (!Next.empty() && Parent[Start] == None) {
      unsigned At = Next.front();
      Next.pop();
      for (unsigned To = 0; To < Events.size(); ++To)
        if (Parent[To] == None && edge(At, To)) {
          Parent[To] = At;
          Next.push(To);
        }
    }
    if (Parent[Start] == None)
      continue;
    std::vector<CycleStep> Found;
    for (unsigned At = Start; Found.empty() || At != Start; At = Parent[At])
      Found.push_back({Parent[At], *edge(Parent[At], At)});
    std::reverse(Found.begin(), Found.end());
    if (Best.empty() || Found.size() < Best.size())
      Best = std::move(Found);
  }
  return Best;
}

} // namespace rdma::explorer
