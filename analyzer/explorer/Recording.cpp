#include "analyzer/explorer/Recording.h"

#include <algorithm>
#include <queue>
#include <stdexcept>

namespace rdma::explorer {

Slot Recording::issued(const EventKey &E) {
  if (Events.size() >= NoSlot)
    throw std::length_error("more than 255 events in one run");
  Events.push_back({E.Thread, E.Statement});
  ReadsFrom.push_back(None);
  return Events.size() - 1;
}

void Recording::accessed(Slot S, unsigned Location, bool Write) {
  RecordedEvent &E = Events[S];
  E.Location = Location;
  E.Write = Write;
  E.Value = Now->Memory[Location];
  E.Time = ++Clock;
  Latest = S;
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
  Latest = Read;
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

std::vector<CycleStep> Recording::way(const std::vector<unsigned> &Parent, unsigned From, unsigned To) const {
  std::vector<CycleStep> Found;
  for (unsigned At = To; Found.empty() || At != From; At = Parent[At])
    Found.push_back({Parent[At], *edge(Parent[At], At)});
  std::reverse(Found.begin(), Found.end());
  return Found;
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
    std::vector<CycleStep> Found = way(Parent, Start, Start);
    if (Best.empty() || Found.size() < Best.size())
      Best = std::move(Found);
  }
  return Best;
}

/// The shortest way from Second back to First, with First before it; empty when there is none.
std::vector<CycleStep> Recording::cycleBack(unsigned First, unsigned Second) const {
  std::vector<unsigned> Parent(Events.size(), None);
  std::queue<unsigned> Next({Second});
  while (!Next.empty() && Parent[First] == None) {
    unsigned At = Next.front();
    Next.pop();
    for (unsigned To = 0; To < Events.size(); ++To) {
      auto E = edge(At, To);
      bool Conflict = E && *E != Edge::Po, Ends = At == Second || To == First;
      if (Parent[To] != None || !E || (Ends && !Conflict) || Events[At].Time > Events[To].Time)
        continue;
      Parent[To] = At;
      Next.push(To);
    }
  }
  if (Parent[First] == None)
    return {};
  std::vector<CycleStep> Found = way(Parent, Second, First);
  Found.insert(Found.begin(), {First, Edge::Po});
  return Found;
}

std::vector<CycleStep> Recording::cycle(const WatchedPair &Through) const {
  auto is = [&](unsigned Event, const EventKey &Key) {
    const RecordedEvent &E = Events[Event];
    return E.Location != None && EventKey{E.Thread, E.Statement, E.Location, E.Write} == Key;
  };
  std::vector<CycleStep> Best;
  for (unsigned First = 0; First < Events.size(); ++First)
    for (unsigned Second = First + 1; is(First, Through.First) && Second < Events.size(); ++Second) {
      if (!is(Second, Through.Second) || Events[Second].Time > Events[First].Time)
        continue;
      std::vector<CycleStep> Found = cycleBack(First, Second);
      if (!Found.empty() && (Best.empty() || Found.size() < Best.size()))
        Best = std::move(Found);
    }
  return Best;
}

} // namespace rdma::explorer
