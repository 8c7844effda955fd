#include "analyzer/core/Locations.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace rdma {

Locations::Locations(const Program &P, const std::vector<EventGraph> &Threads)
    : P(P), ByObject(P.Objects.size()), ByNode(P.Nodes.size()) {
  std::vector<std::map<std::pair<std::int64_t, std::int64_t>, LocationId>> Known(P.Objects.size());
  for (ThreadIndex T = 0; T < Threads.size(); ++T) {
    ByEvent.emplace_back(Threads[T].Events.size(), None);
    for (EventId E : Threads[T].Order) {
      const Access &A = Threads[T].Events[E].Ref.Location;
      if (Threads[T].Events[E].Joins || !A.valid())
        continue;
      auto [Found, New] = Known[A.Target].try_emplace({A.Begin, A.End}, Ranges.size());
      if (New) {
        Ranges.push_back(A);
        Direct.emplace_back();
      }
      ByEvent[T][E] = Found->second;
      if (!isUnseen(Threads[T].operation(P, E)))
        Direct[Found->second].add(T);
    }
  }
  for (ObjectId O = 0; O < P.Objects.size(); ++O)
    for (auto &[Range, L] : Known[O]) {
      ByObject[O].push_back(L);
      ByNode[P.Objects[O].Home].push_back(L);
    }
  Overlaps.resize(Ranges.size());
  Around.resize(Ranges.size());
}

const std::vector<LocationId> &Locations::overlapping(LocationId L) const {
  std::vector<LocationId> &Found = Overlaps[L];
  if (!Found.empty())
    return Found;
  const Access &Mine = Ranges[L];
  auto add = [&](const std::vector<LocationId> &Among) {
    for (LocationId Other : Among)
      if (mayOverlap(P, Mine, Ranges[Other]))
        Found.push_back(Other);
  };
  const std::vector<LocationId> &Here = ByNode[P.Objects[Mine.Target].Home];
  bool MayBeOthers = std::any_of(Here.begin(), Here.end(), [&](LocationId Other) {
    return Ranges[Other].Target != Mine.Target && mayOverlap(P, Mine, Ranges[Other]);
  });
  add(MayBeOthers ? Here : ByObject[Mine.Target]);
  return Found;
}

const Locations::Users &Locations::usersAround(LocationId L) const {
  Users &Sum = Around[L];
  if (Sum.One == None)
    for (LocationId Other : overlapping(L)) {
      if (Direct[Other].One == None) // nobody that others could meet
        continue;
      Sum.add(Direct[Other].One);
      Sum.Several |= Direct[Other].Several;
    }
  return Sum;
}

bool Locations::usedByOthers(ThreadIndex T, LocationId L) const {
  const Users &Sum = usersAround(L);
  return Sum.Several || (Sum.One != None && Sum.One != T);
}

} // namespace rdma
